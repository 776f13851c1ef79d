#include "aggregate/compare.h"

#include <memory>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::OpIndex;
using profile::Row;

// Four steps of 100 ns: "step" marks them, "conv" runs 40 ns on the GPU, "load" takes host time. In
// step 2 the loader takes 60 ns instead of 10, in step 3 an op "extra" runs as well.
std::shared_ptr<const profile::Profile> four_steps(OpIndex& conv, OpIndex& load, OpIndex& extra) {
  testing::Sketch sketch;
  const Row step = sketch.op("step");
  conv = OpIndex(sketch.op("net/conv", "conv2d", true));
  load = OpIndex(sketch.op("loader", "DataLoader"));
  extra = OpIndex(sketch.op("extra"));
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t start = 100 * i;
    sketch.instance(step, start, start + 1);
    sketch.kernel(sketch.instance(conv, start + 5, start + 9), start + 20, start + 60);
    sketch.instance(load, start + 30, start + (i == 2 ? 90 : 40));
  }
  sketch.instance(extra, 380, 399);
  return sketch.finish();
}

TEST(CompareIterations, NamesTheCategoriesAndTheOpsThatDiffer) {
  OpIndex conv, load, extra;
  const auto profile = four_steps(conv, load, extra);
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  ASSERT_EQ(table->iterations.rows.size(), 4U);  // the empty one before the first step is left out

  const IterationComparison c = compare_iterations(*profile, *table, 2, 1);
  // The kernel hides the loader up to 60: 30 of its 60 ns are exclusive; nothing of it in step 1.
  EXPECT_EQ(c.categories[static_cast<std::size_t>(Category::data_loader)],
            (CategoryDifference{Category::data_loader, 30, 0}));
  EXPECT_EQ(c.categories[static_cast<std::size_t>(Category::other_kernels)].difference_ns(), 0);
  ASSERT_EQ(c.ops.size(), 1U);
  EXPECT_EQ(c.ops[0], (OpDifference{load, false, 60, 10, 1, 1}));
}

TEST(CompareIterations, PutsTheLargestDifferenceFirst) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), shrinks = sketch.op("shrinks"), grows = sketch.op("grows");
  sketch.instance(step, 0, 1);
  sketch.instance(shrinks, 10, 60);
  sketch.instance(grows, 70, 80);
  sketch.instance(step, 100, 101);
  sketch.instance(shrinks, 110, 120);
  sketch.instance(grows, 130, 160);
  sketch.instance(step, 300, 301);
  sketch.instance(step, 310, 311);
  const auto profile = sketch.finish();
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const auto longer = compare_iterations(*profile, *table, 1, 0);
  ASSERT_EQ(longer.ops.size(), 2u);
  EXPECT_EQ(longer.ops[0].op, shrinks);  // by more, against the whole
  EXPECT_EQ(longer.ops[1].op, grows);
  const auto shorter = compare_iterations(*profile, *table, 0, 1);
  ASSERT_EQ(shorter.ops.size(), 2u);
  EXPECT_EQ(shorter.ops[0].op, shrinks);
  EXPECT_EQ(shorter.ops[1].op, grows);
}

TEST(CompareIterations, ListsOpsThatRunOnOneSideOnly) {
  OpIndex conv, load, extra;
  const auto profile = four_steps(conv, load, extra);
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison more = compare_iterations(*profile, *table, 3, 1);
  ASSERT_EQ(more.ops.size(), 1U);
  EXPECT_EQ(more.ops[0], (OpDifference{extra, false, 19, 0, 1, 0}));
  const IterationComparison less = compare_iterations(*profile, *table, 1, 3);
  ASSERT_EQ(less.ops.size(), 1U);
  EXPECT_EQ(less.ops[0].difference_ns(), -19);
}

// Of equal differences the op comes first: it is why.
TEST(CompareIterations, SortsGpuIdleAmongTheOps) {
  testing::Sketch sketch(2);
  const Row step = sketch.op("step");
  const OpIndex conv(sketch.op("conv")), load(sketch.op("load"));
  const auto add_step = [&](int64_t start, int64_t wait_ns, int64_t conv_ns) {
    sketch.instance(step, start, start + 1);
    sketch.instance(load, start + 2, start + 2 + wait_ns);
    const Row instance = sketch.instance(conv, start + 5 + wait_ns, start + 6 + wait_ns);
    const int64_t begin = start + 10 + wait_ns;
    sketch.kernel(instance, begin, begin + conv_ns, 0);
    sketch.kernel(instance, begin + 10, begin + 20, 1);
    sketch.copy(instance, begin + 15, begin + 30, 1);
  };
  add_step(0, 10, 40);
  add_step(100, 30, 44);
  add_step(224, 10, 40);
  sketch.instance(step, 324, 325);
  const auto profile = sketch.finish();
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison c = compare_iterations(*profile, *table, 1, 0);
  // 124 ns instead of 100, the GPUs busy for 44 and 20 ns instead of 40 and 20.
  const OpDifference idle{OpIndex(), true, 123 - 32, 99 - 30};
  ASSERT_EQ(c.ops.size(), 3U);
  EXPECT_EQ(c.ops[0], idle);
  EXPECT_EQ(c.ops[0].difference_ns(), 22);
  EXPECT_EQ(c.ops[1], (OpDifference{load, false, 30, 10, 1, 1}));
  EXPECT_EQ(c.ops[2], (OpDifference{conv, true, 64, 60, 1, 1}));
}

TEST(CompareIterations, KnowsNoIdleTimeWhereNoKernelIsRecorded) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), load = sketch.op("load");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.instance(step, 100 * i, 100 * i + 1);
    sketch.instance(load, 100 * i + 5, 100 * i + 10 + 20 * i);
  }
  sketch.instance(step, 350, 351);
  const auto profile = sketch.finish();
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison c = compare_iterations(*profile, *table, 2, 1);
  ASSERT_EQ(c.ops.size(), 1U);
  EXPECT_EQ(c.ops[0].op, load);
}

TEST(CompareIterations, AddsUpTheKernelsOfEachName) {
  testing::Sketch sketch;
  const Row step = sketch.op("step"), conv = sketch.op("conv");
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t start = 100 * i;
    sketch.instance(step, start, start + 1);
    const Row instance = sketch.instance(conv, start + 5, start + 9);
    sketch.kernel(instance, start + 10, start + 20, 0, "same");
    sketch.kernel(instance, start + 30, start + 35, 0, "again");
    if (i == 1) {
      sketch.kernel(instance, start + 40, start + 47, 0, "again");
      sketch.kernel(instance, start + 50, start + 53, 0, "new");
    }
  }
  const auto profile = sketch.finish();
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison c = compare_iterations(*profile, *table, 1, 0);
  ASSERT_EQ(c.kernels.size(), 2U);
  EXPECT_EQ(profile->text(c.kernels[0].name), "again");
  EXPECT_EQ(c.kernels[0], (KernelDifference{c.kernels[0].name, 12, 5, 2, 1}));
  EXPECT_EQ(profile->text(c.kernels[1].name), "new");
  EXPECT_EQ(c.kernels[1], (KernelDifference{c.kernels[1].name, 3, 0, 1, 0}));
}

TEST(CompareIterations, FindsNothingBetweenAnIterationAndItself) {
  OpIndex conv, load, extra;
  const auto profile = four_steps(conv, load, extra);
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison c = compare_iterations(*profile, *table, 1, 1);
  EXPECT_TRUE(c.ops.empty());
  EXPECT_TRUE(c.kernels.empty());
  for (const CategoryDifference& row : c.categories) EXPECT_EQ(row.difference_ns(), 0);
}

TEST(SlowestIteration, IsTheFirstOfTheLongestInTheRange) {
  OpIndex conv, load, extra;
  const auto profile = four_steps(conv, load, extra);
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  EXPECT_EQ(slowest_iteration(*table, {0, 2}), 0);
  EXPECT_EQ(slowest_iteration(*table, {1, 1}), 1);
}

TEST(TypicalIteration, IsTheOneNearestToTheMedians) {
  OpIndex conv, load, extra;
  const auto profile = four_steps(conv, load, extra);
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  EXPECT_EQ(typical_iteration(*table, {0, 3}), 0);  // 0 and 1 are alike: the lowest number
  EXPECT_EQ(typical_iteration(*table, {2, 2}), 2);
}

TEST(CompareIterations, TellsTheCommunicationOfBoth) {
  testing::Sketch sketch;
  const Row step = sketch.op("step");
  for (int64_t i = 0; i < 2; ++i) {
    const Row instance = sketch.instance(step, 100 * i, 100 * i + 1);
    sketch.kernel(instance, 100 * i + 20, 100 * i + 30 + 20 * i, 0, "ncclDevKernel_SendRecv");
    sketch.kernel(instance, 100 * i + 25, 100 * i + 30, 0);
  }
  const auto profile = sketch.finish();
  const auto table = make_cpu_aggregator(profile)->iteration_table({CutKind::start, "step", 0});
  const IterationComparison c = compare_iterations(*profile, *table, 1, 0);
  EXPECT_EQ(c.communication, (CommunicationTime{30, 25}));
  EXPECT_EQ(c.baseline_communication, (CommunicationTime{10, 5}));
}

}  // namespace
}  // namespace dlview::aggregate
