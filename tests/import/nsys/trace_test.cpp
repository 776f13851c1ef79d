// What a row of each table becomes in the Trace.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"

namespace dlview::import::nsys {
namespace {

using profile::CopyKind;
using profile::kNoText;
using profile::kNoValue;
using profile::MemoryKind;
using profile::Profile;
using profile::Trace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;
using testing::numbers_of;

class TraceOfExport : public testing::ExportTest {
 protected:
  // All texts of a column, "-" where there is none.
  std::vector<std::string> texts(const Profile& profile,
                                 const profile::Column<profile::StringId>& ids) {
    std::vector<std::string> texts;
    for (const profile::StringId id : ids) {
      texts.emplace_back(id == kNoText ? "-" : profile.text(id));
    }
    return texts;
  }
};

TEST_F(TraceOfExport, KernelsKeepWhatTheFileSaysOfThem) {
  const Profile profile = open_with();
  const profile::TraceKernels& kernels = profile.trace->kernels;
  EXPECT_THAT(list(kernels.start_ns), ElementsAre(1200, 1300));
  EXPECT_THAT(list(kernels.end_ns), ElementsAre(1500, 1700));
  EXPECT_THAT(list(kernels.correlation), ElementsAre(42, 42));
  EXPECT_THAT(numbers_of(*profile.trace, kernels.process), ElementsAre("70/0", "80/0"));
  EXPECT_THAT(list(kernels.device_id), ElementsAre(0, 0));
  EXPECT_THAT(list(kernels.stream), ElementsAre(7, 7));
  EXPECT_THAT(list(kernels.graph_node), ElementsAre(kNoValue, 5));
  EXPECT_THAT(list(kernels.green_context), ElementsAre(kNoValue, kNoValue));
  EXPECT_THAT(texts(profile, kernels.short_name), ElementsAre("gemm", "gemm"));
  EXPECT_EQ(profile.text(kernels.demangled_name[0]), "void gemm<float>()");
  EXPECT_EQ(profile.text(kernels.mangled_name[0]), "_Z4gemm");
  EXPECT_EQ(kernels.grid[0], (profile::Dim3{8, 2, 1}));
  EXPECT_EQ(kernels.block[0], (profile::Dim3{128, 1, 1}));
  EXPECT_EQ(kernels.registers_per_thread[0], 32);
  EXPECT_EQ(kernels.static_shared_bytes[0], 16);
  EXPECT_EQ(kernels.dynamic_shared_bytes[0], 64);
}

TEST_F(TraceOfExport, OtherGpuWorkDoesToo) {
  const Profile profile = open_with();
  const Trace& trace = *profile.trace;
  EXPECT_THAT(list(trace.memcpys.bytes), ElementsAre(4096));
  EXPECT_THAT(list(trace.memcpys.copy_kind), ElementsAre(CopyKind::host_to_device));
  EXPECT_THAT(list(trace.memcpys.src_kind), ElementsAre(MemoryKind::pageable));
  EXPECT_THAT(list(trace.memcpys.dst_kind), ElementsAre(MemoryKind::device));
  EXPECT_THAT(list(trace.memsets.bytes), ElementsAre(512));
  EXPECT_THAT(list(trace.memsets.memory_kind), ElementsAre(MemoryKind::device));
  EXPECT_THAT(list(trace.syncs.sync_type), ElementsAre(3));
  EXPECT_THAT(list(trace.syncs.event), ElementsAre(4294967295));
  EXPECT_THAT(list(trace.graph_launches.end_ns), ElementsAre(4000));
  EXPECT_THAT(list(trace.graph_launches.graph), ElementsAre(5));
  EXPECT_THAT(list(trace.graph_launches.graph_exec), ElementsAre(6));
}

TEST_F(TraceOfExport, CallsKeepTheirClassAndTheVersionInTheirName) {
  const Profile profile =
      open_with("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET eventClass = 67 WHERE start = 1110;");
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  EXPECT_THAT(list(calls.layer),
              ElementsAre(profile::ApiLayer::runtime, profile::ApiLayer::call_stack));
  EXPECT_THAT(numbers_of(*profile.trace, calls.thread), ElementsAre("70/71", "80/81"));
  EXPECT_EQ(profile.text(calls.name[0]), "cudaLaunchKernel_v7000");
  EXPECT_EQ(profile.text(profile.trace->os_calls.name[0]), "read");
  EXPECT_EQ(profile.text(profile.trace->mpi_calls.name[0]), "MPI_Barrier");
}

TEST_F(TraceOfExport, TextsKeepTheirIdInTheFile) {
  const Profile profile = open_with();
  const Trace& trace = *profile.trace;
  EXPECT_EQ(trace.text_ids[trace.api_calls.name[0]], 4);
  EXPECT_EQ(trace.text_ids[trace.nvtx.text[1]], 5);
  const profile::StringId written_out = trace.nvtx.text[0];
  EXPECT_TRUE(written_out >= trace.text_ids.size() || trace.text_ids[written_out] == kNoValue);
}

TEST_F(TraceOfExport, RangesTakeTheirTextFromEitherColumnOrHaveNone) {
  const Profile profile = open_with();
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  EXPECT_THAT(texts(profile, nvtx.text), ElementsAre("step 1", "forward", "mark", "started", "-"));
  EXPECT_THAT(list(nvtx.kind),
              ElementsAre(profile::NvtxKind::push_pop_range, profile::NvtxKind::push_pop_range,
                          profile::NvtxKind::mark, profile::NvtxKind::start_end_range,
                          profile::NvtxKind::push_pop_range));
  EXPECT_THAT(list(nvtx.end_ns), ElementsAre(2000, 1900, kNoValue, 1650, 1800));
  EXPECT_THAT(list(nvtx.domain), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_EQ(nvtx.range_id[3], 9);
  EXPECT_THAT(list(nvtx.source_row), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_EQ(numbers_of(*profile.trace, nvtx.end_thread)[3], "80/81");
  EXPECT_EQ(nvtx.category[2], 3);
  EXPECT_EQ(nvtx.color[2], 0xff00ff00);
}

TEST_F(TraceOfExport, ARangeThatWasNeverClosedHasNoEnd) {
  const Profile profile = open_with("UPDATE NVTX_EVENTS SET end = NULL WHERE start = 1600;");
  EXPECT_EQ(profile.trace->nvtx.end_ns[3], kNoValue);
}

TEST_F(TraceOfExport, RowsBeforeTheSessionNameDomainsAndThreads) {
  const Profile profile = open_with();
  ASSERT_EQ(profile.trace->nvtx_domains.size(), 1U);
  EXPECT_EQ(profile.trace->nvtx_domains[0].name, "cuBLAS");
  EXPECT_EQ(profile.trace->numbers_of(profile.trace->nvtx_domains[0].process).process_id, 70);
  EXPECT_EQ(profile.trace->nvtx_domains[0].id, 1);
  ASSERT_EQ(profile.trace->threads.size(), 2U);
  EXPECT_EQ(profile.trace->threads[0].name, "MPI Rank 0");  // not "python", as the OS has it
  EXPECT_EQ(profile.trace->threads[1].name, "python");
  EXPECT_EQ(profile.trace->threads[0].priority, 20);
  EXPECT_EQ(profile.trace->threads[1].priority, 20);
  ASSERT_EQ(profile.trace->processes.size(), 2U);
  EXPECT_EQ(profile.trace->processes[1].name, "rank1");
}

TEST_F(TraceOfExport, OlderFilesDoNotNameTheKindsOfCopies) {
  EXPECT_FALSE(open_with().trace->names_copy_kinds);
}

TEST_F(TraceOfExport, NewerFilesNameTheKindsOfCopies) {
  EXPECT_TRUE(open_with("CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER, name TEXT, label TEXT);")
                  .trace->names_copy_kinds);
}

TEST_F(TraceOfExport, ADomainCreatedManyTimesIsOneUnderItsFirstName) {
  const Profile profile = open_with(
      "INSERT INTO NVTX_EVENTS SELECT * FROM NVTX_EVENTS WHERE eventType = 75;"
      "UPDATE NVTX_EVENTS SET text = 'other' WHERE eventType = 75 AND rowid > 1;");
  ASSERT_EQ(profile.trace->nvtx_domains.size(), 1U);
  EXPECT_EQ(profile.trace->nvtx_domains[0].name, "cuBLAS");
}

TEST_F(TraceOfExport, FindsColumnsByNameAndLeavesMissingOnesEmpty) {
  const Profile profile = open_with(
      "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(note TEXT, end INTEGER, shortName INTEGER,"
      "  start INTEGER, gridX INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES('x', 20, 1, 10, 3);");
  const profile::TraceKernels& kernels = profile.trace->kernels;
  EXPECT_THAT(list(kernels.start_ns), ElementsAre(10));
  EXPECT_THAT(list(kernels.end_ns), ElementsAre(20));
  EXPECT_THAT(texts(profile, kernels.short_name), ElementsAre("gemm"));
  EXPECT_THAT(list(kernels.process), IsEmpty());
  EXPECT_THAT(list(kernels.correlation), IsEmpty());
  EXPECT_THAT(list(kernels.grid), IsEmpty());  // one of three sides is no size
}

TEST_F(TraceOfExport, NullIsToldFromZero) {
  const Profile profile = open_with(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL, shortName = NULL,"
      "  registersPerThread = NULL WHERE start = 1200;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 0 WHERE start = 1300;");
  const profile::TraceKernels& kernels = profile.trace->kernels;
  EXPECT_THAT(list(kernels.correlation), ElementsAre(kNoValue, 0));
  EXPECT_THAT(texts(profile, kernels.short_name), ElementsAre("-", "gemm"));
  EXPECT_THAT(list(kernels.registers_per_thread), ElementsAre(-1, 32));
}

TEST_F(TraceOfExport, TextsAreFoundWithoutAKeyInStringIdsToo) {
  const Profile profile = open_with(
      "CREATE TABLE copy AS SELECT * FROM StringIds; DROP TABLE StringIds;"
      "ALTER TABLE copy RENAME TO StringIds;");
  EXPECT_THAT(texts(profile, profile.trace->kernels.short_name), ElementsAre("gemm", "gemm"));
}

TEST_F(TraceOfExport, TextsThatNobodyUsesStayInTheFile) {
  EXPECT_EQ(open_with().strings.find("unused"), std::nullopt);
}

TEST_F(TraceOfExport, TimesOfANormalizedExportCountFromTheSession) {
  const Profile profile = open_with(
      "UPDATE META_DATA_EXPORT SET value = 'true' WHERE name = 'EXPORT_PARAM_TIME_NORMALIZE';"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 1779782330176752435,"
      "  end = end + 1779782330176752435;");
  EXPECT_THAT(list(profile.trace->kernels.start_ns), ElementsAre(1200, 1300));
  EXPECT_THAT(list(profile.trace->kernels.end_ns), ElementsAre(1500, 1700));
}

TEST_F(TraceOfExport, SessionAndSystemAreTold) {
  const Profile profile = open_with();
  EXPECT_EQ(profile.trace->duration_ns, 9000);
  EXPECT_EQ(profile.trace->utc_start_ns, 1779782330176752435);
  EXPECT_EQ(profile.source.format, "Nsight Systems 2026.2.1.210");
  EXPECT_EQ(profile.system.nsys_version, "2026.2.1.210");
  EXPECT_EQ(profile.system.driver_version, "535.129.03");
  EXPECT_EQ(profile.system.cuda_version, "12.8");
  EXPECT_EQ(profile.system.cpu_model, "Xeon");
  EXPECT_EQ(profile.system.os_name, "Debian 12");
  EXPECT_EQ(profile.system.gpu_count, "2");
  EXPECT_EQ(profile.system.profile_name, "run");
}

TEST_F(TraceOfExport, DriverVersionsAreToldApartFromTheirDigits) {
  const auto driver = [this](const std::string& stored) {
    std::filesystem::remove(path());
    return open_with("UPDATE TARGET_INFO_SYSTEM_ENV SET value = '" + stored +
                     "' WHERE name = 'NvDriverVersion';")
        .system.driver_version;
  };
  EXPECT_EQ(driver("5154304"), "515.43.04") << "as DLProf has it of the same run";
  EXPECT_EQ(driver("52510517"), "525.105.17");
  EXPECT_EQ(driver("58160"), "581.60");
  EXPECT_EQ(driver("470103"), "470103") << "could be read in two ways";
  EXPECT_EQ(driver("560.94"), "560.94");
}

TEST_F(TraceOfExport, TheRecordingIsTold) {
  const profile::CaptureFacts capture =
      open_with(
          "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
          "INSERT INTO META_DATA_CAPTURE VALUES('DEVICE_DISPLAY_NAME', 'node17'),"
          "  ('PROCESS_0:COMMAND', 'python'), ('PROCESS_0:ARGUMENT_0', '--token=secret');"
          "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION', '3.25.0');"
          "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1, 's', 'CpuCores', 1, '18'),"
          "  (1, 's', 'SoftwareReleaseVersion', 2, '6.1.0');")
          .trace->capture;
  EXPECT_EQ(capture.host, "node17");
  EXPECT_EQ(capture.program, "python");
  EXPECT_EQ(capture.schema_version, "3.25.0");
  EXPECT_EQ(capture.cpu_cores, "18");
  EXPECT_EQ(capture.kernel_release, "6.1.0");
}

TEST_F(TraceOfExport, EnvironmentVariablesAreNotKept) {
  const Profile profile = open_with(
      "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
      "INSERT INTO META_DATA_CAPTURE VALUES('ENVIRONMENT_VARIABLE', 'TOKEN=secret');");
  const profile::SystemFacts& system = profile.system;
  const profile::CaptureFacts& capture = profile.trace->capture;
  for (const std::string& fact :
       {system.gpu_count, system.cpu_model, system.os_name, system.driver_version, system.framework,
        system.cuda_version, system.cudnn_version, system.nsys_version, system.profile_name,
        system.mode, system.original_command, capture.host, capture.program, capture.schema_version,
        capture.cpu_cores, capture.kernel_release}) {
    EXPECT_THAT(fact, ::testing::Not(HasSubstr("secret")));
  }
  for (profile::StringId id = 0; id < profile.strings.size(); ++id) {
    EXPECT_THAT(std::string(profile.text(id)), ::testing::Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace dlview::import::nsys
