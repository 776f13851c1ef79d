// Which ranges become which ops, and what work goes to them.

#include "import/capture/ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/capture/op_spans.h"
#include "import/capture/trace_sketch.h"
#include "profile/nesting.h"

namespace dlview::import::capture {
namespace {

using profile::Profile;
using ::testing::ElementsAre;
using testing::instances_of;
using ::testing::IsEmpty;
using testing::ops_of;
using testing::thread_of;
using testing::TraceSketch;

constexpr const char* kRelu =
    "{'mod': 'torch', 'op': 'relu', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 6), "
    "'dtype': 'float16'}]}";
constexpr const char* kReluTrace =
    "{'traceMarker': ['train.py:3', 'net.py:9'], 'funcStack': '/<module>/Net::forward/relu(2)'}";

TEST(DlprofMarkers, GiveOpsAsDlprofMadeThem) {
  TraceSketch sketch;
  sketch.range(kReluTrace, 10, 100);
  sketch.range(kRelu, 20, 90);
  sketch.range("aten::relu, seq = 3", 30, 80);
  sketch.launch("relu_kernel", 40);
  const Profile profile = std::move(sketch).finish();

  EXPECT_THAT(ops_of(profile), ElementsAre("RELU_1 /module/Net::forward/relu[2] relu fprop"));
  EXPECT_THAT(instances_of(profile), ElementsAre("RELU_1 20-90 relu_kernel"));
  EXPECT_EQ(profile.text(profile.ops.stack_trace[0]), "train.py:3\nnet.py:9");
  EXPECT_EQ(profile.text(profile.ops.data_type[0]), "float16");
  EXPECT_EQ(profile.text(profile.instances.input_names[0]), "[\"\"]\n");
  EXPECT_EQ(profile.text(profile.instances.input_shapes[0]), "[[32,6]]\n");
  EXPECT_EQ(profile.text(profile.instances.output_shapes[0]), "null\n");
  EXPECT_EQ(profile.ops.tensor_core_support[0], profile::TensorCoreSupport::none);
}

TEST(UserRanges, IgnoreSlashesInNames) {
  TraceSketch sketch;
  sketch.range("a/b", 0, 100);
  sketch.range("c/d", 10, 60);
  sketch.launch("x/y", 20);
  sketch.launch("k", 70);
  const Profile profile = std::move(sketch).finish();

  EXPECT_THAT(ops_of(profile), ElementsAre("A/B_1 /a/b/a/b (self time) a/b", "C/D_1 /a/b/c/d c/d"));
  EXPECT_EQ(profile::nesting_of(profile, "/a/b/c/d"), "/a\\b/c\\d");
  EXPECT_EQ(profile::nesting_of(profile, "/a/b/a/b (self time)"), "/a\\b/a\\b (self time)");
  EXPECT_EQ(profile::nesting_of(profile, "/a/b"), "/a\\b");
  EXPECT_EQ(profile::last_name(profile, "/a/b/c/d"), "c/d");
}

TEST(UserRanges, NestWhereOneLiesInsideAnother) {
  TraceSketch sketch;
  sketch.range("a", 0, 100);
  sketch.range("b", 10, 60);
  sketch.launch("k", 20);
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile.names_with_slashes.size(), 0U);
  EXPECT_EQ(profile::nesting_of(profile, "/a/b"), "/a/b");
}

TEST(DlprofMarkers, NestAtEverySlash) {
  TraceSketch sketch;
  sketch.range(kReluTrace, 10, 100);
  sketch.range(kRelu, 20, 90);
  const Profile profile = std::move(sketch).finish();
  EXPECT_EQ(profile::nesting_of(profile, "/module/Net::forward/relu[2]"),
            "/module/Net::forward/relu[2]");
}

TEST(DlprofMarkers, InsideAnotherOneGiveNoOp) {
  TraceSketch sketch;
  sketch.range(kRelu, 20, 90);
  sketch.range(kReluTrace, 25, 85);
  sketch.range("{'mod': 'torch', 'op': 'add', 'args': []}", 30, 80);
  sketch.launch("k", 40);
  EXPECT_THAT(instances_of(std::move(sketch).finish()), ElementsAre("RELU_1 20-90 k"));
}

TEST(DlprofMarkers, MakeAnOpOfEveryOccurrence) {
  TraceSketch sketch;
  for (const int64_t start : {10, 110}) {
    sketch.range(kReluTrace, start, start + 80);
    sketch.range(kRelu, start + 10, start + 70);
  }
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("RELU_1 20-80", "RELU_2 120-180"));
}

TEST(DlprofMarkers, RestartTheirCountInEveryStep) {
  TraceSketch sketch;
  for (const int64_t step : {0, 1}) {
    const int64_t at = 1000 * step;
    sketch.range("step " + std::to_string(step), at, at + 900);
    for (const int64_t start : {at + 10, at + 110}) {
      sketch.range(kReluTrace, start, start + 80);
      sketch.range(kRelu, start + 10, start + 70);
    }
  }
  EXPECT_THAT(
      instances_of(std::move(sketch).finish()),
      ElementsAre("RELU_1 20-80", "RELU_2 120-180", "RELU_1 1020-1080", "RELU_2 1120-1180"));
}

TEST(DlprofMarkers, MakeOpsOfCallsOutside) {
  TraceSketch sketch;
  sketch.range(kRelu, 20, 90);
  sketch.range("step 1", 100, 200);
  sketch.launch("k", 110);
  sketch.call("cudaMalloc_v3020", 120, 130);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile),
              ElementsAre("RELU_1 /relu relu fprop",
                          "CUDALAUNCHKERNEL_V7000_1 unassociated_cudaLaunchKernel_v7000 "
                          "cudaLaunchKernel_v7000"));
  EXPECT_THAT(instances_of(profile),
              ElementsAre("RELU_1 20-90", "CUDALAUNCHKERNEL_V7000_1 110-112 k"));
  EXPECT_EQ(profile.ops.tensor_core_support[1], profile::TensorCoreSupport::unassociated);
  EXPECT_EQ(profile.api_calls.size(), 0u);
}

TEST(DlprofMarkers, NameBackwardOpsAfterForwardOps) {
  const profile::ThreadId autograd = thread_of(7, 2);
  TraceSketch sketch;
  sketch.range(kReluTrace, 10, 100);
  sketch.range(kRelu, 20, 90);
  sketch.range("aten::relu, seq = 3", 30, 80);
  sketch.range("ReluBackward0, seq = 3", 200, 300, autograd);
  sketch.launch("back", 210, 10, autograd);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile), ElementsAre("RELU_1 /module/Net::forward/relu[2] relu fprop",
                                           "RELU_2 /module/Net::forward/relu[2] relu bprop"));
  EXPECT_THAT(instances_of(profile), ElementsAre("RELU_1 20-90", "RELU_2 200-300 back"));
  EXPECT_THAT(profile.instances.forward.span(), ElementsAre(profile::kNoRow, 0));
}

TEST(DlprofMarkers, TellTheModelConfiguration) {
  TraceSketch sketch;
  sketch.range("{\"model_config\": {\"emit_nvtx\": true, \"num_workers\": 4}}", 1, 2);
  const Profile profile = std::move(sketch).finish();
  ASSERT_TRUE(profile.system.model_config.has_value());
  EXPECT_TRUE(profile.system.model_config->emit_nvtx);
  EXPECT_EQ(profile.system.model_config->num_workers, 4);
  EXPECT_THAT(ops_of(profile), IsEmpty());
}

TEST(FrameworkOps, GroupUnderEnclosingRanges) {
  TraceSketch sketch;
  for (const int64_t step : {0, 1}) {
    const int64_t at = 1000 * step;
    sketch.range("step " + std::to_string(step), at, at + 900);
    sketch.range("Forward", at + 10, at + 500);
    sketch.range("aten::linear, op_id = " + std::to_string(step), at + 20, at + 400);
    sketch.range("aten::addmm, seq = 5, op_id = 9", at + 30, at + 300);
    sketch.launch("gemm", at + 40);
  }
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile), ElementsAre("LINEAR_1 /step/Forward/aten::linear linear fprop"));
  EXPECT_THAT(instances_of(profile),
              ElementsAre("LINEAR_1 20-400 gemm", "LINEAR_1 1020-1400 gemm"));
  EXPECT_EQ(profile.ops.tensor_core_support[0], profile::TensorCoreSupport::eligible);
}

TEST(FrameworkOps, KnowTheirShapes) {
  TraceSketch sketch;
  sketch.range("aten::mm, op_id = 4, sizes = [[8, 4], [4, 2], []], input_op_ids = [(1,0)]", 0, 9);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile), ElementsAre("MM_1 /aten::mm mm fprop"));
  EXPECT_EQ(profile.text(profile.instances.input_shapes[0]), "[[8,4],[4,2],[]]");
}

TEST(FrameworkOps, GroupBackwardOpsWithForwardOps) {
  const profile::ThreadId autograd = thread_of(7, 2);
  TraceSketch sketch;
  sketch.range("layer 3", 0, 500);
  sketch.range("aten::linear, op_id = 1", 20, 400);
  sketch.range("aten::addmm, seq = 5, op_id = 2", 30, 300);
  sketch.range("autograd::engine::evaluate_function: AddmmBackward0, op_id = 3", 600, 900,
               autograd);
  sketch.range("AddmmBackward0, seq = 5, op_id = 4", 610, 890, autograd);
  sketch.range("aten::mm, op_id = 5", 620, 880, autograd);
  sketch.launch("gemm", 630, 10, autograd);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile),
              ElementsAre("ADDMMBACKWARD0_1 /layer 3/AddmmBackward0 AddmmBackward0 bprop",
                          "LINEAR_1 /layer 3/aten::linear linear fprop"));
  EXPECT_THAT(instances_of(profile),
              ElementsAre("LINEAR_1 20-400", "ADDMMBACKWARD0_1 600-900 gemm"));
}

TEST(FrameworkOps, ReadTensorFlowTypeAndNode) {
  TraceSketch sketch;
  sketch.domain(1, "tensorflow-core");
  sketch.range("Conv2D: resnet/conv1/Conv2D", 0, 9, TraceSketch::kThread, 1);
  sketch.range("MatMul: gradients/dense/MatMul_grad", 10, 19, TraceSketch::kThread, 1);
  EXPECT_THAT(ops_of(std::move(sketch).finish()),
              ElementsAre("MATMUL_1 /gradients/dense/MatMul_grad MatMul bprop",
                          "CONV2D_1 /resnet/conv1/Conv2D Conv2D fprop"));
}

TEST(FrameworkOps, LeaveLaunchesToEnclosingRanges) {
  TraceSketch sketch;
  sketch.range("FSDP::pre_forward (block.1), op_id = 7", 0, 100);
  sketch.launch("unshard", 5);
  sketch.range("aten::copy_, op_id = 8", 20, 30);
  sketch.launch("copy", 25);
  sketch.range("aten::view, op_id = 9", 40, 50);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("FSDP::PRE_FORWARD (BLOCK.1)_1 0-20 unshard", "COPY__1 20-30 copy",
                          "VIEW_1 40-50"));
}

TEST(UserRanges, GiveTheirOwnTimeToOps) {
  TraceSketch sketch;
  sketch.range("step 4", 0, 100);
  sketch.range("Forward", 10, 40);
  sketch.launch("f", 20);
  sketch.launch("s", 60);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile), ElementsAre("FORWARD_1 /step/Forward Forward fprop",
                                           "STEP_1 /step/step (self time) step"));
  EXPECT_THAT(instances_of(profile),
              ElementsAre("STEP_1 0-10", "FORWARD_1 10-40 f", "STEP_1 40-100 s"));
}

TEST(UserRanges, OfDataLoadersHaveDlprofsType) {
  const auto type_of = [](const char* text) {
    TraceSketch sketch;
    sketch.range(text, 0, 9);
    const Profile profile = std::move(sketch).finish();
    return profile.ops.size() == 1 ? std::string(profile.text(profile.ops.type[0])) : "";
  };
  for (const char* text :
       {"DataLoader", "my_loader.__next__",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__, op_id = 4"}) {
    EXPECT_EQ(type_of(text), "DataLoader") << text;
  }
  EXPECT_EQ(type_of("loader"), "loader");
  EXPECT_NE(type_of("[DALI][DataReader] Prefetch #0"), "DataLoader") << "runs beside the steps";
}

// With several workers PyTorch only waits for the batch: no call, no op inside.
TEST(UserRanges, OfDataLoadersCountWithoutCalls) {
  TraceSketch sketch;
  sketch.range("step 4", 0, 100);
  sketch.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 10, 40);
  sketch.range("save_checkpoint", 45, 60);
  sketch.range("aten::add, op_id = 8", 70, 80);
  sketch.launch("add", 75);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("DATALOADER_1 10-40", "ADD_1 70-80 add"));
}

constexpr profile::ThreadId kEngine = thread_of(7, 2);

TEST(UserRanges, GetLaunchesOfAwaitedThreads) {
  TraceSketch sketch;
  sketch.range("Forward", 0, 40);
  sketch.launch("f", 10);
  sketch.range("Backward", 50, 100);
  sketch.launch("ones", 52);
  sketch.launch("b1", 60, 10, kEngine);
  sketch.launch("b2", 80, 10, kEngine);
  sketch.launch("sgd", 95);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(instances_of(profile),
              ElementsAre("FORWARD_1 0-40 f", "BACKWARD_1 50-100 ones b1 b2 sgd"));
  ASSERT_EQ(profile.not_recorded.size(), 1u);
  EXPECT_EQ(profile.not_recorded[0].what,
            "NVTX ranges of threads that launched 2 kernels and memory operations");
}

TEST(UserRanges, IgnoreThreadsThatRunInParallel) {
  TraceSketch sketch;
  sketch.range("Forward", 0, 100);
  sketch.launch("f1", 10);
  sketch.launch("copy1", 20, 10, kEngine);
  sketch.launch("f2", 30);
  sketch.launch("copy2", 40, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("FORWARD_1 0-100 f1 f2", "CUDALAUNCHKERNEL_1 20-22 copy1",
                          "CUDALAUNCHKERNEL_2 40-42 copy2"));
}

constexpr profile::ThreadId kOther = thread_of(7, 3);

TEST(UserRanges, IgnoreWorkWithTwoPossibleWaiters) {
  TraceSketch sketch;
  sketch.range("Backward", 0, 100);
  sketch.range("decode", 0, 100, kOther);
  sketch.launch("d", 10, 10, kOther);
  sketch.launch("b", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("BACKWARD_1 0-100", "DECODE_1 0-100 d", "CUDALAUNCHKERNEL_1 50-52 b"));
}

TEST(UserRanges, OfHelperThreadsDoNotWait) {
  TraceSketch sketch;
  sketch.range("Backward", 0, 100);
  sketch.range("[DALI][Executor] RunCPU", 0, 200, kOther);
  for (int64_t i = 0; i < 10; ++i) sketch.launch("b", 50 + 3 * i, 10, kEngine);
  sketch.launch("decode", 150, 10, kOther);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("BACKWARD_1 0-100 b b b b b b b b b b",
                          "[DALI][EXECUTOR] RUNCPU_1 0-200 decode"));
}

TEST(UserRanges, GetLibraryCallsOfAwaitedThreads) {
  TraceSketch sketch;
  sketch.domain(1, "NCCL");
  sketch.range("Backward", 0, 100);
  sketch.launch("b1", 20, 10, kEngine);
  sketch.range("ncclAllReduce", 30, 40, kEngine, 1);
  sketch.launch("reduce", 35, 10, kEngine);
  sketch.range("ncclGroupEnd", 42, 44, kEngine, 1);
  sketch.launch("b2", 50, 10, kEngine);
  sketch.range("ncclAllReduce", 200, 240, kEngine, 1);
  sketch.launch("reduce", 210, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("BACKWARD_1 0-100 b1 reduce b2", "NCCLALLREDUCE_1 200-240 reduce"));
}

TEST(UserRanges, KeepCallsWhileAnotherThreadWaits) {
  TraceSketch sketch;
  sketch.range("Backward", 0, 100);
  sketch.launch("b1", 20, 10, kEngine);
  sketch.range("nvFuser", 30, 40, kEngine);
  sketch.launch("fused", 35, 10, kEngine);
  sketch.launch("b2", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("BACKWARD_1 0-100 b1 b2", "NVFUSER_1 30-40 fused"));
}

TEST(UserRanges, WaitOnlyForCallsWithWork) {
  TraceSketch sketch;
  sketch.range("step 1", 0, 100);
  sketch.launch("b1", 20, 10, kEngine);
  sketch.launch("b2", 40, 10, kEngine);
  sketch.launch("sgd", 60);
  sketch.call("cudaEventDestroy", 70, 71, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()), ElementsAre("STEP_1 0-100 b1 b2 sgd"));
}

TEST(UserRanges, IgnoreWorkOfTheFirstThread) {
  TraceSketch sketch;
  sketch.launch("first", 5);
  sketch.range("decode", 40, 60, kOther);
  sketch.launch("d", 41, 10, kOther);
  sketch.launch("k", 50);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("CUDALAUNCHKERNEL_1 5-7 first", "DECODE_1 40-60 d",
                          "CUDALAUNCHKERNEL_2 50-52 k"));
}

// The first thread goes on launching in its steps.
TraceSketch with_backward_beside(const std::string& kernel) {
  TraceSketch sketch;
  for (const int64_t step : {0, 1}) {
    const int64_t at = 1000 * step;
    sketch.range("step " + std::to_string(step), at, at + 900);
    sketch.range("forward", at + 10, at + 200);
    sketch.launch("f", at + 20);
    sketch.launch("l", at + 300);
    sketch.launch(kernel, at + 310, 10, kEngine);
    sketch.call("cudaEventRecord", at + 315, at + 316, kEngine);
    sketch.launch("copy", at + 320);
    sketch.launch("add", at + 330, 10, kEngine);
    sketch.range("nvFuser", at + 340, at + 350, kEngine);
    sketch.launch("add", at + 360, 10, kEngine);
    sketch.launch("sgd", at + 400);
  }
  return sketch;
}

TEST(BackwardThreads, GiveOneOpInsideTheStep) {
  const Profile profile = with_backward_beside("max_pool_backward_nhwc").finish();
  EXPECT_THAT(ops_of(profile), ElementsAre("NVFUSER_1 /nvFuser nvFuser",
                                           "BACKWARD_1 /step/backward (thread 2) backward bprop",
                                           "FORWARD_1 /step/forward forward fprop",
                                           "STEP_1 /step/step (self time) step"));
  EXPECT_THAT(
      instances_of(profile),
      ElementsAre("STEP_1 0-10", "FORWARD_1 10-200 f", "STEP_1 200-900 l copy sgd",
                  "BACKWARD_1 310-332 max_pool_backward_nhwc add", "NVFUSER_1 340-350",
                  "BACKWARD_1 360-362 add", "STEP_1 1000-1010", "FORWARD_1 1010-1200 f",
                  "STEP_1 1200-1900 l copy sgd", "BACKWARD_1 1310-1332 max_pool_backward_nhwc add",
                  "NVFUSER_1 1340-1350", "BACKWARD_1 1360-1362 add"));
  ASSERT_EQ(profile.not_recorded.size(), 1U);
  EXPECT_EQ(profile.not_recorded[0].what,
            "NVTX ranges of threads that launched 6 kernels and memory operations");
}

TEST(BackwardThreads, GiveOneOpPerWaitingStep) {
  TraceSketch sketch;
  sketch.range("step 1", 0, 100);
  sketch.range("forward", 10, 40);
  sketch.launch("f", 20);
  sketch.launch("dgrad", 50, 10, kEngine);
  sketch.launch("add", 60, 10, kEngine);
  sketch.launch("sgd", 90);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("STEP_1 0-10", "FORWARD_1 10-40 f", "STEP_1 40-100 sgd",
                          "BACKWARD_1 50-62 dgrad add"));
}

// What waits stands for the backward pass, or is no step.
TEST(BackwardThreads, LeaveWorkToTheirOwnRange) {
  TraceSketch named;
  named.range("backward", 0, 100);
  named.range("all-reduce", 10, 20);
  named.launch("wgrad", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(named).finish()),
              ElementsAre("BACKWARD_1 0-10", "ALL-REDUCE_1 10-20", "BACKWARD_1 20-100 wgrad"));

  TraceSketch inside;
  inside.range("backward", 0, 100);
  inside.range("stage 1", 5, 90);
  inside.range("all-reduce", 10, 20);
  inside.launch("wgrad", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(inside).finish()),
              ElementsAre("BACKWARD_1 0-5", "STAGE 1_1 5-10", "ALL-REDUCE_1 10-20",
                          "STAGE 1_1 20-90 wgrad", "BACKWARD_1 90-100"));

  TraceSketch leaf;
  leaf.range("step 1", 0, 100);
  leaf.range("train", 40, 80);
  leaf.launch("wgrad", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(leaf).finish()),
              ElementsAre("STEP_1 0-40", "TRAIN_1 40-80 wgrad", "STEP_1 80-100"));

  TraceSketch others;
  others.range("step 1", 0, 100);
  others.range("forward", 10, 40);
  others.launch("augment", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(others).finish()),
              ElementsAre("STEP_1 0-10", "FORWARD_1 10-40", "STEP_1 40-100 augment"));
}

TEST(BackwardThreads, AreDetectedByKernelNames) {
  EXPECT_THAT(ops_of(with_backward_beside("augment").finish()),
              ElementsAre("NVFUSER_1 /nvFuser nvFuser", "FORWARD_1 /step/forward forward fprop",
                          "STEP_1 /step/step (self time) step",
                          "CUDALAUNCHKERNEL_2 unassociated_cudaLaunchKernel/add cudaLaunchKernel",
                          "CUDALAUNCHKERNEL_1 unassociated_cudaLaunchKernel/augment "
                          "cudaLaunchKernel"));
}

TEST(BackwardThreads, GiveNoOpWithoutOpenRange) {
  TraceSketch sketch;
  sketch.range("warm up", 0, 10);
  sketch.launch("dgrad", 50, 10, kEngine);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("WARM UP_1 0-10", "CUDALAUNCHKERNEL_1 50-52 dgrad"));
}

TEST(UserRanges, KeepNumbersAndPaths) {
  TraceSketch sketch;
  sketch.range("epoch 0", 0, 500);
  sketch.range("batch 7", 10, 40);
  sketch.range("aten::add, op_id = 1", 20, 30);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.user_ranges.size(), 2u);
  EXPECT_EQ(profile.text(profile.user_ranges.name[1]), "batch");
  EXPECT_EQ(profile.text(profile.user_ranges.path[1]), "/epoch/batch");
  EXPECT_EQ(profile.user_ranges.number[1], 7);
  EXPECT_EQ(profile.user_ranges.stop_ns[1], 40);
}

TEST(UserRanges, CountLibraryRangesOnlyWithoutOthers) {
  TraceSketch sketch;
  sketch.domain(1, "CCCL");
  sketch.range("norm", 0, 50);
  sketch.range("cub::DeviceReduce::Sum", 10, 20, TraceSketch::kThread, 1);
  sketch.launch("sum", 15);
  sketch.range("cub::DeviceScan", 60, 70, TraceSketch::kThread, 1);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("NORM_1 0-50 sum", "CUB::DEVICESCAN_1 60-70"));
}

TEST(UserRanges, UseFirstNamesOfDomains) {
  TraceSketch sketch;
  sketch.domain(1, "cuBLAS");
  sketch.domain(1, "mine");
  sketch.range("outer", 0, 100);
  sketch.range("inner", 10, 50, TraceSketch::kThread, 1);
  sketch.launch("k", 20);
  EXPECT_THAT(instances_of(std::move(sketch).finish()), ElementsAre("OUTER_1 0-100 k"));
}

TEST(UserRanges, OfStartAndEndMayOverlap) {
  TraceSketch sketch;
  sketch.range("load", 0, 60, TraceSketch::kThread, 0, profile::NvtxKind::start_end_range);
  sketch.range("compute", 40, 100, TraceSketch::kThread, 0, profile::NvtxKind::start_end_range);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("LOAD_1 0-40", "COMPUTE_1 40-100"));
}

TEST(UserRanges, NotesRangesNestedTooDeeply) {
  TraceSketch sketch;
  for (int64_t i = 0; i < 300; ++i) {
    sketch.range("request", i, 1000 + i, TraceSketch::kThread, 0,
                 profile::NvtxKind::start_end_range);
  }
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.quality.size(), 1u);
  EXPECT_EQ(profile.quality[0].reason, "too many open ranges on its thread");
  EXPECT_EQ(profile.quality[0].rows + static_cast<int64_t>(profile.user_ranges.size()), 300);
}

TEST(UserRanges, MoveToTopWithLongPaths) {
  TraceSketch sketch;
  constexpr int kDeep = 200, kNameBytes = 4096;
  for (int i = 0; i < kDeep; ++i) {
    sketch.range(std::string(kNameBytes, 'a') + std::to_string(i) + "x", i, 1000 - i);
  }
  const Profile profile = std::move(sketch).finish();
  std::size_t path_bytes = 0;
  for (const profile::StringId path : profile.user_ranges.path) {
    path_bytes += profile.text(path).size();
  }
  EXPECT_GT(path_bytes, OpPaths::kMostBytes / 2);
  EXPECT_LT(path_bytes, OpPaths::kMostBytes + std::size_t{kDeep} * (kNameBytes + 8));
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].reason,
            "moved to the top level: the names of nested ranges are too long");
  EXPECT_EQ(profile.user_ranges.size(), std::size_t{kDeep});
}

TEST(UserRanges, EndUnclosedRangesWithTheCapture) {
  TraceSketch sketch;
  sketch.range("train", 5, profile::kNoValue);
  sketch.range("step 1", 10, 20);
  sketch.launch("k", 30);
  EXPECT_THAT(instances_of(std::move(sketch).finish()),
              ElementsAre("TRAIN_1 5-10", "STEP_1 10-20", "TRAIN_1 20-1040 k"));
}

TEST(UserRanges, WithoutUsableTimesAreNoted) {
  TraceSketch sketch;
  sketch.range("step", 50, 20);
  const Profile profile = std::move(sketch).finish();
  EXPECT_THAT(ops_of(profile), IsEmpty());
  ASSERT_EQ(profile.quality.size(), 1u);
  EXPECT_EQ(profile.quality[0].first_example, "row 1: step from 50 ns");
}

TEST(Kernels, UseTensorCoresByName) {
  TraceSketch sketch;
  sketch.range("aten::mm, op_id = 1", 0, 100);
  sketch.launch("ampere_fp16_s16816gemm_fp16_128x128_nn", 10);
  sketch.launch("vectorized_elementwise_kernel", 20);
  const Profile profile = std::move(sketch).finish();
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels.uses_tensor_cores[0], 1);
  EXPECT_EQ(profile.kernels.uses_tensor_cores[1], 0);
}

}  // namespace
}  // namespace dlview::import::capture
