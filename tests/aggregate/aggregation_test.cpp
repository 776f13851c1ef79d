// Every ratio of an Aggregation, worked out by hand on a run of three iterations on two GPUs, of
// which one is used, and a step that is longer than the others.

#include "aggregate/aggregation.h"

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/reference/reference.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

// iteration 0: [0, 99], 1: [100, 299], 2: [300, 400]; durations 99, 199, 100.
//
//   GPU 0   iteration 0: TC kernel [10, 40), kernel [30, 60)   -> TC 30, other 20, busy 50
//           iteration 1: kernel [150, 250), copy [240, 280)    -> other 100, memory 30, busy 100
//           iteration 2: nothing
//   GPU 1   nothing at all, so no host time either
//   host    iteration 0: conv [0, 20)           -> CPU [0, 10) is free of GPU work: 10
//           iteration 1: step [100, 110), conv [120, 160) -> CPU 10 + 30
//           iteration 2: step [300, 310), loader [320, 400) -> CPU 10, data loader 80
std::shared_ptr<const profile::Profile> three_iterations() {
  testing::Sketch sketch(2);
  const Row step = sketch.op("step");
  const Row conv = sketch.op("conv", "conv2d", true);
  const Row loader = sketch.op("loader", "DataLoader");
  const Row first = sketch.instance(conv, 0, 20);
  sketch.kernel(first, 10, 40, 0, "s884gemm", true);
  sketch.kernel(first, 30, 60, 0, "im2col");
  sketch.instance(step, 100, 110);
  const Row second = sketch.instance(conv, 120, 160);
  sketch.kernel(second, 150, 250, 0, "sgemm");
  sketch.copy(second, 240, 280);
  sketch.instance(step, 300, 310);
  sketch.instance(loader, 320, 400);
  return sketch.finish();
}

Aggregation aggregate_range(int64_t first, int64_t last) {
  return make_cpu_aggregator(three_iterations())
      ->aggregate({{CutKind::start, "step", 0}, {first, last}});
}

TEST(Aggregation, MeasuresTheRangeAsTheSumOfItsIterations) {
  const Aggregation all = aggregate_range(0, 2);
  EXPECT_EQ(all.range_ns, 99 + 199 + 100);
  EXPECT_EQ(all.wall_ns, 400);
  EXPECT_DOUBLE_EQ(all.average_iteration_ns(), 400.0 / 3);
  EXPECT_EQ(sorted_durations(all), (std::vector<int64_t>{99, 100, 199}));
  const double mean = 398.0 / 3;
  const double variance =
      ((99 - mean) * (99 - mean) + (199 - mean) * (199 - mean) + (100 - mean) * (100 - mean)) / 3;
  EXPECT_DOUBLE_EQ(all.iteration_standard_deviation_ns(), std::sqrt(variance));
}

TEST(Aggregation, GivesGpuUtilizationOverAllAndOverUsedGpus) {
  const Aggregation all = aggregate_range(0, 2);
  EXPECT_DOUBLE_EQ(all.device_utilization(all.devices[0]), 100.0 * 150 / 398);
  EXPECT_DOUBLE_EQ(all.device_utilization(all.devices[1]), 0.0);
  EXPECT_DOUBLE_EQ(all.gpu_utilization(), 100.0 * 150 / (2 * 398));
  EXPECT_DOUBLE_EQ(all.gpu_utilization_used(), 100.0 * 150 / 398);
  EXPECT_DOUBLE_EQ(aggregate_range(2, 2).gpu_utilization_used(), 0.0);
}

TEST(Aggregation, CountsMemoryInTheUtilizationOfAnIteration) {
  const Aggregation all = aggregate_range(0, 2);
  EXPECT_DOUBLE_EQ(all.iteration_gpu_utilization(0), 100.0 * 50 / (2 * 99));
  EXPECT_DOUBLE_EQ(all.iteration_gpu_utilization(1), 100.0 * 130 / (2 * 199));
  EXPECT_DOUBLE_EQ(all.iteration_gpu_utilization(2), 0.0);
}

TEST(Aggregation, SharesOutEveryInstantOfEveryGpu) {
  const Aggregation all = aggregate_range(0, 2);
  const double whole = 2 * 398;
  EXPECT_DOUBLE_EQ(all.share(Category::tensor_core_kernels), 100 * 30 / whole);
  EXPECT_DOUBLE_EQ(all.share(Category::other_kernels), 100 * 120 / whole);
  EXPECT_DOUBLE_EQ(all.share(Category::memory), 100 * 30 / whole);
  EXPECT_DOUBLE_EQ(all.share(Category::data_loader), 100 * 80 / whole);
  EXPECT_DOUBLE_EQ(all.share(Category::io), 0.0);
  EXPECT_DOUBLE_EQ(all.share(Category::cpu), 100 * 60 / whole);
  EXPECT_DOUBLE_EQ(all.share(Category::other), 100 * (796 - 320) / whole);
}

TEST(Aggregation, GivesTensorCoreEfficiencyOfKernelTimeAlone) {
  const Aggregation all = aggregate_range(0, 2);
  EXPECT_EQ(all.tensor_core_kernel_ns, 30);
  EXPECT_EQ(all.eligible_kernel_ns, 30 + 30 + 100);
  EXPECT_DOUBLE_EQ(all.tensor_core_efficiency(), 100.0 * 30 / 160);
  EXPECT_DOUBLE_EQ(aggregate_range(2, 2).tensor_core_efficiency(), 0.0);
}

TEST(Aggregation, CountsWhatRunsInsideTheDataLoaderOfATrace) {
  testing::Sketch sketch;
  const std::string loader = "/enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  sketch.instance(sketch.op(loader + "/aten::stack", "stack"), 0, 40);
  sketch.instance(sketch.op("/step with DataLoader/aten::mm", "mm"), 50, 80);
  sketch.kernel(sketch.instance(sketch.op("/aten::add", "add"), 90, 91), 90, 100);
  const auto of_database = sketch.finish();
  const auto of_trace = std::make_shared<profile::Profile>(*of_database);
  of_trace->trace.emplace();
  const auto time_of = [](const std::shared_ptr<const profile::Profile>& profile,
                          Category category) {
    const Aggregation all = make_cpu_aggregator(profile)->aggregate({});
    const Aggregation slow = make_reference_aggregator(profile)->aggregate({});
    const int64_t ns = all.iteration_table->facts[0].per_device[category];
    EXPECT_EQ(ns, slow.iteration_table->facts[0].per_device[category]);
    return ns;
  };
  EXPECT_EQ(time_of(of_trace, Category::data_loader), 40);
  EXPECT_EQ(time_of(of_trace, Category::cpu), 30);
  EXPECT_EQ(time_of(of_database, Category::data_loader), 0) << "DLProf counts by type";
  EXPECT_EQ(time_of(of_database, Category::cpu), 70);
}

TEST(Aggregation, OfAProfileWithoutGpusHasNoShares) {
  testing::Sketch sketch(0);
  sketch.instance(sketch.op("a"), 0, 100);
  const Aggregation all = make_cpu_aggregator(sketch.finish())->aggregate({});
  EXPECT_EQ(all.gpu_utilization(), 0.0);
  EXPECT_EQ(all.share(Category::cpu), 0.0);
  EXPECT_EQ(all.iteration_table->facts[0].per_device[Category::other], 100);
}

}  // namespace
}  // namespace dlview::aggregate
