// What the reader takes from events and from the header around them.
#include "import/pytorch/trace_reader.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/pytorch/read_trace.h"

namespace dlview::import::pytorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TraceReaderTest : public TraceText {};

TEST_F(TraceReaderTest, ReadsOps) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": "8", "ts": 10.001,
          "dur": 2.5, "args": {"External id": 3, "Sequence number": 12, "Fwd thread id": 0,
          "Input Dims": [[32, 3], [], [[1, 2]]], "Input type": ["float", "", "TensorList"],
          "Input Strides": [[3, 1], [], []], "Concrete Inputs": ["", "a b", "1"],
          "Call stack": "b.py(2): g;a.py(1): f"}},
         {"ph": "X", "cat": "Operator", "name": "old", "pid": 7, "tid": 8, "ts": 12, "dur": 1,
          "args": {"Input dims": [[32,3],[],[[1,2]]], "kernel_backend": "triton"}},
         {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 7, "tid": 9, "ts": 1})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->host.size(), 4U);
  const HostEvent& op = trace->host[0];
  EXPECT_EQ(op.start_ns, 10'001);
  EXPECT_EQ(op.stop_ns, 12'501);
  EXPECT_EQ(op.sequence_number, 12);
  EXPECT_EQ(op.forward_thread, 0);
  EXPECT_EQ(trace.text(op.call_stack), "b.py(2): g;a.py(1): f");
  const OpInputs& inputs = trace->op_inputs[op.inputs];
  EXPECT_EQ(trace.text(inputs.dims), "[[32,3],[],[[1,2]]]");
  EXPECT_EQ(trace.text(inputs.types), R"(["float","","TensorList"])");
  EXPECT_EQ(trace.text(inputs.strides), "[[3,1],[],[]]");
  EXPECT_EQ(trace.text(inputs.concrete), R"(["","a b","1"])");
  const HostEvent& old = trace->host[1];
  EXPECT_TRUE(old.is_triton);
  EXPECT_EQ(old.thread, op.thread) << "a number and its text";
  EXPECT_EQ(trace->op_inputs[old.inputs].dims, inputs.dims);
  EXPECT_EQ(old.sequence_number, kNoValue);
  const HostEvent& step = trace->host[2];
  EXPECT_EQ(step.kind, HostEvent::Kind::annotation);
  EXPECT_EQ(step.stop_ns, step.start_ns) << "without a duration";
  EXPECT_EQ(step.inputs, HostEvent::kNoInputs);
  EXPECT_EQ(trace->threads.size(), 3U);
  EXPECT_EQ(trace->threads[step.thread].thread, "9");
  EXPECT_EQ(trace->x_events, 4);
  EXPECT_EQ(trace->span->start_ns, 1000);
  EXPECT_EQ(trace->span->stop_ns, 13'000);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(TraceReaderTest, ReadsCollectives) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 8, "ts": 1,
          "args": {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 10,
          "Out msg nelems": 11, "Group size": 2, "Process Group Name": "0", "Rank": 1,
          "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]",
          "Src Rank": 3, "Dst Rank": 4, "Seq": 5, "Comms Id": 10159970886766084423}},
         {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 8, "ts": 2})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->collectives.size(), 2U);
  EXPECT_EQ(trace->collectives[1].name, 0U) << "one without arguments";
  const CollectiveEvent& each = trace->collectives[0];
  EXPECT_EQ(each.host_event, 0U);
  EXPECT_EQ(trace.text(each.name), "allreduce");
  EXPECT_EQ(trace.text(each.data_type), "Float");
  EXPECT_EQ(trace.text(each.group_name), "0");
  EXPECT_EQ(trace.text(each.group_description), "default_pg");
  EXPECT_EQ(trace.text(each.group_ranks), "[0, 1]");
  EXPECT_THAT(std::vector({each.in_elements, each.out_elements, each.group_size, each.rank,
                           each.source_rank, each.target_rank, each.sequence}),
              ElementsAre(10, 11, 2, 1, 3, 4, 5));
  EXPECT_THAT(trace.notes, IsEmpty()) << "numbers that are not read may have any size";
}

TEST_F(TraceReaderTest, ReadsCalls) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": 1,
          "dur": 2, "args": {"cbid": 211, "correlation": "77", "external id": 5}},
         {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 7, "tid": 8, "ts": 4},
         {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 7, "tid": 8, "ts": 5,
          "args": {"grid": [4, 2, 1], "block": [256, 1, 1]}},
         {"ph": "X", "cat": "mtia_runtime", "name": "run", "pid": 7, "tid": 8, "ts": 6})");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->calls.size(), 4U);
  EXPECT_EQ(trace->calls[0].correlation, 77);
  EXPECT_EQ(trace->calls[0].layer, profile::ApiLayer::runtime);
  EXPECT_EQ(trace->calls[0].grid, (profile::Dim3{0, 0, 0}));
  EXPECT_EQ(trace->calls[1].layer, profile::ApiLayer::driver);
  EXPECT_EQ(trace->calls[1].correlation, kNoValue);
  EXPECT_EQ(trace->calls[2].grid, (profile::Dim3{4, 2, 1}));
  EXPECT_EQ(trace->calls[2].block, (profile::Dim3{256, 1, 1}));
}

TEST_F(TraceReaderTest, ReadsGpuActivity) {
  const ReadTrace trace = read_list(
      R"j({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
          "args": {"queued": 0, "device": 3, "context": 1, "stream": 9, "correlation": 77,
          "registers per thread": 32, "shared memory": 1024, "blocks per SM": 0.5,
          "warps per SM": "inf", "grid": [1, 2, 3], "block": [4, 5, 6], "graph id": 8,
          "graph node id": 10, "est. achieved occupancy %": 0,
          "occupancy": {"limitingFactors": "REGS|SMEM", "allocated": {"grid": [9, 9, 9]}}}},
         {"ph": "X", "cat": "Kernel", "name": "old", "pid": 2, "tid": "stream 7", "ts": 2},
         {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP", "pid": 0, "tid": 7, "ts": 3,
          "args": {"fromDevice": 1, "inDevice": 5, "toDevice": 2, "bytes": 400}},
         {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": 7, "ts": 5,
          "args": {"cuda_sync_kind": "Event Sync", "stream": 4294967295, "correlation": 6,
          "device": 0, "context": 1, "wait_on_cuda_event_id": 12}})j");
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->kernels.size(), 2U);
  const KernelEvent& kernel = trace->kernels[0];
  EXPECT_THAT(std::vector({kernel.device, kernel.context, kernel.stream, kernel.correlation,
                           kernel.registers_per_thread, kernel.shared_bytes,
                           kernel.occupancy_percent, kernel.graph, kernel.graph_node}),
              ElementsAre(3, 1, 9, 77, 32, 1024, 0, 8, 10));
  EXPECT_EQ(kernel.grid, (profile::Dim3{1, 2, 3}));
  EXPECT_EQ(kernel.block, (profile::Dim3{4, 5, 6}));
  EXPECT_EQ(kernel.blocks_per_sm, 0.5);
  EXPECT_LT(kernel.warps_per_sm, 0);
  EXPECT_EQ(trace->kernels[1].device, 2) << "by the process";
  EXPECT_EQ(trace->kernels[1].stream, 7);
  EXPECT_EQ(trace->kernels[1].occupancy_percent, kNoValue);
  EXPECT_EQ(trace->memcpys[0].device, 5);
  EXPECT_EQ(trace->memcpys[0].bytes, 400);
  EXPECT_EQ(trace->memsets[0].bytes, kNoValue);
  EXPECT_EQ(trace.text(trace->syncs[0].kind), "Event Sync");
  EXPECT_EQ(trace->syncs[0].stream, kNoValue);
  EXPECT_EQ(trace->syncs[0].event, 12);
  EXPECT_EQ(trace->threads.size(), 1U) << "streams are no threads";
}

TEST_F(TraceReaderTest, ReadsDecimalsAsTheLibraryDoes) {
  std::mt19937_64 random(1);
  std::vector<std::string> numbers{"0.1", "0.000001",        "12.", "1.5e3", "-0.5",
                                   "3",   "0.30000000000001"};
  for (int i = 0; i < 2000; ++i) {
    numbers.push_back(std::to_string(random() % 1'000'000));
    numbers.back().insert(random() % numbers.back().size() + 1, ".");
  }
  std::string events;
  for (const std::string& number : numbers) {
    events += R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "args": )";
    events += "{\"blocks per SM\": " + number + "}},\n";
  }
  events.resize(events.size() - 2);
  const ReadTrace trace = read_list_with(events, {});
  ASSERT_TRUE(trace.events);
  ASSERT_EQ(trace->kernels.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(trace->kernels[i].blocks_per_sm, std::strtod(numbers[i].c_str(), nullptr))
        << numbers[i];
  }
}

TEST_F(TraceReaderTest, ReadsModulesAndAllFramesOnRequest) {
  constexpr const char* kFrames =
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_3", "pid": 1, "tid": 2,
          "ts": 1, "args": {"Python id": 5, "Python parent id": 4, "Python module id": 3}},
         {"ph": "X", "cat": "python_function", "name": "a.py(1): f", "pid": 0, "tid": 0, "ts": 0,
          "args": {"Python id": 4, "Python parent id": null}})";
  const ReadTrace trace = read_list(kFrames);
  ASSERT_EQ(trace->modules.size(), 1U);
  EXPECT_EQ(trace->frames, 2);
  EXPECT_EQ(trace->x_events, 3);
  EXPECT_EQ(trace->span->start_ns, 0) << "frames count";
  EXPECT_EQ(trace.text(trace->modules[0].name), "nn.Module: Linear_3");
  EXPECT_EQ(trace->modules[0].id, 5);
  EXPECT_EQ(trace->modules[0].parent, 4);
  EXPECT_EQ(trace->modules[0].module_id, 3);
  const ReadTrace all = read(fmt::format("[{},{}]", kFrames, kOp), {.all_frames = true});
  ASSERT_EQ(all->modules.size(), 2U);
  EXPECT_EQ(all->modules[1].parent, kNoValue);
}

TEST_F(TraceReaderTest, ReadsAllocations) {
  const ReadTrace trace = read_list(
      R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 2,
          "ts": 9, "args": {"Addr": 140216842854592, "Bytes": -8, "Total Allocated": 100,
          "Total Reserved": 200, "Device Type": 1, "Device Id": 0}},
         {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": "2", "ts": 10,
          "args": {"Device Type": 0, "Device Id": -1, "Bytes": 4}})");
  ASSERT_EQ(trace->allocations.size(), 2U);
  const AllocationEvent& each = trace->allocations[0];
  EXPECT_THAT(std::vector({each.time_ns, each.address, each.bytes, each.total_allocated,
                           each.total_reserved, each.device_type, each.device}),
              ElementsAre(9000, 140216842854592, -8, 100, 200, 1, 0));
  EXPECT_EQ(trace->allocations[1].total_allocated, kNoValue);
  EXPECT_EQ(trace->allocations[1].thread, each.thread);
}

// "counter|value|process: time=value".
std::vector<std::string> counters_of(const ReadTrace& trace) {
  std::vector<std::string> all;
  for (const CounterEvent& each : trace->counters) {
    const CounterSeries& series = trace->counter_series.at(each.series);
    all.push_back(fmt::format("{}|{}|{}: {}={}", trace.text(series.counter),
                              trace.text(series.value), trace.text(series.process), each.time_ns,
                              each.value));
  }
  return all;
}

TEST_F(TraceReaderTest, ReadsCounters) {
  const std::string events = fmt::format(
      R"([{},{{"ph": "C", "name": "Queue Length", "pid": 1, "ts": 3.001, "cat": "hardware_counters",
          "args": {{"stream 7": 3, "stream 20": -0.25}}}},
         {{"ph": "C", "name": "Queue Length", "pid": "1", "tid": 5, "ts": 2,
          "args": {{"stream 7": 1e3}}}},
         {{"ph": "C", "name": "Queue Length", "pid": "MTIA 17", "ts": 4,
          "args": {{"stream 7": 2, "a": "b", "c": inf, "d": [1], "e": 1e999, "\u0066": 7}}}},
         {{"ph": "C", "name": "without arguments", "pid": 1, "ts": 4}},
         {{"ph": "C", "name": "without a time", "pid": 1, "args": {{"a": 1}}}}])",
      kOp);
  for (const std::size_t block_bytes : {std::size_t{61}, std::size_t{1} << 20}) {
    const ReadTrace trace = read(events, {.block_bytes = block_bytes});
    EXPECT_THAT(
        counters_of(trace),
        ElementsAre("Queue Length|stream 7|1: 3001=3", "Queue Length|stream 20|1: 3001=-0.25",
                    "Queue Length|stream 7|1: 2000=1000", "Queue Length|stream 7|MTIA 17: 4000=2",
                    "Queue Length|f|MTIA 17: 4000=7"));
    EXPECT_EQ(trace->counter_series.size(), 4U);
    EXPECT_EQ(trace->x_events, 1) << "they are no work";
    EXPECT_THAT(trace->skipped, IsEmpty());
    EXPECT_EQ(trace.reasons(),
              (std::map<std::string, int64_t>{{"an event without a start time is left out", 1}}));
  }
}

TEST_F(TraceReaderTest, LimitsTheSeriesOfCounters) {
  std::string list(kOp);
  for (int i = 0; i < 600; ++i) {
    list += fmt::format(R"(,{{"ph": "C", "name": "c{}", "pid": 1, "ts": {}, "args": {{"v": 1}}}})",
                        i % 300, i);
  }
  const ReadTrace trace = read("[" + list + "]", {.block_bytes = 1000});
  EXPECT_EQ(trace->counter_series.size(), 256U);
  EXPECT_EQ(trace->counters.size(), 512U);
  ASSERT_EQ(trace->skipped.size(), 1U);
  EXPECT_EQ(trace->skipped[0].category, "counters");
  EXPECT_EQ(trace->skipped[0].count, 88);
}

TEST_F(TraceReaderTest, NamesThreads) {
  const ReadTrace trace = read_list(
      R"j({"name": "process_name", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"name": "python"}},
         {"name": "thread_name", "ph": "M", "ts": 1, "pid": "1", "tid": 2,
          "args": {"name": "thread 2 (pt_main)"
}
},
         {"name": "process_labels", "ph": "M", "ts": 1, "pid": 1, "tid": 0, "args": {"labels": "CPU"}},
         {"name": "thread_name", "ph": "M", "ts": 1, "pid": 0, "tid": 7, "args": {"name": "stream 7"}})j");
  ASSERT_EQ(trace->threads.size(), 1U);
  EXPECT_EQ(trace->threads[0].process, "1");
  EXPECT_EQ(trace->threads[0].process_name, "python");
  EXPECT_EQ(trace->threads[0].thread_name, "thread 2 (pt_main)");
}

TEST_F(TraceReaderTest, SkipsWhatIsNotShown) {
  const ReadTrace trace = read_list(
      R"j({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "a",
          "ts": 0, "dur": 99999},
         {"ph": "s", "id": 1, "pid": 1, "tid": 2, "ts": 0, "cat": "ac2g", "name": "ac2g"},
         {"ph": "f", "id": 1, "pid": 1, "tid": 2, "ts": 0, "cat": "fwdbwd", "name": "b", "bp": "e"},
         {"ph": "X", "cat": "gpu_user_annotation", "name": "a", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "hardware_counters", "name": "e", "pid": 0, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "hardware_counters", "name": "e", "pid": 0, "tid": 7, "ts": 4},
         {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 9e15})j");
  std::map<std::string, int64_t> skipped;
  for (const SkippedEvents& each : trace->skipped) skipped[each.category] = each.count;
  EXPECT_EQ(skipped,
            (std::map<std::string, int64_t>{{"gpu_user_annotation", 1}, {"hardware_counters", 2}}));
  EXPECT_EQ(trace->x_events, 4);
  EXPECT_EQ(trace->span->start_ns, 4000);
  EXPECT_EQ(trace->span->stop_ns, 6000);
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST_F(TraceReaderTest, ReadsOverheadOfTheProfiler) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 4, "dur": 2},
         {"ph": "B", "cat": "overhead", "name": "Lazy Function Loading", "pid": -1, "tid": 0, "ts": 9},
         {"ph": "E", "name": "Lazy Function Loading", "pid": -1, "tid": 0, "ts": 11})");
  EXPECT_THAT(trace.names(trace->overheads), ElementsAre("Buffer Flush", "Lazy Function Loading"));
  EXPECT_EQ(trace->overheads[0].stop_ns, 6000);
  EXPECT_EQ(trace->overheads[1].start_ns, 9000);
  EXPECT_EQ(trace->overheads[1].stop_ns, 11000);
  EXPECT_EQ(trace->span->stop_ns, 11000);
  EXPECT_THAT(trace->skipped, IsEmpty());
}

TEST_F(TraceReaderTest, UnknownCategoriesStayIfTheirProcessIsAHost) {
  const ReadTrace trace = read_list(
      R"({"ph": "X", "cat": "npu_events", "name": "a", "pid": 17, "tid": 7, "ts": 4},
         {"ph": "X", "cat": "hpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 4},
         {"ph": "X", "cat": "hpu_op", "name": "c", "pid": 1, "tid": 3, "ts": 4})");
  EXPECT_THAT(trace.names(trace->host), ElementsAre("b", "c", "aten::mm"));
  EXPECT_EQ(trace->host[0].kind, HostEvent::Kind::other);
  EXPECT_EQ(std::ranges::count(trace->threads, true, &TraceEventThread::is_used), 2);
  ASSERT_EQ(trace->skipped.size(), 1U);
  EXPECT_EQ(trace->skipped[0].category, "npu_events");
  EXPECT_EQ(trace.reasons(), (std::map<std::string, int64_t>{{"unknown category \"npu_events\"", 1},
                                                             {"unknown category \"hpu_op\"", 2}}));
}

TEST_F(TraceReaderTest, ReadsTheHeaderOnBothSidesOfTheEvents) {
  const ReadTrace trace =
      read(std::string("\xef\xbb\xbf {\"traceEvents\": [") + kOp + R"(], "user": {"rank": 9},
      "deviceProperties": [{"id": 2, "name": "H100", "totalGlobalMem": 85051572224,
      "computeMajor": 9, "computeMinor": 0, "numSms": 132}, {"id": 3, "name": ""}],
      "distributedInfo": {"backend": "nccl", "rank": 34, "world_size": 300, "nccl_version": "2.20"},
      "record_shapes": 1, "with_stack": 0, "cuda_runtime_version": 12040,
      "baseTimeNanoseconds": 1767225600000000000, "PT_PROFILER_JOB_NAME": "secret"})");
  const TraceHeader& header = trace->header;
  EXPECT_EQ(header.base_time_ns, 1767225600000000000);
  ASSERT_EQ(header.devices.size(), 2U);
  EXPECT_EQ(header.devices[0].id, 2);
  EXPECT_EQ(header.devices[0].name, "H100");
  EXPECT_EQ(header.devices[0].memory_bytes, 85051572224);
  EXPECT_EQ(header.devices[0].sm_count, 132);
  EXPECT_EQ(header.devices[0].compute_capability_major, 9);
  EXPECT_EQ(header.devices[1].sm_count, std::nullopt);
  EXPECT_EQ(header.record_shapes, true);
  EXPECT_EQ(header.with_stack, false);
  EXPECT_EQ(header.profile_memory, std::nullopt);
  EXPECT_EQ(header.cuda_runtime_version, "12040");
  EXPECT_EQ(header.backend, "nccl");
  EXPECT_EQ(header.nccl_version, "2.20");
  EXPECT_EQ(header.rank, 34);
  EXPECT_EQ(header.world_size, 300);
}

}  // namespace
}  // namespace dlview::import::pytorch
