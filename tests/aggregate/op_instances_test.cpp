#include "aggregate/op_instances.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include <gmock/gmock.h>

#include "aggregate/aggregator.h"
#include "aggregate/api_totals.h"
#include "aggregate/instance_times.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::OpIndex;
using ::testing::ElementsAre;

TEST(OpInstances, AreThoseOfTheProfile) {
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5}));
  const OpInstances instances(*profile);
  std::size_t all = 0;
  for (OpIndex op{0}; op < profile->ops.size(); ++op) {
    for (const InstanceIndex instance : instances.of(op)) {
      EXPECT_EQ(profile->instances.op[instance], op);
    }
    EXPECT_TRUE(std::ranges::is_sorted(instances.of(op)));
    all += instances.of(op).size();
  }
  EXPECT_EQ(all, profile->instances.size());
}

TEST(OpInstances, DurationsAddUpToTheSumsOfTheAggregation) {
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 6}));
  const auto engine = make_cpu_aggregator(profile);
  const Cut cut{CutKind::start, std::string(testing::kRandomKeyOp), 0};
  const auto count = static_cast<int64_t>(engine->iteration_table(cut)->iterations.rows.size());
  const OpInstances instances(*profile);
  const Filter one_device{.kind = FilterKind::device, .number = profile->devices[0].device_id};
  const Filter tensor_cores{.kind = FilterKind::tensor_core, .number = 1};
  const Filter beginning{.kind = FilterKind::time, .window = {0, profile->last_ns / 2}};
  const Selection selections[] = {{cut, {0, count - 1}},
                                  {cut, {1, count / 2}},
                                  {cut, {0, count - 1}, {one_device}},
                                  {cut, {1, count / 2}, {tensor_cores}},
                                  {cut, {0, count - 1}, {beginning}}};
  for (const Selection& selection : selections) {
    const IterationRange range = selection.range;
    const Aggregation aggregation = engine->aggregate(selection);
    for (const OpAggregate& op : aggregation.ops) {
      const InstanceDurations durations =
          instance_durations(*profile, aggregation, instances.of(op.op));
      Stats stats;
      for (const DurationSample& sample : durations.samples) {
        stats.add(sample.ns);
        EXPECT_GE(sample.iteration, range.first);
        EXPECT_LE(sample.iteration, range.last);
      }
      EXPECT_EQ(stats, durations.of_gpu ? op.times.gpu : op.times.cpu);
    }
    for (const GroupAggregate& group : aggregation.groups) {
      const auto ops = ops_below(*aggregation.group_tree, group.group);
      const InstanceDurations durations =
          iteration_durations(*profile, aggregation, instances, ops);
      Stats stats;
      for (const DurationSample& sample : durations.samples) stats.add(sample.ns);
      EXPECT_EQ(stats, durations.of_gpu ? group.times.gpu : group.times.cpu);
    }
    for (const KernelAggregate& kernel : aggregation.kernels) {
      Stats stats;
      for (const DurationSample& sample :
           kernel_durations(*profile, aggregation, instances.of(kernel.op), kernel.name)) {
        stats.add(sample.ns);
      }
      EXPECT_EQ(stats, kernel.gpu);
    }
  }
}

TEST(OpInstances, KernelsOfOneShortNameAreToldByTheirFullNames) {
  testing::Sketch sketch(2);
  const OpIndex op(sketch.op("mul"));
  int64_t start = 0;
  const auto launch = [&](std::string_view full_name, int64_t ns, profile::Row device = 0) {
    const auto run = sketch.instance(op, start, start + 1);
    sketch.kernel(run, start, start + ns, device, "elementwise", false, full_name);
    sketch.kernel(run, start, start + 900, device, "other", false, "other<float>");
    start += 1000;
  };
  launch("elementwise<float>", 10);
  launch("elementwise<half>", 40);
  launch("elementwise<float>", 20);
  launch("elementwise<half>", 50, 1);
  const auto profile = sketch.finish();
  const OpInstances instances(*profile);
  const auto engine = make_cpu_aggregator(profile);
  const auto names = [&](const Selection& selection) {
    std::vector<std::tuple<std::string_view, int64_t, int64_t>> found;
    for (const FullNameUse& use :
         full_names(*profile, engine->aggregate(selection), instances.of(op),
                    *profile->strings.find("elementwise"))) {
      EXPECT_EQ(profile->kernels.long_name[use.first], use.name);
      found.emplace_back(profile->text(use.name), use.launches, use.gpu_ns);
    }
    return found;
  };
  EXPECT_THAT(names({{}, {0, 0}}), ElementsAre(std::tuple{"elementwise<half>", 2, 90},
                                               std::tuple{"elementwise<float>", 2, 30}));
  const Filter one_device{.kind = FilterKind::device, .number = profile->devices[0].device_id};
  EXPECT_THAT(
      names({{}, {0, 0}, {one_device}}),
      ElementsAre(std::tuple{"elementwise<half>", 1, 40}, std::tuple{"elementwise<float>", 2, 30}));
}

TEST(Distribution, TellsMedianAndTailAndWhereItWasSlowest) {
  std::vector<DurationSample> samples;
  for (int64_t i = 1; i <= 100; ++i) samples.push_back({i * 10, i});
  const Distribution result = distribution(samples, 10);
  EXPECT_EQ(result.min, 10);
  EXPECT_EQ(result.median, 500);
  EXPECT_EQ(result.p95, 950);
  EXPECT_EQ(result.max, 1000);
  EXPECT_EQ(std::accumulate(result.bins.begin(), result.bins.end(), int64_t{0}), 100);
  ASSERT_EQ(result.slowest.size(), kSlowest);
  EXPECT_EQ(result.slowest[0].iteration, 100);
  EXPECT_EQ(result.slowest[1].iteration, 99);
}

TEST(Distribution, OfOneValueIsOneBin) {
  const Distribution result = distribution({{7, 0, InstanceIndex{0}}, {7, 1, InstanceIndex{1}}}, 4);
  EXPECT_THAT(result.bins, ElementsAre(2, 0, 0, 0));
}

TEST(ApiTotals, SumUpEveryCallOfTheRun) {
  testing::Sketch sketch;
  const profile::Row op = sketch.op("/a");
  const profile::Row instance = sketch.instance(op, 0, 100);
  sketch.kernel(instance, 10, 20);
  sketch.kernel(instance, 20, 30);
  sketch.copy(instance, 30, 40);
  sketch.copy(instance, 40, 50);
  const auto profile = sketch.finish();
  EXPECT_THAT(api_totals(*profile), ElementsAre(ApiTotals{"cudaMemcpyAsync", 2, 6, 3},
                                                ApiTotals{"kernel launches", 2, 4, 2}));
}

// A copy whose call was not recorded is no call, and neither are a kernel and a call stack.
TEST(ApiTotals, OfAnExportAreTheCallsThatWereRecorded) {
  profile::ProfileBuilder builder;
  const profile::Row instance = builder.add_instance({.op = builder.add_op({})});
  builder.add_memory_op({.instance = instance, .name = builder.intern("memcpy")});
  const profile::StringId launch = builder.intern("cudaLaunchKernel_v7000"),
                          newer = builder.intern("cudaLaunchKernel_v12000"),
                          stack = builder.intern("cudaLaunchKernel"),
                          sync = builder.intern("cuStreamSynchronize");
  profile::Profile profile = std::move(builder).finish();
  profile::TraceApiCalls& calls = profile.trace.emplace().api_calls;
  calls.name = std::vector{launch, sync, newer, stack};
  calls.start_ns = std::vector<int64_t>{0, 10, 20, 20};
  calls.end_ns = std::vector<int64_t>{2, 19, 23, 23};
  calls.layer = std::vector{profile::ApiLayer::runtime, profile::ApiLayer::driver,
                            profile::ApiLayer::runtime, profile::ApiLayer::call_stack};
  EXPECT_THAT(api_totals(profile), ElementsAre(ApiTotals{"cuStreamSynchronize", 1, 9, 9},
                                               ApiTotals{"cudaLaunchKernel", 2, 5, 3}));
}

}  // namespace
}  // namespace dlview::aggregate
