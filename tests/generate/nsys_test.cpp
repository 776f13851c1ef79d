// The demo run as exports of three years, read back.
#include "generate/nsys.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/open.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

using profile::Column;
using profile::Profile;
using profile::StringId;
using profile::Trace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr NsysSchema kSchemas[] = {NsysSchema::v2021, NsysSchema::v2023, NsysSchema::v2026};

DemoOptions options(Framework framework = Framework::pytorch) {
  DemoOptions options;
  options.iterations = 4;
  options.kernels = 900;
  options.gpus = 2;
  options.framework = framework;
  return options;
}

class GeneratedExport : public ::testing::Test {
 protected:
  Profile read(NsysSchema schema, Framework framework = Framework::pytorch) {
    base::Progress progress;
    const base::Status written =
        generate_nsys(path(), options(framework), schema, progress, IfExists::replace);
    EXPECT_TRUE(written.ok()) << base::to_text(written.error());
    base::Result<Profile> result = import::open_profile(path(), progress);
    EXPECT_TRUE(result.ok()) << base::to_text(result.error());
    return result ? std::move(*result) : Profile();
  }
  Profile made(Framework framework = Framework::pytorch) {
    base::Progress progress;
    return *make_demo_profile(options(framework), progress);
  }
  std::filesystem::path path() const { return folder_.path() / "run.sqlite"; }

  testing::TemporaryFolder folder_;
};

template <typename T>
std::vector<T> list(const Column<T>& column) {
  return {column.begin(), column.end()};
}

std::vector<std::string> texts(const Profile& profile, const Column<StringId>& column) {
  std::vector<std::string> texts;
  for (const StringId id : column) texts.emplace_back(profile.text(id));
  return texts;
}

void expect_same_work(const profile::GpuWork& a, const profile::GpuWork& b) {
  EXPECT_EQ(list(a.start_ns), list(b.start_ns));
  EXPECT_EQ(list(a.end_ns), list(b.end_ns));
  EXPECT_EQ(list(a.correlation), list(b.correlation));
  EXPECT_EQ(list(a.process), list(b.process));
  EXPECT_EQ(list(a.device_id), list(b.device_id));
  EXPECT_EQ(list(a.stream), list(b.stream));
}

// All but what one of the schemas does not carry: green contexts, mangled names, processes.
void expect_same_trace(const Profile& a, const Profile& b) {
  const Trace &x = *a.trace, &y = *b.trace;
  expect_same_work(x.kernels, y.kernels);
  EXPECT_EQ(texts(a, x.kernels.short_name), texts(b, y.kernels.short_name));
  EXPECT_EQ(texts(a, x.kernels.demangled_name), texts(b, y.kernels.demangled_name));
  EXPECT_EQ(list(x.kernels.grid), list(y.kernels.grid));
  EXPECT_EQ(list(x.kernels.block), list(y.kernels.block));
  expect_same_work(x.memcpys, y.memcpys);
  EXPECT_EQ(list(x.memcpys.bytes), list(y.memcpys.bytes));
  EXPECT_EQ(list(x.memcpys.copy_kind), list(y.memcpys.copy_kind));
  expect_same_work(x.memsets, y.memsets);
  EXPECT_EQ(list(x.memsets.bytes), list(y.memsets.bytes));
  expect_same_work(x.syncs, y.syncs);
  EXPECT_EQ(list(x.syncs.sync_type), list(y.syncs.sync_type));
  EXPECT_EQ(list(x.api_calls.start_ns), list(y.api_calls.start_ns));
  EXPECT_EQ(list(x.api_calls.thread), list(y.api_calls.thread));
  EXPECT_EQ(list(x.api_calls.correlation), list(y.api_calls.correlation));
  EXPECT_EQ(texts(a, x.api_calls.name), texts(b, y.api_calls.name));
  EXPECT_EQ(list(x.nvtx.start_ns), list(y.nvtx.start_ns));
  EXPECT_EQ(list(x.nvtx.end_ns), list(y.nvtx.end_ns));
  EXPECT_EQ(list(x.nvtx.thread), list(y.nvtx.thread));
  EXPECT_EQ(texts(a, x.nvtx.text), texts(b, y.nvtx.text));
  EXPECT_EQ(x.threads.size(), y.threads.size());
  EXPECT_EQ(x.utc_start_ns, y.utc_start_ns);
  ASSERT_EQ(a.devices.size(), b.devices.size());
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    EXPECT_EQ(a.devices[i].name, b.devices[i].name);
    EXPECT_EQ(a.devices[i].device_id, b.devices[i].device_id);
    EXPECT_EQ(a.devices[i].memory_total_bytes, b.devices[i].memory_total_bytes);
  }
}

TEST_F(GeneratedExport, HasTheKernelsOfAnOpThatAreAskedFor) {
  DemoOptions many = options();
  many.kernels_per_op = 5;
  base::Progress progress;
  const Profile run = *make_demo_profile(many, progress);
  for (const NsysSchema schema : kSchemas) {
    ASSERT_TRUE(generate_nsys(path(), many, schema, progress, IfExists::replace).ok());
    const base::Result<Profile> read = import::open_profile(path(), progress);
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->instances.size(), run.instances.size());
    EXPECT_EQ(list(read->instances.first_kernel), list(run.instances.first_kernel));
  }
}

TEST_F(GeneratedExport, OfEachYearReadsToTheSameTrace) {
  const Profile newest = read(NsysSchema::v2026);
  ASSERT_GT(newest.trace->nvtx.size(), 0U);
  expect_same_trace(read(NsysSchema::v2021), newest);
  expect_same_trace(read(NsysSchema::v2023), newest);
}

// What the aggregator looks at.
void expect_same_ops(const Profile& a, const Profile& b) {
  EXPECT_EQ(texts(a, a.ops.id), texts(b, b.ops.id));
  EXPECT_EQ(texts(a, a.ops.name), texts(b, b.ops.name));
  EXPECT_EQ(texts(a, a.ops.direction), texts(b, b.ops.direction));
  EXPECT_EQ(list(a.instances.op), list(b.instances.op));
  EXPECT_EQ(list(a.instances.cpu_start_ns), list(b.instances.cpu_start_ns));
  EXPECT_EQ(list(a.instances.cpu_stop_ns), list(b.instances.cpu_stop_ns));
  EXPECT_EQ(list(a.instances.first_kernel), list(b.instances.first_kernel));
  EXPECT_EQ(list(a.kernels.gpu_start_ns), list(b.kernels.gpu_start_ns));
  EXPECT_EQ(list(a.kernels.uses_tensor_cores), list(b.kernels.uses_tensor_cores));
  EXPECT_EQ(list(a.instances.first_memory_op), list(b.instances.first_memory_op));
  EXPECT_EQ(list(a.instances.first_sync), list(b.instances.first_sync));
  EXPECT_EQ(list(a.instances.first_api_call), list(b.instances.first_api_call));
}

TEST_F(GeneratedExport, OfEachYearGivesTheSameOpsAndInstances) {
  for (const Framework framework : {Framework::pytorch, Framework::tensorflow}) {
    const Profile newest = read(NsysSchema::v2026, framework);
    ASSERT_GT(newest.kernels.size(), 0U);
    expect_same_ops(read(NsysSchema::v2021, framework), newest);
    expect_same_ops(read(NsysSchema::v2023, framework), newest);
  }
}

// (start on the CPU, name, type) of each instance of the forward pass.
std::set<std::tuple<int64_t, std::string, std::string>> forward_instances(const Profile& profile) {
  std::set<std::tuple<int64_t, std::string, std::string>> instances;
  for (profile::Row row = 0; row < profile.instances.size(); ++row) {
    const profile::Row op = profile.instances.op[row];
    if (profile.text(profile.ops.direction[op]) != "fprop") continue;
    instances.emplace(profile.instances.cpu_start_ns[row], profile.text(profile.ops.name[op]),
                      profile.text(profile.ops.type[op]));
  }
  return instances;
}

TEST_F(GeneratedExport, GivesTheForwardOpsOfTheRun) {
  const Profile run = made();
  const auto expected = forward_instances(run);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(forward_instances(read(NsysSchema::v2026)), expected);
}

TEST_F(GeneratedExport, HoldsAllEventsOfTheRun) {
  const Profile run = made();
  for (const NsysSchema schema : kSchemas) {
    const Profile profile = read(schema);
    const Trace& trace = *profile.trace;
    EXPECT_EQ(trace.kernels.size(), run.kernels.size());
    EXPECT_EQ(trace.memcpys.size() + trace.memsets.size(), run.memory_ops.size());
    EXPECT_EQ(trace.syncs.size(), run.syncs.size());
    EXPECT_EQ(trace.api_calls.size(),
              run.kernels.size() + run.memory_ops.size() + run.syncs.size() + run.api_calls.size());
    EXPECT_EQ(list(trace.kernels.start_ns), list(run.kernels.gpu_start_ns));
    EXPECT_EQ(texts(profile, trace.kernels.short_name), texts(run, run.kernels.name));
    EXPECT_THAT(profile.quality, IsEmpty());
  }
}

TEST_F(GeneratedExport, KernelsFindTheCallThatLaunchedThem) {
  const Profile run = made();
  const Profile profile = read(NsysSchema::v2026);
  const Trace& trace = *profile.trace;
  std::map<int64_t, std::size_t> calls;  // of the one process
  for (std::size_t row = 0; row < trace.api_calls.size(); ++row) {
    EXPECT_TRUE(calls.emplace(trace.api_calls.correlation[row], row).second);
  }
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::size_t call = calls.at(trace.kernels.correlation[row]);
    ASSERT_EQ(profile.text(trace.api_calls.name[call]), "cudaLaunchKernel_v7000");
    ASSERT_EQ(trace.api_calls.start_ns[call], run.kernels.api_start_ns[row]);
  }
}

TEST_F(GeneratedExport, TellsInEachYearWhatItsSchemaCarries) {
  const Profile old = read(NsysSchema::v2021);
  EXPECT_EQ(old.source.format, "Nsight Systems, before 2022");
  EXPECT_TRUE(std::ranges::all_of(old.trace->processes, [](const profile::TraceProcess& process) {
    return process.name.empty();
  }));
  EXPECT_EQ(old.trace->duration_ns, std::nullopt);
  EXPECT_TRUE(old.trace->kernels.mangled_name.empty());
  const Profile middle = read(NsysSchema::v2023);
  EXPECT_EQ(middle.source.format, "Nsight Systems 2023.1.2.43");
  EXPECT_EQ(middle.trace->processes.size(), 1U);
  EXPECT_EQ(middle.trace->duration_ns, made().last_ns);
  EXPECT_TRUE(middle.trace->cuda_devices.empty());
  EXPECT_TRUE(middle.trace->kernels.green_context.empty());
  const Profile newest = read(NsysSchema::v2026);
  EXPECT_EQ(newest.source.format, "Nsight Systems 2026.2.1.210");
  EXPECT_EQ(newest.trace->cuda_devices.size(), 2U);
  EXPECT_FALSE(newest.trace->kernels.green_context.empty());
  EXPECT_EQ(newest.system.cuda_version, "11.5");
}

TEST_F(GeneratedExport, StepsFollowEachOtherOnTheMainThread) {
  const Profile profile = read(NsysSchema::v2026);
  const profile::TraceNvtx& nvtx = profile.trace->nvtx;
  std::vector<std::string> steps;
  int64_t last_end_ns = 0;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    if (!profile.text(nvtx.text[row]).starts_with("step ")) continue;
    steps.emplace_back(profile.text(nvtx.text[row]));
    EXPECT_GT(nvtx.start_ns[row], last_end_ns);
    last_end_ns = nvtx.end_ns[row];
  }
  EXPECT_THAT(steps, ElementsAre("step 1", "step 2", "step 3", "step 4"));
}

// Push/pop: a range ends before the one around it does.
TEST_F(GeneratedExport, RangesOfAThreadNest) {
  for (const Framework framework : {Framework::pytorch, Framework::tensorflow}) {
    const Profile profile = read(NsysSchema::v2026, framework);
    const profile::TraceNvtx& nvtx = profile.trace->nvtx;
    std::map<int64_t, std::vector<int64_t>> open_ends_ns;
    for (std::size_t row = 0; row < nvtx.size(); ++row) {
      std::vector<int64_t>& open = open_ends_ns[nvtx.thread[row]];
      while (!open.empty() && open.back() < nvtx.start_ns[row]) open.pop_back();
      ASSERT_TRUE(open.empty() || nvtx.end_ns[row] <= open.back()) << row;
      open.push_back(nvtx.end_ns[row]);
    }
  }
}

TEST_F(GeneratedExport, PyTorchHasTheMarkersOfDlprof) {
  const Profile profile = read(NsysSchema::v2026);
  const std::vector<std::string> all = texts(profile, profile.trace->nvtx.text);
  EXPECT_THAT(all, ::testing::Contains(
                       HasSubstr("'funcStack': '/<module>/ResNet::forward/conv1/conv2d'}")));
  EXPECT_THAT(all, ::testing::Contains(
                       "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', "
                       "'type': 'tensor', 'shape': (128, 2048), 'dtype': 'float16'}, {'name': '', "
                       "'type': 'tensor', 'shape': (1000, 2048), 'dtype': 'float16'}]}"));
  EXPECT_THAT(all, ::testing::Contains(HasSubstr("{\"model_config\": {\"num_workers\": 4, ")));
}

// The backward op carries the number of its forward op.
TEST_F(GeneratedExport, ForwardAndBackwardOpsArePairedByTheirNumber) {
  const Profile profile = read(NsysSchema::v2026);
  std::map<std::string, std::set<std::string>> numbers;  // of each op
  for (const std::string& text : texts(profile, profile.trace->nvtx.text)) {
    const std::size_t comma = text.find(", seq = ");
    if (comma != std::string::npos) numbers[text.substr(0, comma)].insert(text.substr(comma));
  }
  ASSERT_FALSE(numbers["Conv2dBackward0"].empty());
  EXPECT_EQ(numbers["Conv2dBackward0"], numbers["aten::conv2d"]);
}

TEST_F(GeneratedExport, TensorFlowNamesTypeAndOp) {
  const Profile profile = read(NsysSchema::v2023, Framework::tensorflow);
  EXPECT_THAT(texts(profile, profile.trace->nvtx.text),
              ::testing::Contains(::testing::StartsWith("Conv2D: ")));
}

TEST_F(GeneratedExport, AnExistingFileIsKeptUnlessToldOtherwise) {
  base::Progress progress;
  ASSERT_TRUE(generate_nsys(path(), options(), NsysSchema::v2021, progress).ok());
  const base::Status again = generate_nsys(path(), options(), NsysSchema::v2021, progress);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().title, "The file exists");
}

}  // namespace
}  // namespace dlview::generate
