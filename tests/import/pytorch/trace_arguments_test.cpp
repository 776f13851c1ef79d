// Every argument of an event that dlview reads, one by one: it changes what is read, and its value
// is there. Arguments that writers have and dlview does not need change nothing.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/pytorch/read_trace.h"

namespace dlview::import::pytorch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceArguments : public TraceText {
 protected:
  // All that is read of an event with this argument. `event` is its start: phase, category, name.
  std::string dump_of(std::string_view event, std::string_view argument) {
    return dump(read_list(fmt::format(
        R"({{{}, "pid": 3, "tid": 7, "ts": 2, "dur": 2, "args": {{{}}}}})", event, argument)));
  }
};

struct Argument {
  const char* event;
  const char* json;
  const char* read;  // what stands in the dump; in no event without the argument
};

constexpr const char* kOpEvent = R"("ph": "X", "cat": "cpu_op", "name": "aten::conv2d")";
constexpr const char* kOldOp = R"("ph": "X", "cat": "Operator", "name": "aten::conv2d")";
constexpr const char* kComms = R"("ph": "X", "cat": "cpu_op", "name": "record_param_comms")";
constexpr const char* kCall = R"("ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel")";
constexpr const char* kDriverCall = R"("ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel")";
constexpr const char* kFrame =
    R"("ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0")";
constexpr const char* kKernel = R"("ph": "X", "cat": "kernel", "name": "gemm")";
constexpr const char* kCopy = R"("ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD")";
constexpr const char* kSet = R"("ph": "X", "cat": "gpu_memset", "name": "Memset")";
constexpr const char* kRequest = R"("ph": "X", "cat": "mtia_ccp_events", "name": "dma_request")";
constexpr const char* kSync = R"("ph": "X", "cat": "cuda_sync", "name": "Event Sync")";
constexpr const char* kXpuSync =
    R"("ph": "X", "cat": "xpu_sync", "name": "zeEventHostSynchronize")";
constexpr const char* kMemory = R"("ph": "i", "cat": "cpu_instant_event", "name": "[memory]")";
constexpr const char* kCounter = R"("ph": "C", "name": "Queue Length")";
constexpr const char* kAnnotation = R"("ph": "X", "cat": "user_annotation", "name": "nccl:x")";

TEST_F(TraceArguments, ThatAreReadHaveTheirValues) {
  constexpr Argument kArguments[] = {
      {kOpEvent, R"("Input Dims": [[4711, 3]])", "[[4711,3]]"},
      {kOldOp, R"("Input dims": [[4711, 3]])", "[[4711,3]]"},
      {kOpEvent, R"("Input type": ["c10::B4711"])", R"(["c10::B4711"])"},
      {kOpEvent, R"("Input Strides": [[4711, 1]])", "[[4711,1]]"},
      {kOpEvent, R"("Concrete Inputs": ["4711"])", R"(["4711"])"},
      {kOpEvent, R"("Sequence number": 4711)", " 4711 "},
      {kOpEvent, R"("Fwd thread id": 4711)", " 4711 "},
      {kOpEvent, R"("Call stack": "a.py(4711): f;b.py(1): g")", "a.py(4711): f;b.py(1): g"},
      {kOpEvent, R"("kernel_backend": "triton")", "aten::conv2d 0 0 true "},
      {kAnnotation, R"("Input Dims": [[4711]])", "[[4711]]"},
      {kComms, R"("Collective name": "all4711")", "all4711"},
      {kComms, R"("dtype": "Float4711")", "Float4711"},
      {kComms, R"("In msg nelems": 4711)", " 4711 "},
      {kComms, R"("Out msg nelems": 4711)", " 4711 "},
      {kComms, R"("Group size": 4711)", " 4711 "},
      {kComms, R"("Process Group Name": "g4711")", "g4711"},
      {kComms, R"("Process Group Description": "d4711")", "d4711"},
      {kComms, R"("Process Group Ranks": "[0, 4711]")", "[0, 4711]"},
      {kComms, R"("Process Group Ranks": [0, 4711])", "[0,4711]"},
      {kComms, R"("Rank": 4711)", " 4711 "},
      {kComms, R"("Src Rank": 4711)", " 4711 "},
      {kComms, R"("Dst Rank": 4711)", " 4711 "},
      {kComms, R"("Seq": 4711)", " 4711 "},
      {kCall, R"("correlation": 4711)", " 4711 "},
      {kDriverCall, R"("correlation": 4711)", " 4711 "},
      {kCall, R"("grid": [4711, 2, 3])", "(4711 2 3)"},
      {kCall, R"("block": [4711, 2, 3])", "(4711 2 3)"},
      {kFrame, R"("Python id": 4711)", " 4711 "},
      {kFrame, R"("Python parent id": 4711)", " 4711 "},
      {kFrame, R"("Python module id": 4711)", " 4711 "},
      {kKernel, R"("device": 4711)", " 4711 "},
      {kKernel, R"("stream": 4711)", " 4711 "},
      {kKernel, R"("sycl queue": 4711)", " 4711 "},
      {kKernel, R"("context": 4711)", " 4711 "},
      {kKernel, R"("correlation": 4711)", " 4711 "},
      {kKernel, R"("grid": [4711, 2, 3])", "(4711 2 3)"},
      {kKernel, R"("block": [4711, 2, 3])", "(4711 2 3)"},
      {kKernel, R"("registers per thread": 4711)", " 4711 "},
      {kKernel, R"("shared memory": 4711)", " 4711 "},
      {kKernel, R"("blocks per SM": 4711.5)", " 4711.5 "},
      {kKernel, R"("warps per SM": 4711.5)", " 4711.5 "},
      {kKernel, R"("est. achieved occupancy %": 47)", " 47 "},
      {kKernel, R"("graph id": 4711)", " 4711 "},
      {kKernel, R"("graph node id": 4711)", " 4711 "},
      {kKernel, R"("Collective name": "all4711")", "all4711"},
      {kKernel, R"("Collective name": "a", "dtype": "Float4711")", "Float4711"},
      {kKernel, R"("Collective name": "a", "In msg nelems": 4711)", " 4711 "},
      {kKernel, R"("Collective name": "a", "Process Group Name": "g4711")", "g4711"},
      {kCopy, R"("device": 4711)", " 4711 "},
      {kCopy, R"("inDevice": 4711)", " 4711 "},
      {kCopy, R"("bytes": 4711)", " 4711 "},
      {kCopy, R"("bytes": "4711")", " 4711 "},
      {kCopy, R"("stream": 4711)", " 4711 "},
      {kCopy, R"("context": 4711)", " 4711 "},
      {kCopy, R"("correlation": 4711)", " 4711 "},
      {kSet, R"("bytes": 4711)", " 4711 "},
      {kSet, R"("correlation": 4711)", " 4711 "},
      {kRequest, R"("size": 4711)", " 4711 "},
      {kRequest, R"("direction": "TO_4711")", "TO_4711"},
      {kSync, R"("cuda_sync_kind": "Sync 4711")", "Sync 4711"},
      {kSync, R"("device": 4711)", " 4711 "},
      {kSync, R"("stream": 4711)", " 4711 "},
      {kSync, R"("correlation": 4711)", " 4711 "},
      {kSync, R"("wait_on_stream": 4711)", " 4711 "},
      {kSync, R"("wait_on_cuda_event_id": 4711)", " 4711 "},
      {kSync, R"("event_id": 4711)", " 4711 "},
      {kSync, R"("cuda_sync_kind": "Stream Wait Event")", "sync 0 false "},
      {kXpuSync, R"("Type": "GPU_BARRIER_MEMORY")", "sync 2 false "},
      {kSync, R"("event id": 4711)", " 4711 "},
      {kMemory, R"("Addr": 4711)", " 4711 "},
      {kMemory, R"("Bytes": -4711)", " -4711 "},
      {kMemory, R"("Total Allocated": 4711)", " 4711 "},
      {kMemory, R"("Total Reserved": 4711)", " 4711 "},
      {kMemory, R"("Device Type": 4711)", " 4711 "},
      {kMemory, R"("Device Id": 4711)", " 4711 "},
      {kCounter, R"("stream 4711": 12.5)", "stream 4711"},
      {kCounter, R"("stream 7": 4711.5)", " 4711.5 "},
  };
  for (const Argument& argument : kArguments) {
    const std::string without = dump_of(argument.event, R"("no key": 1)");
    EXPECT_THAT(without, Not(HasSubstr(argument.read))) << argument.json;
    EXPECT_THAT(dump_of(argument.event, argument.json), HasSubstr(argument.read))
        << argument.event << " " << argument.json;
  }
}

TEST_F(TraceArguments, ThatAreNotReadChangeNothing) {
  constexpr const char* kArguments[] = {
      R"("External id": 4711)",
      R"("external id": 4711)",
      R"("external ts": 4711)",
      R"("Ev Idx": 4711)",
      R"("Profiler Event Index": 4711)",
      R"("Record function id": 4711)",
      R"("Trace name": "a")",
      R"("Trace iteration": 4711)",
      R"("Module Hierarchy": "TOP(Net)::forward")",
      R"("finished": true)",
      R"("kernel_file": "/home/user/model.py")",
      R"("kernel_hash": "abc")",
      R"("kernel_kwargs": "XBLOCK=16")",
      R"("num_warps": 4711)",
      R"("num_stages": 4711)",
      R"("In split size": "[]")",
      R"("Global rank start": 4711)",
      R"("Global rank stride": 4711)",
      R"("Comms Id": 10159970886766084423)",
      R"("queued": 0)",
      R"("occupancy": {"activeBlocksPerMultiprocessor": 4711, "limitingFactors": "REGS"})",
      R"("channel": 4711)",
      R"("priority": 4711)",
      R"("hsa_queue": 4711)",
      R"("kind": "Dispatch Kernel")",
      R"x("memory bandwidth (GB/s)": 4711.5)x",
      R"("fromDevice": 4711)",
      R"("toDevice": 4711)",
      R"("cbid": 4711)",
      R"("cid": 4711)",
      R"("ptr": "0x4711")",
      R"("CallFrom": "a")",
      R"("wait_on_cuda_event_record_corr_id": 4711)",
  };
  for (const char* const event :
       {kOpEvent, kComms, kCall, kFrame, kKernel, kCopy, kSet, kSync, kMemory}) {
    const std::string without = dump_of(event, R"("no key": 1)");
    for (const char* const argument : kArguments) {
      EXPECT_EQ(dump_of(event, argument), without) << event << " " << argument;
    }
  }
}

TEST_F(TraceArguments, OfMetadataNameProcessesAndThreads) {
  for (const char* const what : {"process_name", "thread_name"}) {
    const std::string event = fmt::format(
        R"({{"ph": "M", "name": "{}", "pid": 1, "tid": 2, "ts": 0, "args": {{"name": "n 4711"}}}})",
        what);
    EXPECT_THAT(dump(read_list(event)), HasSubstr(" n 4711 ")) << what;
  }
}

// Grids and streams of Triton's ops are not those of a kernel.
TEST_F(TraceArguments, OfTritonOpsAreNotThoseOfKernels) {
  const std::string event = R"("ph": "X", "cat": "cpu_op", "name": "triton_poi_0")";
  const std::string backend = R"("kernel_backend": "triton")";
  const std::string alone = dump_of(event, backend);
  for (const char* const more : {R"x("grid": "grid(4711,)")x", R"("grid": [4711, 1, 1])",
                                 R"("stream": 4711)", R"("stream": "4711")"}) {
    EXPECT_EQ(dump_of(event, backend + ", " + more), alone) << more;
  }
}

}  // namespace
}  // namespace dlview::import::pytorch
