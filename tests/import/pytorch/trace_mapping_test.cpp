// Which op, direction and GPU an event of a PyTorch trace belongs to. The rows of the definition
// stand in trace_rows_test.cpp.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/trace_rows.h"

namespace dlview::import::pytorch {
namespace {

using profile::Profile;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::op_lines;

// The op of a kernel

TEST_F(TraceRowsTest, ExternalIdsDoNotChooseTheOp) {
  std::vector<std::string> events =
      with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)", R"("args": {"External id": 1})"),
                   op_event("aten::mul", R"("ts": 20, "dur": 9)", R"("args": {"External id": 9})")},
                  5);
  events.back() = x_event(
      "kernel", "k", kGpu, R"("ts": 40, "dur": 2)",
      R"("args": {"device": 0, "stream": 7, "correlation": 9, "External id": 9, "external id": 9})");
  EXPECT_THAT(op_lines(open(events)),
              ElementsAre("/aten::mm|fprop 0-9000 k", "/aten::mul|fprop 19000-28000"));
}

// Their texts look the same: "grid(100,)".
TEST_F(TraceRowsTest, GridsOfTritonOpsAreNotThoseOfKernels) {
  const Profile profile = open(with_launch(
      {op_event("triton_poi_fused_add_0", R"("ts": 1, "dur": 9)",
                R"x("args": {"kernel_backend": "triton", "grid": "grid(100,)", "stream": 3})x")},
      5));
  EXPECT_TRUE(profile.trace->kernels.grid.empty());
  EXPECT_EQ(profile.trace->kernels.stream[0], 7);
}

TEST_F(TraceRowsTest, KernelsMayOverlapOnAStream) {
  std::vector<std::string> events = with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5);
  events.push_back(x_event("kernel", "next", kGpu, R"("ts": 11, "dur": 5)",
                           R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
  EXPECT_THAT(op_lines(open(events)), ElementsAre("/aten::mm|fprop 0-9000 k next"));
}

TEST_F(TraceRowsTest, KernelsMayBeginBeforeTheirCall) {
  std::vector<std::string> events =
      with_launch({op_event("aten::mm", R"("ts": 1, "dur": 99)")}, 50);
  events.back() = x_event("kernel", "k", kGpu, R"("ts": 40, "dur": 2)",
                          R"("args": {"device": 0, "stream": 7, "correlation": 9})");
  const Profile profile = open(events);
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-99000 k"));
  EXPECT_EQ(profile.kernels.gpu_start_ns[0], 39'000);
}

TEST_F(TraceRowsTest, GraphsBelongToTheOpThatLaunches) {
  for (const char* call : {"cudaGraphLaunch", "hipGraphLaunch"}) {
    std::vector<std::string> events =
        with_launch({op_event("my::replay", R"("ts": 1, "dur": 99)")}, 50, call, "a");
    events.push_back(x_event("kernel", "b", kGpu, R"("ts": 60, "dur": 2)",
                             R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
    EXPECT_THAT(op_lines(open(events)), ElementsAre("/my::replay|fprop 0-99000 a b")) << call;
  }
}

TEST_F(TraceRowsTest, AmdCopiesMayBeKernels) {
  const Profile profile = open(with_launch({op_event("aten::copy_", R"("ts": 1, "dur": 9)")}, 5,
                                           "hipLaunchKernel", "__amd_rocclr_copyBuffer"));
  EXPECT_EQ(profile.memory_ops.size(), 0U);
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::copy_|fprop 0-9000 __amd_rocclr_copyBuffer"));
}

TEST_F(TraceRowsTest, AHostMayHaveTheNumberOfAGpu) {
  const auto call = x_event("cuda_runtime", "hipLaunchKernel", R"("pid": 1, "tid": 1)",
                            R"("ts": 2, "dur": 1)", R"("args": {"correlation": 4})");
  const Profile profile =
      open({x_event("cpu_op", "aten::mm", R"("pid": 1, "tid": 1)", R"("ts": 1, "dur": 9)"), call,
            x_event("kernel", "k", R"("pid": 1, "tid": 7)", R"("ts": 20, "dur": 1)",
                    R"("args": {"stream": 7, "correlation": 4})"),
            x_event("python_function", "nn.Module: Net_0", R"("pid": 0, "tid": 1)",
                    R"("ts": 1, "dur": 30)")});
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 1);
  EXPECT_THAT(op_lines(profile), Contains("/aten::mm|fprop 0-9000 k"));
}

TEST_F(TraceRowsTest, MtiaEventsAreGpuWork) {
  static constexpr std::string_view kMtia = R"("pid": "MTIA 17", "tid": "Stream 108")";
  const auto device_event = [](const char* name, const char* times, const char* args) {
    return x_event("mtia_ccp_events", name, kMtia, times, args);
  };
  const std::vector<std::string> trace{
      op_event("aten::copy_", R"("ts": 1, "dur": 9)"),
      x_event("mtia_runtime", "enqueueCommand memcpyHtoDAsync", kHost, R"("ts": 2, "dur": 1)",
              R"("args": {"correlation": 5, "device": 17, "stream_id": "108"})"),
      device_event("dma_request", R"("ts": 20, "dur": 3)",
                   R"("args": {"direction": "HOST_TO_DEVICE", "size": 1024, "correlation": 5})"),
      device_event("pe_exe", R"("ts": 30, "dur": 4)", R"("args": {"stream": 108})"),
      device_event("event_wait", R"("ts": 10, "dur": 90)", R"("args": {"stream": 108})"),
      device_event("event_record", R"("ts": 35, "dur": 1)", R"("args": {"stream": 108})")};
  const Profile profile = open(trace);
  ASSERT_EQ(profile.devices.size(), 1U);
  EXPECT_EQ(profile.devices[std::size_t{0}].device_id, 17);
  ASSERT_EQ(profile.memory_ops.size(), 1U);
  EXPECT_EQ(profile.memory_ops.bytes[0], 1024);
  EXPECT_EQ(profile.memory_ops.copy_kind[0], profile::CopyKind::host_to_device);
  EXPECT_EQ(profile.text(profile.ops.name[profile.instances.op[profile.memory_ops.instance[0]]]),
            "/aten::copy_");
  ASSERT_EQ(profile.kernels.size(), 1U) << "waiting is no work";
  EXPECT_EQ(profile.text(profile.kernels.long_name[0]), "pe_exe");
  EXPECT_EQ(profile.trace->kernels.stream[0], 108);
  const profile::TraceSyncEvents& marks = profile.trace->sync_events;
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(profile.text(marks.name[0]), "event_wait");
  EXPECT_EQ(marks.device_id[0], 17);
  EXPECT_EQ(marks.stream[0], 108);
  EXPECT_EQ(marks.end_ns[1] - marks.start_ns[1], 1000);
  EXPECT_EQ(profile.syncs.size(), 0U) << "the host does not wait";
}

TEST_F(TraceRowsTest, XpuQueuesAreStreams) {
  const Profile profile =
      open({op_event("aten::mm", R"("ts": 1, "dur": 9)"),
            x_event("xpu_runtime", "urEnqueueKernelLaunch", kHost, R"("ts": 2, "dur": 1)",
                    R"("args": {"correlation": 5})"),
            x_event("kernel", "gemm_kernel", R"("pid": 1, "tid": "queue")", R"("ts": 20, "dur": 3)",
                    R"("args": {"device": 1, "sycl queue": 4, "correlation": 5})")});
  EXPECT_THAT(op_lines(profile), ElementsAre("/aten::mm|fprop 0-9000 gemm_kernel"));
  EXPECT_EQ(profile.trace->kernels.stream[0], 4);
  EXPECT_EQ(profile.trace->gpus.at(0).id, 1);
  EXPECT_EQ(profile.trace->gpus[0].vendor, profile::Vendor::intel);
}

// Its process is -1, and its thread is the host's.
TEST_F(TraceRowsTest, XpuSynchronizationIsOfTheHost) {
  const auto sync = [](const char* name, const char* type, int at_us) {
    return x_event("xpu_sync", name, R"("pid": -1, "tid": 100)",
                   fmt::format(R"("ts": {}, "dur": 5)", at_us),
                   fmt::format(R"("args": {{"Type": "{}", "correlation": {}, "Return_code": 0}})",
                               type, at_us));
  };
  const auto call = [](const char* name, int at_us) {
    return x_event("xpu_driver", name, kHost, fmt::format(R"("ts": {}, "dur": 5)", at_us),
                   fmt::format(R"("args": {{"correlation": {}}})", at_us));
  };
  const Profile profile = open({
      op_event("aten::item", R"("ts": 1, "dur": 90)"),
      call("zeEventHostSynchronize", 10),
      call("zeCommandQueueSynchronize", 20),
      call("zeFenceHostSynchronize", 30),
      sync("zeEventHostSynchronize", "HOST_EVENT", 10),
      sync("zeCommandQueueSynchronize", "HOST_COMMAND_QUEUE", 20),
      sync("zeCommandListAppendBarrier", "GPU_BARRIER_EXECUTION", 40),
  });
  const profile::TraceSyncEvents& events = profile.trace->sync_events;
  ASSERT_EQ(events.size(), 3U);
  for (profile::Row i = 0; i < 3; ++i) {
    EXPECT_EQ(events.device_id[i], -1);
    EXPECT_EQ(events.stream[i], profile::kNoValue);
  }
  EXPECT_EQ(profile.text(events.name[2]), "zeCommandListAppendBarrier");
  ASSERT_EQ(profile.syncs.size(), 3U) << "a call and its event are one; a barrier blocks no host";
  std::vector<int32_t> types;
  for (const int32_t type : profile.trace->syncs.sync_type) types.push_back(type);
  EXPECT_THAT(types, ElementsAre(2, 3, 3));
  for (profile::Row i = 0; i < 3; ++i) {
    EXPECT_EQ(profile.text(profile.ops.name[profile.instances.op[profile.syncs.instance[i]]]),
              "/aten::item");
  }
}

// Forward and backward

TEST_F(TraceRowsTest, AccumulationIsBackwardByItsName) {
  // As in traces of 2021: on the engine's thread, without an evaluation or a sequence number.
  const auto line = [this](const char* category, const char* name) {
    return op_lines(open({x_event(category, name, R"("pid": 100, "tid": 102)",
                                  R"("ts": 1, "dur": 5)", R"("args": {"External id": 4})")}));
  };
  EXPECT_THAT(line("Operator", "torch::autograd::AccumulateGrad"),
              ElementsAre("/torch::autograd::AccumulateGrad|bprop 0-5000"));
  EXPECT_THAT(line("cpu_op", "mine::AccumulateGrad"),
              ElementsAre("/mine::AccumulateGrad|fprop 0-5000"));
  EXPECT_THAT(line("cpu_op", "torch::autograd::AccumulateGradient"),
              ElementsAre("/torch::autograd::AccumulateGradient|fprop 0-5000"));
}

// As expect.py has it; the table of collectives names them.
TEST_F(TraceRowsTest, CollectivesInsideAnOpAreParts) {
  std::vector<std::string> events =
      with_launch({op_event("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                            R"("ts": 1, "dur": 50)"),
                   op_event("torch::autograd::AccumulateGrad", R"("ts": 2, "dur": 45)"),
                   op_event("c10d::allreduce_", R"("ts": 3, "dur": 40)"),
                   op_event("record_param_comms", R"("ts": 4, "dur": 30)",
                            R"("args": {"Collective name": "allreduce", "dtype": "Float"})")},
                  10, "cudaLaunchKernel", "ncclDevKernel_AllReduce");
  const Profile profile = open(events);
  EXPECT_THAT(
      op_lines(profile),
      ElementsAre("/torch::autograd::AccumulateGrad|bprop 0-50000 ncclDevKernel_AllReduce"));
  ASSERT_EQ(profile.trace->collectives.size(), 1U);
  EXPECT_EQ(profile.text(profile.trace->collectives.name[0]), "allreduce");
}

TEST_F(TraceRowsTest, ForwardOpsAreOfTheSameProcess) {
  const auto forward = [](int pid, const char* module, int at_us) {
    const std::string place = fmt::format(R"("pid": {0}, "tid": {0})", pid);
    return std::vector<std::string>{
        x_event("python_function", fmt::format("nn.Module: {}", module), place,
                fmt::format(R"("ts": {}, "dur": 20)", at_us)),
        x_event("cpu_op", "aten::mul", place, fmt::format(R"("ts": {}, "dur": 5)", at_us + 1),
                R"("args": {"Sequence number": 7, "Fwd thread id": 0})")};
  };
  std::vector<std::string> events = forward(100, "Mine_0", 1);
  for (const std::string& event : forward(200, "Other_0", 50)) events.push_back(event);
  events.push_back(op_event("MulBackward0", R"("ts": 100, "dur": 5)",
                            R"("args": {"Sequence number": 7, "Fwd thread id": 1})"));
  EXPECT_THAT(op_lines(open(events)), Contains("/Mine_0/MulBackward0|bprop 99000-104000"));
}

TEST_F(TraceRowsTest, SequenceNumbersWithoutAForwardThreadAreForward) {
  EXPECT_THAT(op_lines(open({op_event("aten::mul", R"("ts": 1, "dur": 5)",
                                      R"("args": {"Sequence number": 7})")})),
              ElementsAre("/aten::mul|fprop 0-5000"));
}

// Types

TEST_F(TraceRowsTest, OneStepStaysWhole) {
  const auto key_of = [this](int steps) {
    std::vector<std::string> events;
    for (int i = 0; i < steps; ++i) {
      events.push_back(x_event("user_annotation", fmt::format("ProfilerStep#{}", i), kHost,
                               fmt::format(R"("ts": {}, "dur": 80)", 100 * i)));
      events.push_back(op_event("aten::mm", fmt::format(R"("ts": {}, "dur": 50)", 100 * i + 10)));
    }
    return aggregate::default_cut(aggregate::KeyRanking(open(events))).key_op;
  };
  EXPECT_EQ(key_of(1), "");
  EXPECT_EQ(key_of(4), "ProfilerStep");
}

TEST_F(TraceRowsTest, LoadersAreOpsOfTheirOwnType) {
  for (const char* name : {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                           "enumerate(DataPipe)#ShufflerIterDataPipe"}) {
    const Profile profile = open({x_event("user_annotation", name, kHost, R"("ts": 1, "dur": 5)"),
                                  op_event("aten::mm", R"("ts": 10, "dur": 5)")});
    std::vector<std::string> types;
    for (const auto type : profile.ops.type) types.emplace_back(profile.text(type));
    EXPECT_THAT(types, Contains("DataLoader")) << name;
  }
}

TEST_F(TraceRowsTest, NumbersInNamesOfStepsAreCut) {
  const std::map<std::string, std::string> rows{
      {"ProfilerStep#552", "ProfilerStep"},
      {"## forward ##", "## forward ##"},
      {"Optimizer.step#SGD.step", "Optimizer.step#SGD.step"},
      {"step[7]", "step"},
      {"step[DECODE bs=32]", "step[DECODE bs=*]"},
      {"execute_context_1(888_788544)_generation_0(0)", "execute_context_*(*_*)_generation_*(*)"},
      {"step (bs=7)", "step (bs=*)"},
      {"step 12 [bs=32 [8]]", "step * [bs=* [*]]"},
      {"iteration(bs=3)", "iteration(bs=*)"},
      {"batch 4 (of 10)", "batch * (of *)"},
      {"execute 3 (a [1])", "execute * (a [*])"},
      // Near misses: names of layers and of other things.
      {"Linear(64, 8)", "Linear(64, 8)"},
      {"blocks[0].attn", "blocks[0].attn"},
      {"stepper(3) of(4)x", "stepper(3) of(4)x"},
      {"batch_norm(64, 1)", "batch_norm(64, 1)"},
      {"batchnorm(64, 1)", "batchnorm(64, 1)"},
      {"layer_norm(64, 1)", "layer_norm(64, 1)"},
      {"step_2_linear(64, 8)", "step_2_linear(64, 8)"},
      {"iteration_cell(3, 4)", "iteration_cell(3, 4)"},
      {"step.linear(64, 8)", "step.linear(64, 8)"},
      {"executor(64, 8)", "executor(64, 8)"},
      {"execute_model_1", "execute_model_1"},
      {"step (a) 2b", "step (a) 2b"},
      {"step (a) 2 (b)", "step (a) 2 (b)"},
      {"execute_a(b)_2_c(d)", "execute_a(b)_2_c(d)"},
      {"batch 2 (a", "batch 2 (a"},
      {"## Call CompiledFxGraph fal4x12 ##", "## Call CompiledFxGraph fal4x12 ##"},
  };
  for (const auto& [name, without_number] : rows) {
    const Profile profile = open({x_event("user_annotation", name, kHost, R"("ts": 1, "dur": 50)"),
                                  op_event("aten::mm", R"("ts": 10, "dur": 5)")});
    std::vector<std::string> names;
    for (const auto range : profile.user_ranges.name) names.emplace_back(profile.text(range));
    EXPECT_THAT(names, Contains(without_number)) << name;
  }
}

TEST_F(TraceRowsTest, NumbersInNamesOfOpsStay) {
  EXPECT_THAT(op_lines(open({op_event("triton_poi_fused_add_0", R"("ts": 1, "dur": 5)",
                                      R"("args": {"kernel_backend": "triton"})")})),
              ElementsAre("/triton_poi_fused_add_0|fprop 0-5000"));
  EXPECT_THAT(op_lines(open({op_event("Torch-Compiled Region: 0/1", R"("ts": 1, "dur": 9)"),
                             op_event("aten::mm", R"("ts": 2, "dur": 5)")})),
              Contains("/Torch-Compiled Region: 0/1/aten::mm|fprop 1000-6000"));
}

TEST_F(TraceRowsTest, AnnotationsWithArgumentsSplitTheRun) {
  std::vector<std::string> events;
  for (int i = 0; i < 6; ++i) {
    const std::string name =
        fmt::format("execute_context_{}({})_generation_{}({})", i % 2, i * 88, 32 - i, 500 + i);
    events.push_back(
        x_event("user_annotation", name, kHost, fmt::format(R"("ts": {}, "dur": 80)", 100 * i)));
    events.push_back(op_event("aten::mm", fmt::format(R"("ts": {}, "dur": 50)", 100 * i + 10)));
  }
  const Profile profile = open(events);
  ASSERT_EQ(profile.user_ranges.size(), 6U);
  for (profile::Row i = 0; i < 6; ++i) {
    EXPECT_EQ(profile.user_ranges.name[i], profile.user_ranges.name[0]);
  }
  EXPECT_EQ(aggregate::default_cut(aggregate::KeyRanking(profile)).key_op,
            "execute_context_*(*)_generation_*(*)");
}

TEST_F(TraceRowsTest, GpuAnnotationsAreNeitherWorkNorSteps) {
  std::vector<std::string> events = with_launch({op_event("aten::mm", R"("ts": 1, "dur": 9)")}, 5);
  events.push_back(x_event("gpu_user_annotation", "ProfilerStep#5", kGpu, R"("ts": 9, "dur": 5)"));
  const Profile profile = open(events);
  EXPECT_EQ(profile.kernels.size(), 1U);
  EXPECT_EQ(profile.user_ranges.size(), 0U);
}

}  // namespace
}  // namespace dlview::import::pytorch
