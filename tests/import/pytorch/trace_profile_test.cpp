// Which events of a PyTorch profiler trace become which ops, and what GPU activity goes to them.

#include "import/pytorch/trace_profile.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/trace_columns.h"
#include "import/pytorch/trace_ops.h"
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

constexpr uint32_t kAutograd = EventSketch::kAutograd;
constexpr const char* kEvaluate = "autograd::engine::evaluate_function: ";

// "AddmmBackward0 210 < linear 10": what caused each backward instance.
std::vector<std::string> forward_lines(const Profile& profile) {
  const profile::OpInstances& instances = profile.instances;
  const auto described = [&](profile::InstanceIndex i) {
    const std::string_view name = profile.text(profile.ops.name[instances.op[i]]);
    return std::string(name.substr(name.rfind('/') + 1)) + " " +
           std::to_string(instances.cpu_start_ns[i]);
  };
  std::vector<std::string> lines;
  for (profile::InstanceIndex i{0}; i < instances.forward.size(); ++i) {
    if (instances.forward[i] == profile::kNoRow) continue;
    lines.push_back(described(i) + " < " + described(instances.forward[i]));
  }
  return lines;
}

TEST(OpNames, AreThoseOfOps) {
  EXPECT_EQ(op_name("aten::add", false, false), "aten::add");
  EXPECT_EQ(op_name("my.lib::op", false, false), "my.lib::op");
  EXPECT_EQ(op_name("torch::autograd::AccumulateGrad", false, false),
            "torch::autograd::AccumulateGrad");
  EXPECT_EQ(op_name("AddmmBackward0", true, false), "AddmmBackward0");
  EXPECT_EQ(op_name(std::string(kEvaluate) + "MulBackward0", false, false), "MulBackward0");
  EXPECT_EQ(op_name("triton_poi_fused_add_0", false, true), "triton_poi_fused_add_0");
}

TEST(OpNames, AreNotThoseOfRanges) {
  EXPECT_EQ(op_name("AddmmBackward0", false, false), std::nullopt);
  EXPECT_EQ(op_name("record_param_comms", false, false), std::nullopt);
  EXPECT_EQ(op_name("Torch-Compiled Region: 0/1", true, false), std::nullopt);
  EXPECT_EQ(op_name("CompiledFunctionBackward", true, false), std::nullopt);
  EXPECT_EQ(op_name(std::string(kEvaluate) + "CheckpointFunctionBackward", true, false),
            std::nullopt);
  EXPECT_EQ(op_name("## a::b ##", false, false), std::nullopt);
  EXPECT_EQ(op_name("9lives::x", false, false), std::nullopt);
  EXPECT_EQ(op_name("a.::b", false, false), std::nullopt);
}

TEST(OpTypes, EndBehindTheLastColons) {
  EXPECT_EQ(op_type("aten::addmm"), "addmm");
  EXPECT_EQ(op_type("AddmmBackward0"), "AddmmBackward");
  EXPECT_EQ(op_type("aten::conv2d"), "conv2d");
}

TEST(DataTypes, AreThoseOfTheFirstFloats) {
  EXPECT_EQ(data_type_of(R"(["long int","","c10::BFloat16","float"])"), "bfloat16");
  EXPECT_EQ(data_type_of(R"(["Scalar","long int","int"])"), "int64");
  EXPECT_EQ(data_type_of(R"(["TensorList",""])"), "");
  EXPECT_EQ(data_type_of(""), "");
}

TEST(TraceOps, AreTheOutermost) {
  EventSketch sketch;
  sketch.op("aten::linear", 10, 100);
  sketch.op("aten::addmm", 20, 90);
  sketch.launch("gemm", 30);
  EXPECT_THAT(op_lines(std::move(sketch).finish()), ElementsAre("/aten::linear|fprop 10-100 gemm"));
}

TEST(TraceOps, OfLibrariesAreEligibleByTheirWholeName) {
  EventSketch sketch;
  sketch.op("aiter::gemm_a16w16", 10, 20);
  sketch.op("aiter::rmsnorm", 30, 40);
  sketch.op("mylib::gemm_a16w16", 50, 60);
  sketch.op("aten::mm", 70, 80);
  const Profile profile = std::move(sketch).finish();
  std::vector<std::string_view> eligible;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (profile.is_eligible(op)) eligible.push_back(profile.text(profile.ops.name[op]));
  }
  EXPECT_THAT(eligible, ElementsAre("/aiter::gemm_a16w16", "/aten::mm"));
}

TEST(TraceOps, LieInAnnotationsAndModules) {
  EventSketch sketch;
  sketch.annotation("ProfilerStep#3", 0, 1000);
  sketch.annotation("forward", 10, 200);
  sketch.module("Net_0", 20, 190);
  sketch.module("Linear_1", 30, 180);
  sketch.op("aten::linear", 40, 100);
  sketch.launch("gemm", 50);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/forward/Net_0/Linear_1/aten::linear|fprop 40-100 gemm"));
}

TEST(TraceOps, LieInWhatIsOpenAtTheirStart) {
  EventSketch sketch;
  sketch.module("Linear_1", 30, 60);
  sketch.op("aten::linear", 40, 100);  // by another clock, it ends behind its module
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/Linear_1/aten::linear|fprop 40-100"));
}

TEST(TraceOps, OfTheBackwardPassLieWithTheirForwardOp) {
  EventSketch sketch;
  sketch.annotation("forward", 0, 100);
  sketch.module("Linear_1", 5, 90);
  sketch.forward("aten::linear", 10, 50, 7);
  sketch.forward("aten::relu", 60, 80, 8);
  sketch.annotation("backward", 200, 400);
  sketch.op(std::string(kEvaluate) + "AddmmBackward0", 210, 300, kAutograd);
  sketch.backward("AddmmBackward0", 220, 290, 7);
  sketch.launch("gemm", 230, kAutograd);
  // The evaluation itself has no number: the function in it has.
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              Contains("/forward/Linear_1/AddmmBackward0|bprop 210-300 gemm"));
}

TEST(TraceOps, FindTheirForwardOpByTheEvaluation) {
  EventSketch sketch;
  sketch.module("Linear_1", 5, 90);
  sketch.forward("aten::linear", 10, 50, 7);
  sketch.backward(std::string(kEvaluate) + "AddmmBackward0", 210, 300, 7);
  sketch.backward("AddmmBackward0", 220, 290, 7);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(op_lines(profile), Contains("/Linear_1/AddmmBackward0|bprop 210-300"));
  EXPECT_THAT(forward_lines(profile), ElementsAre("AddmmBackward0 210 < aten::linear 10"));
}

TEST(TraceOps, TakeTheLatestOfEqualSequenceNumbers) {
  EventSketch sketch;
  sketch.module("Linear_1", 5, 90);
  sketch.forward("aten::linear", 10, 20, 7);
  sketch.module("Linear_2", 100, 190);
  sketch.forward("aten::linear", 110, 120, 7);
  sketch.backward("AddmmBackward0", 210, 300, 7);
  sketch.module("Linear_3", 400, 490);
  sketch.forward("aten::linear", 410, 420, 7);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(op_lines(profile), Contains("/Linear_2/AddmmBackward0|bprop 210-300"));
  EXPECT_THAT(forward_lines(profile), ElementsAre("AddmmBackward0 210 < aten::linear 110"));
}

TEST(TraceOps, ThatNoForwardOpCausedLeadToNone) {
  EventSketch sketch;
  sketch.forward("aten::linear", 10, 20, 7);
  sketch.backward("AddmmBackward0", 210, 300, 8);
  EXPECT_TRUE(std::move(sketch).finish().instances.forward.empty());
}

TEST(TraceOps, AreBackwardOnTheMainThreadToo) {
  EventSketch sketch;
  sketch.op(std::string(kEvaluate) + "torch::autograd::AccumulateGrad", 0, 50);
  sketch.op("aten::add_", 10, 40);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/torch::autograd::AccumulateGrad|bprop 0-50"));
}

TEST(TraceOps, LieInCompiledFunctions) {
  EventSketch sketch;
  sketch.op("Torch-Compiled Region: 0/0", 0, 100);
  sketch.op("CompiledFunction", 10, 90);
  sketch.op("triton_poi_fused_add_0", 20, 80).is_triton = true;
  sketch.launch("triton_poi_fused_add_0", 30);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/Torch-Compiled Region: 0/0/CompiledFunction/triton_poi_fused_add_0|"
                          "fprop 20-80 triton_poi_fused_add_0"));
}

TEST(TraceOps, OfACompiledBackwardPassAreOpsOfTheirOwn) {
  EventSketch sketch;
  sketch.op(std::string(kEvaluate) + "CompiledFunctionBackward", 0, 100, kAutograd);
  sketch.backward("CompiledFunctionBackward", 10, 90, 7);
  sketch.op("aten::mm", 20, 50, kAutograd);
  sketch.op("aten::sum", 60, 80, kAutograd);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre(HasSubstr("/aten::mm|bprop 20-50"), HasSubstr("/aten::sum|bprop 60-80")));
}

TEST(TraceOps, OfARecomputationAreOpsOfTheirOwn) {
  EventSketch sketch;
  sketch.backward("ReluBackward0", 0, 100, 7);
  sketch.forward("aten::conv2d", 20, 60, 9, kAutograd);
  sketch.forward("aten::convolution", 30, 50, 9, kAutograd);
  sketch.launch("conv", 40, kAutograd);
  sketch.launch("relu", 70, kAutograd);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/ReluBackward0|bprop 0-20", "/aten::conv2d (recompute)|fprop 20-60 conv",
                          "/ReluBackward0|bprop 60-100 relu"));
}

TEST(TraceOps, FilledByARecomputationStayInstances) {
  EventSketch sketch;
  sketch.backward("ReluBackward0", 0, 100, 7);
  sketch.forward("aten::conv2d", 0, 100, 9, kAutograd);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/aten::conv2d (recompute)|fprop 0-100", "/ReluBackward0|bprop 100-100"));
}

TEST(TraceOps, OfOptimizersHaveNoDirection) {
  EventSketch sketch;
  sketch.annotation("Optimizer.step#SGD.step", 0, 100);
  sketch.op("aten::add_", 10, 20);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/Optimizer.step#SGD.step/aten::add_ 10-20"));
}

TEST(TraceOps, MayTakeNoTime) {
  EventSketch sketch;
  sketch.op("aten::detach", 10, 10);
  sketch.op("aten::detach", 10, 10);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/aten::detach|fprop 10-10", "/aten::detach|fprop 10-10"));
}

TEST(TraceOps, SayWhatTheirInputsAre) {
  EventSketch sketch;
  const uint32_t inputs = sketch.inputs("[[32,8],[]]", R"(["c10::Half","Scalar"])");
  HostEvent& op = sketch.op("aten::mul", 0, 10);
  op.inputs = inputs;
  op.call_stack = sketch.builder.intern("net.py(3): forward;train.py(9): <module>");
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.text(profile.instances.input_shapes[0]), "[[32,8],[]]");
  EXPECT_EQ(profile.text(profile.ops.data_type[0]), "float16");
  EXPECT_EQ(profile.text(profile.ops.type[0]), "mul");
  EXPECT_EQ(profile.text(profile.ops.stack_trace[0]), "net.py(3): forward\ntrain.py(9): <module>");
}

TEST(TraceOps, SayTheLayoutOfConvolutions) {
  const auto format = [](const char* name, const char* strides) {
    EventSketch sketch;
    const uint32_t inputs = sketch.inputs("[[32,3,8,8]]", R"(["float"])");
    sketch.events.op_inputs[inputs].strides = sketch.builder.intern(strides);
    sketch.op(name, 0, 10).inputs = inputs;
    const Profile profile = std::move(sketch).finish();
    return std::string(profile.text(profile.ops.data_format[0]));
  };
  EXPECT_EQ(format("aten::conv2d", "[[192,64,8,1]]"), "N,C,H,W");
  EXPECT_EQ(format("aten::conv2d", "[[192,1,24,3]]"), "N,H,W,C");
  EXPECT_EQ(format("aten::relu", "[[192,1,24,3]]"), "");
}

TEST(TraceCalls, BelongToTheOpOfTheLatestStart) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.op("aten::mul", 100, 200);
  sketch.launch("at the edge", 100);
  sketch.launch("at the end", 200);
  EXPECT_THAT(
      op_lines(std::move(sketch).finish()),
      ElementsAre("/aten::add|fprop 0-100", "/aten::mul|fprop 100-200 at the edge at the end"));
}

TEST(TraceCalls, OutsideOpsBelongToTheRange) {
  EventSketch sketch;
  sketch.annotation("copy", 0, 100);
  sketch.op("aten::add", 10, 20);
  sketch.launch("k", 50);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/copy/aten::add|fprop 10-20", "/copy/copy (self time) 20-100 k"));
}

TEST(TraceCalls, OfAnotherThreadStayThere) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.launch("k", 50, kAutograd);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/aten::add|fprop 0-100", "unassociated_cudaLaunchKernel/k 50-52 k"));
}

TEST(TraceCalls, AreNotGivenToAWaitingThread) {
  EventSketch sketch;
  sketch.annotation("backward", 0, 1000);
  sketch.launch("dgrad_kernel", 100, kAutograd);
  sketch.launch("wgrad_kernel", 200, kAutograd);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(op_lines(profile), Contains(HasSubstr("unassociated_cudaLaunchKernel")).Times(2));
}

TEST(TraceCalls, AreTheFirstOfTheirCorrelation) {
  EventSketch sketch;
  sketch.op("aten::mul", 100, 200);
  sketch.op("aten::add", 0, 50);
  sketch.call("cudaLaunchKernel", 150, 160, 5);
  sketch.call("cudaLaunchKernel", 10, 20, 5);
  sketch.kernel("k", 300, 400, 5);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("/aten::add|fprop 0-50 k", "/aten::mul|fprop 100-200"));
}

TEST(TraceCalls, OfGraphsLaunchManyKernels) {
  EventSketch sketch;
  sketch.call("cudaGraphLaunch", 10, 20, 5);
  sketch.kernel("a", 300, 400, 5);
  sketch.kernel("b", 400, 500, 5);
  EXPECT_THAT(op_lines(std::move(sketch).finish()),
              ElementsAre("unassociated_cudaGraphLaunch 10-20 a b"));
}

TEST(TraceCalls, MayBeMissing) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.kernel("k", 30, 40, 5);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(op_lines(profile), Contains("unassociated_no_launch/k 30-30 k"));
}

TEST(TraceCalls, NamedSynchronizeAreSynchronizations) {
  EventSketch sketch;
  sketch.op("aten::item", 0, 100);
  sketch.call("cudaStreamSynchronize", 10, 20, 5);
  sketch.call("cudaEventSynchronize", 30, 40, 6);
  sketch.call("hipDeviceSynchronize", 50, 60, 7);
  sketch.call("cudaMalloc", 70, 80, 8);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.syncs.size(), 3U);
  EXPECT_EQ(profile.syncs.sync_type[0], 3);
  EXPECT_EQ(profile.syncs.sync_type[1], 2);
  EXPECT_EQ(profile.syncs.sync_type[2], 1);
  EXPECT_EQ(profile.api_calls.size(), 1U);
}

TEST(TraceCalls, OnAGpuAreNoWaitsOfTheHost) {
  EventSketch sketch;
  sketch.call("cudaStreamWaitEvent", 10, 20, 5);
  SyncEvent sync;
  sync.kind = sketch.builder.intern("Stream Wait Event");
  sync.start_ns = sync.stop_ns = EventSketch::kOrigin + 15;
  sync.correlation = 5;
  sketch.events.syncs.push_back(sync);
  EXPECT_EQ(std::move(sketch).finish().syncs.size(), 0U);
}

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

TEST(TraceCopies, SayTheirKindsInTheirNames) {
  using profile::CopyKind;
  using profile::MemoryKind;
  EXPECT_EQ(memory_kinds_of("Memcpy HtoD (Pageable -> Device)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of("Memcpy DtoH (Device -> Pinned)"),
            (MemoryKinds{CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned}));
  EXPECT_EQ(memory_kinds_of("Memcpy HtoD (Host -> Device)"),
            (MemoryKinds{CopyKind::host_to_device, MemoryKind::not_recorded, MemoryKind::device}));
  EXPECT_EQ(memory_kinds_of("Memcpy PtoP (Device -> Device)").copy, CopyKind::peer_to_peer);
  EXPECT_EQ(memory_kinds_of("Memset (Device)").target, MemoryKind::device);
  EXPECT_EQ(memory_kinds_of("CopyDeviceToHost"), MemoryKinds());
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
  EXPECT_EQ(std::move(sketch).finish().trace->capture.program, "rank 3 of 8, nccl");
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
  SyncEvent sync;
  sync.kind = sketch.builder.intern("Context Sync");
  sync.start_ns = sync.stop_ns = EventSketch::kOrigin + 50;
  sketch.events.syncs.push_back(sync);
  EXPECT_THAT(lacks_of(std::move(sketch).finish()), ElementsAre("I/O time"));
}

TEST(TraceContents, CountWhatIsNotShown) {
  EventSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.events.skipped = {{"gpu_user_annotation", 3}};
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.recorded_tables.size(), 2U);
  EXPECT_EQ(profile.recorded_tables[0].name, "cpu_op");
  EXPECT_EQ(profile.recorded_tables[1].name, "gpu_user_annotation");
  EXPECT_EQ(profile.recorded_tables[1].rows, 3);
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
