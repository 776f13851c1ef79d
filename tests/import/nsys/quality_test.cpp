// Rows of an export that cannot be used are counted and listed, one case for each rule.
#include <algorithm>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"

namespace dlview::import::nsys {
namespace {

using profile::Profile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;

struct QualityCase {
  const char* change;
  const char* table;
  const char* reason;
  const char* example;
};

class ExportQuality : public testing::ExportTest,
                      public ::testing::WithParamInterface<QualityCase> {};

// What the rows miss may be noted again where ops are made of them.
TEST_P(ExportQuality, IsNotedWithTableReasonCountAndExample) {
  const Profile profile = open_with(GetParam().change);
  const auto note = std::ranges::find_if(profile.quality, [](const profile::QualityNote& n) {
    return n.table == GetParam().table && n.reason == GetParam().reason;
  });
  ASSERT_NE(note, profile.quality.end());
  EXPECT_EQ(note->rows, 1);
  EXPECT_EQ(note->first_example, GetParam().example);
}

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kNvtx = "NVTX_EVENTS";
INSTANTIATE_TEST_SUITE_P(
    All, ExportQuality,
    ::testing::Values(
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL WHERE start = 1300;",
                    kKernels, "its end is not an integer", "row 2: start is 1300, end is "},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE start = 1300;",
                    kKernels, "its start is not an integer", "row 2: start is soon, end is 1700"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 7 WHERE start = 1300;", kKernels,
                    "it ends before it starts", "row 2: start is 1300, end is 7"},
        QualityCase{
            "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE start = 1300;",
            kKernels, "it is more than 104 days from the start of the capture",
            "row 2: start is 1300, end is 9223372036854775807"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 77 WHERE start = 1300;",
                    kKernels, "text id missing from StringIds; row kept without text",
                    "row 2: shortName 77 does not exist"},
        QualityCase{"UPDATE NVTX_EVENTS SET eventType = 200 WHERE start = 1500;", kNvtx,
                    "unknown event type", "row 5: eventType is 200"},
        QualityCase{"UPDATE NVTX_EVENTS SET text = CAST(x'61cff07a' AS TEXT) WHERE start = 1500;",
                    kNvtx, "a text is not UTF-8; \ufffd replaces what cannot be decoded",
                    "row 5: \"a\ufffd\ufffdz\""},
        QualityCase{"UPDATE NVTX_EVENTS SET start = -100 WHERE start = 1050;", kNvtx,
                    "it starts before the capture", "row 4: forward from -100 ns"},
        QualityCase{"CREATE TABLE MPI_P2P_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER,"
                    "  textId INTEGER);"
                    "INSERT INTO MPI_P2P_EVENTS VALUES(2910, 2920, 281476151115847, 7),"
                    "  (-50, 10, 281476151115847, 7);",
                    "MPI_P2P_EVENTS", "it starts before the capture",
                    "row 2: MPI_Barrier from -50 ns"},
        QualityCase{"UPDATE StringIds SET value = CAST(x'67ff' AS TEXT) WHERE id = 1;", "StringIds",
                    "a text is not UTF-8; \ufffd replaces what cannot be decoded",
                    "row 1: \"g\ufffd\""},
        QualityCase{"UPDATE PROCESSES SET globalPid = NULL WHERE pid = 80;", "PROCESSES",
                    "unknown process", "row 2: globalPid is "},
        QualityCase{"INSERT INTO ThreadNames VALUES(77, 1, 5);", "ThreadNames", "unknown thread",
                    "row 3: globalTid is 5, nameId is 77"},
        QualityCase{"INSERT INTO TARGET_INFO_GPU VALUES"
                    "(0, 2, 'Intel Iris', '', NULL, 0, 0, 0, 0, 0, 0, 0);",
                    "TARGET_INFO_GPU", "not an NVIDIA GPU; ignored", "row 3: \"Intel Iris\""},
        QualityCase{"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(NULL, 1, 70);",
                    "TARGET_INFO_CUDA_DEVICE", "no GPU for the CUDA device of a process",
                    "row 3: gpuId is \"\""}));

// Where the first row of the table cannot be read, the Trace has it not.
INSTANTIATE_TEST_SUITE_P(
    BehindRowsThatAreLeftOut, ExportQuality,
    ::testing::Values(
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 7 WHERE start = 1200;"
                    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -100 WHERE start = 1300;",
                    kKernels, "it starts before the capture", "row 2: from -100 ns to 1700 ns"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = 7;"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY"
                    "  SELECT 2310, 2320, 0, 1, 7, 43, globalPid, 8, 300, 0, 2"
                    "  FROM CUPTI_ACTIVITY_KIND_MEMCPY;",
                    "CUPTI_ACTIVITY_KIND_MEMCPY", "unknown copyKind", "row 2: copyKind is 300"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 300;",
                    "CUPTI_ACTIVITY_KIND_MEMCPY", "unknown dstKind", "row 1: dstKind is 300"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET memKind = -300;",
                    "CUPTI_ACTIVITY_KIND_MEMSET", "unknown memKind", "row 1: memKind is -300"},
        QualityCase{"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = 7 WHERE start = 1100;"
                    "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -100 WHERE start = 1110;",
                    "CUPTI_ACTIVITY_KIND_RUNTIME", "it starts before the capture",
                    "row 2: from -100 ns to 1160 ns"},
        QualityCase{"UPDATE NVTX_EVENTS SET end = 7 WHERE start IN (1000, 1600);"
                    "UPDATE NVTX_EVENTS SET eventType = 200 WHERE start = 1700;",
                    kNvtx, "unknown event type", "row 7: eventType is 200"},
        QualityCase{
            "UPDATE MPI_OTHER_EVENTS SET end = 7;"
            "INSERT INTO MPI_OTHER_EVENTS SELECT -50, 10, globalTid, 7 FROM MPI_OTHER_EVENTS;",
            "MPI_OTHER_EVENTS", "it starts before the capture", "row 2: MPI_Barrier from -50 ns"}));

TEST_F(ExportQuality, NotesNothingForASoundExport) {
  EXPECT_THAT(open_with().quality, IsEmpty());
}

TEST_F(ExportQuality, SkipsUnusableRowsInAllColumns) {
  const Profile profile =
      open_with("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 7 WHERE start = 1200;");
  EXPECT_THAT(list(profile.trace->kernels.start_ns), ElementsAre(1300));
  EXPECT_THAT(list(profile.trace->kernels.graph_node), ElementsAre(5));
  EXPECT_EQ(profile.trace->kernels.grid.size(), 1U);
}

TEST_F(ExportQuality, CallsMayBeginBeforeTheSession) {
  const Profile profile =
      open_with("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -100 WHERE start = 1100;");
  EXPECT_EQ(profile.trace->api_calls.start_ns[0], -100);
}

// Any byte may be wrong: an error or a profile with notes, but never a crash (run under
// sanitizers).
TEST_F(ExportQuality, FlippedBytesNeverCrash) {
  const std::string good = testing::contents_of(testing::write_export(path()));
  std::mt19937 random(11);
  int opened = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    for (int flip = 0; flip < 20; ++flip) {
      bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    }
    const auto result =
        testing::open_for_test(testing::write_file(folder_.path() / "flipped.sqlite", bytes));
    if (result.ok()) ++opened;
  }
  EXPECT_GT(opened, 0);
}

// What is said to be missing after some SQL.
class NotRecorded : public testing::ExportTest {
 protected:
  std::vector<std::string> lacking(const std::string& changes) {
    std::vector<std::string> names;
    for (const profile::NotRecorded& item : open_with(changes).not_recorded) {
      EXPECT_NE(item.remedy, "");
      names.push_back(item.what);
    }
    return names;
  }
};

TEST_F(NotRecorded, NamesWhatTheTestExportLacks) {
  EXPECT_THAT(lacking(""),
              ElementsAre("Kernels inside CUDA graphs", "Data loader", "GPU metrics",
                          "GPU memory in use", "Launches of 1 kernel and 2 memory operations"));
}

TEST_F(NotRecorded, EachMissingTableIsNamed) {
  EXPECT_THAT(lacking("DROP TABLE NVTX_EVENTS; DROP TABLE OSRT_API; DROP TABLE MPI_OTHER_EVENTS;"
                      "DROP TABLE TARGET_INFO_GPU; DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE;"),
              ElementsAre("NVTX ranges", "Names, sizes and generations of the GPUs", "I/O time",
                          "MPI calls", "GPU metrics", "GPU memory in use",
                          "Launches of 2 memory operations"));
}

TEST_F(NotRecorded, ListsGpusMissingInTheCapture) {
  for (const auto& item : open_with("DROP TABLE TARGET_INFO_GPU;").not_recorded) {
    if (!item.what.starts_with("Names, sizes")) continue;
    EXPECT_THAT(item.remedy, ::testing::HasSubstr("no table TARGET_INFO_GPU"));
    return;
  }
  FAIL() << "they are not named";
}

TEST_F(NotRecorded, RangesAloneLackCuda) {
  EXPECT_THAT(
      lacking("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;"
              "DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;"
              "DROP TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;"
              "DROP TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE;"),
      ::testing::Contains("GPU activity and CUDA API calls"));
}

TEST_F(NotRecorded, KernelsWithoutCorrelationHaveNoLaunch) {
  EXPECT_THAT(lacking("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN correlationId;"),
              ::testing::Contains("Which call launched a kernel"));
}

TEST_F(NotRecorded, RejectsExportsWithoutCudaAndNvtx) {
  const base::Error error = error_with(
      "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
      "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
      "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;"
      "DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE; DELETE FROM NVTX_EVENTS WHERE start >= 0;");
  EXPECT_EQ(error.title, "The export has neither GPU activity nor NVTX ranges");
  EXPECT_THAT(error.detail, HasSubstr("1 OS runtime call, 1 MPI call and 2 named threads"));
  EXPECT_THAT(error.advice, HasSubstr("nsys profile --trace=cuda,nvtx"));
}

TEST_F(NotRecorded, DetectsDataLoaderRanges) {
  EXPECT_THAT(lacking("UPDATE NVTX_EVENTS SET text = 'DataLoader' WHERE start IN (1000, 1700);"),
              ::testing::Not(::testing::Contains("Data loader")));
}

}  // namespace
}  // namespace dlview::import::nsys
