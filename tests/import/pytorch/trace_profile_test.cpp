// What else a profile has of a PyTorch profiler trace: steps, times, processes, devices, copies.

#include "import/pytorch/trace_profile.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "profile/recorded.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EventSketch;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::op_lines;

TEST(TraceSteps, SplitTheRunByTheirNumbers) {
  EventSketch sketch;
  for (int64_t step = 5; step < 9; ++step) {
    const int64_t at = (step - 5) * 1000;
    sketch.annotation("ProfilerStep#" + std::to_string(step), at, at + 900);
    sketch.op("aten::add", at + 100, at + 200);
    sketch.launch("k", at + 110);
  }
  const Profile profile = std::move(sketch).finish();
  aggregate::Cut cut = aggregate::default_cut(aggregate::KeyRanking(profile));
  EXPECT_EQ(cut.key_op, "ProfilerStep");
  cut.split_by = aggregate::SplitBy::host;
  const aggregate::Iterations iterations = aggregate::cut_iterations(profile, cut);
  ASSERT_EQ(iterations.rows.size(), 4U);
  EXPECT_EQ(iterations.rows[1].start_ns, 1000);
  EXPECT_EQ(iterations.ranges[3].number, 8);
  EXPECT_EQ(iterations.ranges[3].duration_ns(), 900);
  EXPECT_EQ(iterations.rows[3].stop_ns, 3900);
}

TEST(TraceTimes, CountFromTheFirstEvent) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.events.header.base_time_ns = 5;
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.trace->utc_start_ns, EventSketch::kOrigin + 5);
  EXPECT_EQ(profile.trace->duration_ns, 100);
  EXPECT_EQ(profile.trace->nvtx.start_ns[0], 0);
}

TEST(TraceThreads, HaveNumbersAndNames) {
  EventSketch sketch;
  sketch.events.threads.push_back({"CPU functions", "stream 7", "", ""});
  sketch.events.threads.push_back({"100", "103", "python", "thread 103 (pt_autograd_1)"});
  sketch.op("aten::add", 0, 100);
  sketch.op("aten::mul", 0, 100, 2);
  const Profile profile = std::move(sketch).finish();
  const profile::Trace& trace = *profile.trace;
  ASSERT_EQ(trace.processes.size(), 2U);
  EXPECT_EQ(trace.processes[std::size_t{0}].number, -1);
  EXPECT_EQ(trace.processes[std::size_t{0}].name, "CPU functions");
  EXPECT_EQ(trace.processes[std::size_t{1}].number, 100);
  EXPECT_EQ(trace.threads[std::size_t{0}].name, "stream 7");
  EXPECT_EQ(trace.threads[std::size_t{2}].name, "pt_autograd_0");
  EXPECT_EQ(trace.threads[std::size_t{3}].name, "pt_autograd_1");
  EXPECT_EQ(trace.numbers_of(trace.nvtx.thread[0]), (profile::Thread{100, 100}));
}

TEST(TraceProcesses, OfGpuActivityAreThoseOfItsCall) {
  EventSketch sketch;
  sketch.events.threads.push_back({"200", "200", "", ""});
  sketch.call("cudaLaunchKernel", 0, 10, 1);
  sketch.call("cudaLaunchKernel", 20, 30, 2, 2);
  sketch.kernel("k", 40, 50, 2);
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.trace->numbers_of(profile.trace->kernels.process[0]).process_id, 200);
}

TEST(TraceProcesses, OfEqualCorrelationsAreThoseOfTheGpu) {
  EventSketch sketch;
  sketch.events.threads.push_back({"200", "200", "", ""});
  sketch.call("cudaLaunchKernel", 0, 10, 1);
  sketch.call("cudaLaunchKernel", 20, 30, 1, 2);
  sketch.call("cudaLaunchKernel", 40, 50, 2, 2);
  sketch.kernel("k", 60, 70, 1).device = 3;
  sketch.kernel("k", 70, 80, 2).device = 3;
  sketch.kernel("k", 70, 80, 1).device = 4;
  const Profile profile = std::move(sketch).finish();
  const auto& process = profile.trace->kernels.process;
  EXPECT_EQ(profile.trace->numbers_of(process[0]).process_id, 200);
  EXPECT_EQ(profile.trace->numbers_of(process[1]).process_id, 200);
  EXPECT_EQ(process[2], kNoValue);
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].rows, 1);
}

TEST(TraceDevices, AreTheOnlyOneThatIsRecorded) {
  EventSketch sketch;
  sketch.kernel("k", 20, 30, 1).device = 3;
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 3);
  EXPECT_EQ(profile.devices[std::size_t{0}].sm_count, 132);
}

TEST(TraceDevices, OfNvidiaHaveACapability) {
  EventSketch sketch;
  sketch.launch("k", 0);
  AllocationEvent allocation;
  allocation.device_type = 1;
  allocation.device = 0;
  allocation.total_reserved = 1 << 20;
  sketch.events.allocations = {allocation};
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.devices.size(), 1U);
  const profile::Device& device = profile.devices[std::size_t{0}];
  EXPECT_EQ(device.name, "NVIDIA H100");
  EXPECT_EQ(device.vendor, profile::Vendor::nvidia);
  EXPECT_EQ(device.compute_capability_major, 9);
  EXPECT_EQ(device.sm_count, 132);
  EXPECT_EQ(device.memory_used_bytes, 1 << 20);
  EXPECT_EQ(profile.system.cuda_version, "12.9");
  EXPECT_EQ(profile.system.framework, "PyTorch");
}

TEST(TraceDevices, OfAmdHaveNone) {
  EventSketch sketch;
  sketch.events.header = {};
  sketch.events.header.hip_runtime_version = "60443483";
  sketch.events.header.devices.push_back({0, "", int64_t{192} << 30, 304, 9, 4});
  sketch.call("hipExtModuleLaunchKernel", 0, 10, 1).grid = {65536, 1, 1};
  sketch.events.calls.back().block = {256, 1, 1};
  sketch.kernel("Cijk_Ailk_Bljk", 20, 30, 1);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.devices.size(), 1U);
  const profile::Device& device = profile.devices[std::size_t{0}];
  EXPECT_EQ(device.vendor, profile::Vendor::amd);
  EXPECT_EQ(device.compute_capability_major, 0);
  EXPECT_EQ(device.sm_count, 304);
  EXPECT_EQ(profile.system.cuda_version, "HIP 6.4.43483");
  EXPECT_EQ(profile.trace->kernels.grid[0], (profile::Dim3{256, 1, 1}));
  EXPECT_EQ(profile.trace->kernels.block[0], (profile::Dim3{256, 1, 1}));
}

TEST(TraceDevices, AreThoseThatWorked) {
  EventSketch sketch;
  sketch.events.header.devices.push_back({1, "NVIDIA H100", int64_t{80} << 30, 132, 9, 0});
  sketch.kernel("k", 20, 30, 1).device = 1;
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 1);
  EXPECT_EQ(profile.system.gpu_count, "2");
}

TEST(TraceCopies, CountTheirBytes) {
  EventSketch sketch;
  sketch.op("aten::copy_", 0, 100);
  sketch.call("cudaMemcpyAsync", 10, 20, 1);
  sketch.memcpy("Memcpy HtoD (Pageable -> Device)", 30, 40, 1, 4096);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.memory_ops.size(), 1U);
  EXPECT_EQ(profile.memory_ops.bytes[0], 4096);
  EXPECT_EQ(profile.memory_ops.copy_kind[0], profile::CopyKind::host_to_device);
  EXPECT_EQ(profile.text(profile.memory_ops.name[0]), "cudaMemcpyAsync");
}

std::vector<std::string> lacks_of(const Profile& profile) {
  std::vector<std::string> lacks;
  for (const profile::NotRecorded& item : profile.not_recorded) lacks.push_back(item.what);
  return lacks;
}

TEST(TraceRank, IsTheProgram) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.events.header.rank = 3;
  sketch.events.header.world_size = 8;
  sketch.events.header.backend = "nccl";
  sketch.events.header.nccl_version = "2.20.5";
  sketch.events.header.process_groups = 4;
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.trace->capture.program, "rank 3 of 8, nccl 2.20.5, 4 process groups");
  EXPECT_EQ(profile.trace->capture.backend, "nccl");
}

TEST(TraceLacks, NameOptionsOfTheProfiler) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(lacks_of(profile),
              ElementsAre(profile::kNoGpuWorkAndCalls, "Iteration markers (ProfilerStep)",
                          profile::kNoDataLoader, "Input shapes and data types",
                          "Modules and Python frames", "GPU memory in use",
                          "Stream synchronization", "I/O time"));
  for (const profile::NotRecorded& item : profile.not_recorded) {
    EXPECT_THAT(item.remedy, ::testing::Not(HasSubstr("nsys"))) << item.what;
  }
}

TEST(TraceLacks, NameTotalsOfAllocationsWithoutThem) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.events.allocations.push_back({.time_ns = 10, .bytes = 512, .device_type = 1});
  const std::vector<std::string> old = lacks_of(std::move(sketch).finish());
  EXPECT_THAT(old, ::testing::Contains("Totals of allocated memory"));
  EXPECT_THAT(old, ::testing::Not(::testing::Contains("GPU memory in use")));
}

// "counter|value|process|device: time=value ...".
std::vector<std::string> counter_lines(const Profile& profile) {
  std::vector<std::string> all;
  const profile::TraceCounters& counters = profile.trace->counters;
  for (std::size_t i = 0; i < counters.series.size(); ++i) {
    const profile::TraceCounters::Series& series = counters.series[i];
    std::string line = series.counter + "|" + series.value + "|" + series.process + "|" +
                       (series.device ? std::to_string(*series.device) : "-") + ":";
    const std::size_t end =
        i + 1 < counters.series.size() ? counters.series[i + 1].first : counters.size();
    for (std::size_t row = series.first; row < end; ++row) {
      line += fmt::format(" {}={}", counters.time_ns[row], counters.value[row]);
    }
    all.push_back(line);
  }
  return all;
}

TEST(TraceCounters, LieBySeriesInOrderOfTime) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.launch("k", 10);
  sketch.counter("Queue Length", "stream 7", 0, 50, 2);
  sketch.counter("power", "W", 0, 60, 300.5);
  sketch.counter("Queue Length", "stream 7", 0, 20, 1);
  sketch.counter("Queue Length", "stream 7", 0, 50, 0);
  sketch.counter("Queue Length", "stream 7", 4711, 70, 9);
  const std::size_t calls = 1;
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(counter_lines(profile),
              ElementsAre("Queue Length|stream 7|0|0: 20=1 50=2 50=0", "power|W|0|0: 60=300.5",
                          "Queue Length|stream 7|4711|-: 70=9"));
  EXPECT_EQ(profile.kernels.size(), 1U) << "nothing else counts them";
  EXPECT_EQ(profile.api_calls.size() + profile.launches.size(), calls);
  EXPECT_EQ(profile.instances.size(), 1U);
}

TEST(TraceCounters, OfAHostWithTheNumberOfAGpuAreNotItsOwn) {
  EventSketch sketch;
  sketch.events.threads[0].process = sketch.events.threads[1].process = "0";
  sketch.op("aten::add", 0, 100);
  sketch.launch("k", 10);
  sketch.counter("Queue Length", "stream 7", 0, 50, 2);
  EXPECT_THAT(counter_lines(std::move(sketch).finish()),
              ElementsAre("Queue Length|stream 7|0|-: 50=2"));
}

TEST(TraceLacks, EndWithWhatWasRecorded) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#1", 0, 1000);
  sketch.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 20);
  sketch.module("Net_0", 30, 200);
  sketch.op("aten::add", 30, 100).inputs = sketch.inputs("[[1]]", "[\"float\"]");
  sketch.launch("k", 40);
  sketch.call("cudaMalloc", 20, 21, 99);
  AllocationEvent allocation;
  allocation.device_type = 1;
  allocation.device = 0;
  allocation.total_reserved = 1;
  sketch.events.allocations = {allocation};
  sketch.sync("Context Sync", 50, 50, kNoValue);
  EXPECT_THAT(lacks_of(std::move(sketch).finish()), ElementsAre("I/O time"));
}

TEST(TraceContents, CountWhatIsNotShown) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.events.skipped = {{"gpu_user_annotation", 3}, {"of_tomorrow", 1}};
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.recorded_tables.size(), 3U);
  EXPECT_EQ(profile.recorded_tables[0].name, "cpu_op");
  EXPECT_EQ(profile.recorded_tables[1].name, "gpu_user_annotation");
  EXPECT_EQ(profile.recorded_tables[1].what, "Annotations on GPU streams");
  EXPECT_EQ(profile.recorded_tables[1].rows, 3);
  EXPECT_EQ(profile.recorded_tables[2].what, "");
}

TEST(TraceNotes, NameEventsThatStopBeforeTheyStart) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.op("aten::mul", 50, 40);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::add|fprop 0-100"));
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].reason, "it stops before it starts");
}

}  // namespace
}  // namespace dlview::import::pytorch
