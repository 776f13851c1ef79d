// Collectives of made and synthetic traces: sizes and bandwidths by the formulas of nccl-tests,
// which kernels belong to a call, exposed time, ranges of iterations, filters.

#include "aggregate/collectives.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/pytorch/collectives.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using dlview::import::pytorch::CollectiveEvent;
using dlview::import::pytorch::element_count;
using profile::Collective;
using profile::kNoValue;
using ::testing::ElementsAre;
using testing::EventSketch;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::SketchedRun;

constexpr const char* kReduceKernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(Args)";
constexpr const char* kReduceKernelName = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

// Collectives of a sketch, whose host events are added in order.
class CollectiveSketch : public EventSketch {
 public:
  CollectiveEvent& collective(std::string_view name, int64_t start_ns, int64_t stop_ns,
                              int64_t in = kNoValue, int64_t out = kNoValue,
                              int64_t group_size = kNoValue, std::string_view type = "BFloat16") {
    op("record_param_comms", start_ns, stop_ns);
    CollectiveEvent event;
    event.host_event = static_cast<uint32_t>(events.host.size() - 1);
    if (!name.empty()) event.name = builder.intern(name);
    if (!name.empty() && !type.empty()) event.data_type = builder.intern(type);
    event.in_elements = in;
    event.out_elements = out;
    event.group_size = group_size;
    events.collectives.push_back(event);
    return events.collectives.back();
  }
  // Launched in the call at that time, with these times on the GPU.
  void launched(std::string_view name, int64_t call_ns, int64_t start_ns, int64_t stop_ns) {
    call("cudaLaunchKernel", call_ns, call_ns + 2, ++correlation_);
    kernel(name, start_ns, stop_ns, correlation_);
  }

 private:
  int64_t correlation_ = 1000;
};

std::vector<CollectiveCall> calls_of(const SketchedRun& trace) {
  return collective_calls(trace.profile(), trace.whole());
}
std::vector<CollectiveCall> calls_of(CollectiveSketch&& sketch) {
  return calls_of(SketchedRun(std::move(sketch)));
}

TEST(Collectives, CountElementsAsNcclTests) {
  EXPECT_EQ(message_elements(Collective::all_reduce, 10, 10, 4), 10);
  EXPECT_EQ(message_elements(Collective::all_gather, 10, 40, 4), 40);
  EXPECT_EQ(message_elements(Collective::all_gather, 10, kNoValue, 4), 40);
  EXPECT_EQ(message_elements(Collective::reduce_scatter, 40, 10, 4), 40);
  EXPECT_EQ(message_elements(Collective::reduce_scatter, kNoValue, 10, 4), 40);
  EXPECT_EQ(message_elements(Collective::all_to_all, 30, 50, 4), 50);
  EXPECT_EQ(message_elements(Collective::all_gather, 10, kNoValue, kNoValue), std::nullopt);
  EXPECT_EQ(message_elements(Collective::all_reduce, kNoValue, kNoValue, 4), std::nullopt);
  EXPECT_EQ(message_elements(Collective::all_gather, INT64_MAX, kNoValue, 4), std::nullopt);
}

TEST(Collectives, HaveTheBusFactorsOfNcclTests) {
  EXPECT_EQ(bus_factor(Collective::all_reduce, 4), 1.5);
  EXPECT_EQ(bus_factor(Collective::all_gather, 4), 0.75);
  EXPECT_EQ(bus_factor(Collective::reduce_scatter, 8), 0.875);
  EXPECT_EQ(bus_factor(Collective::all_to_all, 2), 0.5);
  EXPECT_EQ(bus_factor(Collective::broadcast, 8), 1);
  EXPECT_EQ(bus_factor(Collective::all_reduce, 1), std::nullopt);
  EXPECT_EQ(bus_factor(Collective::all_reduce, std::nullopt), std::nullopt);
  EXPECT_EQ(bus_factor(Collective::wait, 8), std::nullopt);
}

TEST(Collectives, AreKnownByAnyName) {
  using enum Collective;
  const std::map<std::string, Collective> names{
      {"allreduce", all_reduce},
      {"nccl:all_reduce", all_reduce},
      {"nccl:_all_gather_base", all_gather},
      {"_reduce_scatter_base", reduce_scatter},
      {"all_to_allv", all_to_all},
      {"gloo:broadcast", broadcast},
      {"nccl:reduce", reduce},
      {"send 0->1", send_recv},
      {"nccl:recv 1<-0", send_recv},
      {"barrier", barrier},
      {"wait", wait},
      {"init", other},
      {"", other},
  };
  for (const auto& [name, collective] : names) {
    EXPECT_EQ(profile::collective_named(name), collective) << name;
  }
}

TEST(Collectives, AddUpTensorsOfAList) {
  EXPECT_EQ(element_count("[[8,1024],[],[3]]"), 8 * 1024 + 3);
  EXPECT_EQ(element_count("[[[2,3],[4]],[5]]"), 15);
  EXPECT_EQ(element_count("[[],[]]"), kNoValue);
  EXPECT_EQ(element_count(""), kNoValue);
  EXPECT_EQ(element_count("[[9223372036854775807,2]]"), kNoValue);
  EXPECT_EQ(element_count("[[-1,2]]"), kNoValue);
}

TEST(Collectives, HaveTimesAndBandwidths) {
  CollectiveSketch sketch;
  sketch.collective("allreduce", 0, 100, 1000, 1000, 4);
  sketch.launched(kReduceKernel, 10, 200, 600);
  sketch.op("aten::mm", 100, 200);
  sketch.launched("gemm", 110, 500, 900);
  const std::vector<CollectiveCall> calls = calls_of(std::move(sketch));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].collective, Collective::all_reduce);
  EXPECT_EQ(calls[0].bytes, 2000);
  EXPECT_EQ(calls[0].host_ns, 100);
  EXPECT_EQ(calls[0].gpu_ns, 400);
  EXPECT_EQ(calls[0].exposed_ns, 300);
  EXPECT_EQ(calls[0].algorithm_bandwidth(), 5e9);
  EXPECT_EQ(calls[0].bus_bandwidth(), 7.5e9);
}

// A kernel that does not match hides nothing: the rule of communication_exposed.
TEST(Collectives, AreExposedAsTheRangeIsUnderFilters) {
  CollectiveSketch sketch;
  sketch.collective("allreduce", 0, 100, 1000, 1000, 4);
  sketch.launched(kReduceKernel, 10, 200, 600);
  sketch.op("aten::mm", 100, 200);
  sketch.launched("gemm", 110, 500, 900);
  const SketchedRun trace(std::move(sketch));
  const auto exposed = [&trace](std::vector<Filter> filters) {
    const Aggregation aggregation = trace.whole(std::move(filters));
    int64_t of_calls = 0;
    for (const CollectiveCall& call : collective_calls(trace.profile(), aggregation)) {
      of_calls += call.exposed_ns;
    }
    return std::pair(of_calls, aggregation.communication.exposed_ns);
  };
  using Exposed = std::pair<int64_t, int64_t>;
  EXPECT_EQ(exposed({}), Exposed(300, 300));
  EXPECT_EQ(exposed({{FilterKind::kernel, kReduceKernelName}}), Exposed(400, 400));
  EXPECT_EQ(exposed({{FilterKind::kernel, "gemm"}}), Exposed(0, 0));
}

// The first one does nothing that is known; the last one is a wait by its name.
TEST(Collectives, LeaveOutEventsThatSayNothing) {
  CollectiveSketch sketch;
  sketch.collective("", 0, 5);
  sketch.collective("", 10, 20);
  sketch.launched(kReduceKernel, 12, 20, 30);
  sketch.collective("wait", 40, 45, 0, 0);
  const SketchedRun trace(std::move(sketch));
  const auto calls = calls_of(trace);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].start_ns, 10);
  EXPECT_EQ(calls[0].gpu_events, 1);
  EXPECT_EQ(calls[1].collective, Collective::wait);
}

TEST(Collectives, TakeTheKindFromTheHost) {
  CollectiveSketch sketch;
  sketch.collective("all_to_allv", 0, 100, 1000, 1000, 4);
  sketch.launched("ncclDevKernel_SendRecv(Args)", 10, 200, 600);
  const std::vector<CollectiveCall> calls = calls_of(std::move(sketch));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].collective, Collective::all_to_all);
}

TEST(Collectives, TakeTensorsFromTheAnnotationInside) {
  CollectiveSketch sketch;
  sketch.collective("", 0, 100);
  sketch.annotation("nccl:all_reduce", 5, 95).inputs = sketch.inputs("[[6144]]", "[\"float\"]");
  CollectiveEvent inside;
  inside.host_event = 1;
  sketch.events.collectives.push_back(inside);
  sketch.launched(kReduceKernel, 10, 200, 600);
  const std::vector<CollectiveCall> calls = calls_of(std::move(sketch));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].bytes, 6144 * 4);
  EXPECT_EQ(calls[0].gpu_ns, 400);
  EXPECT_EQ(calls[0].bus_bandwidth(), std::nullopt);
  EXPECT_NE(calls[0].algorithm_bandwidth(), std::nullopt);
}

TEST(Collectives, HaveNoBandwidthWithoutSizeOrType) {
  CollectiveSketch sketch;
  sketch.collective("wait", 0, 10, 0, 0, 4);
  sketch.collective("allreduce", 10, 100, 0, 0, 4);
  sketch.launched(kReduceKernel, 20, 200, 300);
  sketch.collective("allreduce", 100, 200, 10, 10, 4, "");
  sketch.launched(kReduceKernel, 110, 300, 400);
  sketch.collective("allreduce", 200, 300, 10, 10, 1);
  sketch.launched(kReduceKernel, 210, 400, 500);
  const std::vector<CollectiveCall> calls = calls_of(std::move(sketch));
  ASSERT_THAT(calls, SizeIs(4));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(calls[i].algorithm_bandwidth(), std::nullopt) << i;
  EXPECT_EQ(calls[2].bytes, std::nullopt);
  // A group of one rank moves nothing to others.
  EXPECT_NE(calls[3].algorithm_bandwidth(), std::nullopt);
  EXPECT_EQ(calls[3].bus_bandwidth(), std::nullopt);
}

TEST(Collectives, LeaveOutReductionsOfTensors) {
  CollectiveSketch sketch;
  sketch.op("aten::sum", 0, 100);
  sketch.launched("reduce_kernel<512, 1, ReduceOp>", 10, 200, 300);
  EXPECT_THAT(calls_of(std::move(sketch)), IsEmpty());
}

TEST(Collectives, CountKernelsWithoutAnEvent) {
  CollectiveSketch sketch;
  sketch.op("aten::add", 0, 100);
  sketch.kernel(kReduceKernel, 200, 300, 77);
  const SketchedRun trace(std::move(sketch));
  EXPECT_TRUE(has_collectives(trace.profile()));
  const std::vector<CollectiveCall> calls = calls_of(trace);
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].collective, Collective::all_reduce);
  EXPECT_EQ(calls[0].host_ns, std::nullopt);
  EXPECT_EQ(calls[0].exposed_ns, 100);
}

TEST(Collectives, TakeArgumentsOfKernels) {
  CollectiveSketch sketch;
  CollectiveEvent told;
  told.name = sketch.builder.intern("all_gather");
  told.data_type = sketch.builder.intern("Float");
  told.out_elements = 50;
  told.group_size = 2;
  sketch.events.collectives.push_back(told);
  sketch.op("aten::add", 0, 100);
  sketch.kernel("ncclDevKernel_AllGather_RING_LL(Args)", 200, 300, 77).collective = 0;
  const std::vector<CollectiveCall> calls = calls_of(std::move(sketch));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].bytes, 200);
  EXPECT_EQ(calls[0].bus_bandwidth(), 1e9);
}

TEST(Collectives, AddUpByKindGroupAndSize) {
  CollectiveSketch sketch;
  for (int64_t i = 0; i < 4; ++i) {
    sketch.collective("allreduce", 100 * i, 100 * i + 90, i == 3 ? 500 : 1000, i == 3 ? 500 : 1000,
                      2);
    sketch.launched(kReduceKernel, 100 * i + 10, 1000 * i + 200, 1000 * i + 300 + 10 * i);
  }
  const SketchedRun trace(std::move(sketch));
  const std::vector<CollectiveSum> sums = sum_collectives(trace.profile(), calls_of(trace));
  ASSERT_THAT(sums, SizeIs(2));
  EXPECT_EQ(sums[0].kind.name, "AllReduce");
  EXPECT_EQ(sums[0].kind.bytes, 2000);
  EXPECT_EQ(sums[0].gpu, (Stats{3, 330, 100, 120}));
  EXPECT_EQ(sums[0].bytes, 6000);
  EXPECT_DOUBLE_EQ(sums[0].algorithm_bandwidth().value_or(0), 6000e9 / 330);
  EXPECT_EQ(sums[1].kind.bytes, 1000);
}

TEST(Collectives, FollowTheRangeOfIterations) {
  CollectiveSketch sketch;
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t start = 1000 * step;
    sketch.annotation("ProfilerStep#" + std::to_string(step), start, start + 1000);
    sketch.op("aten::add", start + 5, start + 8);
    sketch.collective("allreduce", start + 10, start + 90, 100, 100, 2);
    // Their kernels run an iteration later.
    sketch.launched(kReduceKernel, start + 20, start + 1100, start + 1150 + step);
  }
  const SketchedRun trace(std::move(sketch), "ProfilerStep");
  const std::vector<CollectiveCall> calls = collective_calls(trace.profile(), trace.range({1, 2}));
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].iteration, 1);
  EXPECT_EQ(calls[0].gpu_ns, 51);
  EXPECT_EQ(calls[1].gpu_ns, 52);
  EXPECT_THAT(calls_of(trace), SizeIs(4));
}

TEST(Collectives, ObeyFilters) {
  CollectiveSketch sketch;
  sketch.collective("allreduce", 0, 90, 100, 100, 2);
  sketch.launched(kReduceKernel, 20, 200, 300);
  sketch.collective("broadcast", 100, 190, 100, 100, 2);
  sketch.launched("ncclDevKernel_Broadcast_RING_LL(Args)", 120, 300, 400);
  sketch.collective("wait", 200, 290, 0, 0, 2);
  const SketchedRun trace(std::move(sketch));
  EXPECT_THAT(calls_of(trace), SizeIs(3));
  const std::string name(trace.profile().text(trace.profile().kernels.name[0]));
  const std::vector<CollectiveCall> calls =
      collective_calls(trace.profile(), trace.whole({{.kind = FilterKind::kernel, .text = name}}));
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].collective, Collective::all_reduce);
}

}  // namespace
}  // namespace dlview::aggregate
