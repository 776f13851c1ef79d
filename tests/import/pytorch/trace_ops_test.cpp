// Which events of a PyTorch profiler trace become which ops, and what GPU activity goes to them.

#include "import/pytorch/trace_ops.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr uint32_t kAutograd = EventSketch::kAutograd;

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
  sketch.op(std::string(EventSketch::kEvaluate) + "AddmmBackward0", 210, 300, kAutograd);
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
  sketch.backward(std::string(EventSketch::kEvaluate) + "AddmmBackward0", 210, 300, 7);
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
  sketch.op(std::string(EventSketch::kEvaluate) + "torch::autograd::AccumulateGrad", 0, 50);
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
  sketch.op(std::string(EventSketch::kEvaluate) + "CompiledFunctionBackward", 0, 100, kAutograd);
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

// Batch normalization counts its batches with an int64 add before the network adds activations.
TEST(TraceOps, HaveTheDataTypeThatTheyComputeWith) {
  EventSketch sketch;
  const uint32_t counter = sketch.inputs("[[],[],[]]", R"(["long int","long int","Scalar"])"),
                 half = sketch.inputs("[[32,8],[32,8]]", R"(["c10::Half","c10::Half"])"),
                 single = sketch.inputs("[[32,8],[32,8]]", R"(["float","float"])");
  sketch.op("aten::add", 0, 10);
  int64_t start = 10;
  for (const uint32_t inputs : {counter, half, single, counter}) {
    sketch.op("aten::add", start, start + 10).inputs = inputs;
    start += 10;
  }
  sketch.op("aten::eq", start, start + 10).inputs = counter;
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.ops.size(), 2U);
  EXPECT_EQ(profile.text(profile.ops.data_type[0]), "float16");
  EXPECT_EQ(profile.text(profile.ops.data_type[1]), "int64");
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
  SyncEvent& wait = sketch.sync("Stream Wait Event", 15, 16, 20);
  wait.correlation = 5;
  wait.waits_for_stream = 7;
  wait.event = 3;
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.syncs.size(), 0U);
  const profile::TraceSyncEvents& events = profile.trace->sync_events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.start_ns[0], 15);
  EXPECT_EQ(events.end_ns[0], 16);
  EXPECT_EQ(events.device_id[0], 0);
  EXPECT_EQ(events.stream[0], 20);
  EXPECT_EQ(profile.text(events.name[0]), "Stream Wait Event");
  EXPECT_EQ(events.waits_for_stream[0], 7);
  EXPECT_EQ(events.event[0], 3);
}

}  // namespace
}  // namespace dlview::import::pytorch
