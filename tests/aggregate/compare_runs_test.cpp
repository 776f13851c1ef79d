#include "aggregate/compare_runs.h"

#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using ::testing::ElementsAre;

struct MadeRun {
  std::shared_ptr<const profile::Profile> profile;
  Aggregation aggregation;
  ComparedRun compared() const { return {*profile, aggregation}; }
};

MadeRun cut_at_steps(testing::Sketch& sketch, const IterationRange& range) {
  const auto profile = sketch.finish();
  return {profile, make_cpu_aggregator(profile)->aggregate({{CutKind::start, "step", 0}, range})};
}

// Two iterations of 100 ns; in each two convolutions of 20 ns on the GPU.
MadeRun slow_run() {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
  const auto again = sketch.op("conv", "conv2d");  // one of the same name
  for (int64_t at = 100; at < 400; at += 100) {
    sketch.instance(step, at, at + 5);
    sketch.kernel(sketch.instance(conv, at + 10, at + 20), at + 20, at + 40, 0, "sgemm");
    sketch.kernel(sketch.instance(again, at + 20, at + 30), at + 40, at + 60, 0, "sgemm");
  }
  return cut_at_steps(sketch, {1, 2});
}

// Four iterations of 70 ns with one convolution of 15 ns in another kernel, and a norm of 10 ns.
MadeRun fast_run() {
  testing::Sketch sketch;
  const auto norm = sketch.op("norm"), conv = sketch.op("conv", "conv2d"), step = sketch.op("step");
  for (int64_t at = 70; at < 420; at += 70) {
    sketch.instance(step, at, at + 5);
    sketch.kernel(sketch.instance(conv, at + 10, at + 20), at + 20, at + 35, 0, "xmma", true);
    sketch.kernel(sketch.instance(norm, at + 20, at + 22), at + 40, at + 50, 0, "norm");
  }
  return cut_at_steps(sketch, {1, 4});
}

std::vector<std::string> lines(const std::vector<OpChange>& ops) {
  std::vector<std::string> lines;
  for (const OpChange& op : ops) {
    lines.push_back(fmt::format("{} {} {}: {} {}, {} {}", op.name, op.type,
                                op.on_gpu ? "GPU" : "CPU", op.ns.before, op.ns.after,
                                op.calls.before, op.calls.after));
  }
  return lines;
}

TEST(ComparedRuns, MatchByNameAndAverageOverIterations) {
  const MadeRun slow = slow_run(), fast = fast_run();
  const RunComparison comparison = compare_runs(slow.compared(), fast.compared());
  EXPECT_EQ(comparison.iteration_ns.before, slow.aggregation.average_iteration_ns());
  EXPECT_LT(comparison.iteration_ns.difference(), 0);
  // It became shorter: what shrank stands first.
  EXPECT_THAT(lines(comparison.ops), ElementsAre("conv conv2d GPU: 40 15, 2 1", "  GPU: 59 44, 0 0",
                                                 "norm relu GPU: 0 10, 0 1"));
  EXPECT_TRUE(comparison.ops[1].is_idle());
  ASSERT_EQ(comparison.kernels.size(), 3U);
  EXPECT_EQ(comparison.kernels[0].name, "sgemm");
  EXPECT_EQ(comparison.kernels[0].ns.before, 40);
  EXPECT_EQ(comparison.kernels[0].launches.before, 2);
  EXPECT_EQ(comparison.kernels[0].launches.after, 0);
  EXPECT_EQ(comparison.kernels[1].name, "xmma");
  EXPECT_EQ(comparison.kernels[2].name, "norm");
}

TEST(ComparedRuns, DoNotCompareGpuTimesThatOneOfThemDoesNotTell) {
  testing::Sketch sketch;
  const auto step = sketch.op("step"), conv = sketch.op("conv", "conv2d");
  for (int64_t at = 100; at < 400; at += 100) {
    sketch.instance(step, at, at + 5);
    sketch.instance(conv, at + 10, at + 15);
  }
  const MadeRun slow = slow_run();
  MadeRun without_gpu = cut_at_steps(sketch, {1, 2});
  profile::Profile told = *without_gpu.profile;
  told.not_recorded.push_back({std::string(profile::kNoGpuWork), ""});
  without_gpu.profile = std::make_shared<const profile::Profile>(std::move(told));
  const RunComparison comparison = compare_runs(slow.compared(), without_gpu.compared());
  EXPECT_THAT(lines(comparison.ops), ElementsAre("conv conv2d CPU: 20 5, 2 1"));
}

TEST(ComparedRuns, HaveCategoriesThatAddUpToTheMeanDuration) {
  const MadeRun slow = slow_run(), fast = fast_run();
  const RunComparison comparison = compare_runs(slow.compared(), fast.compared());
  MeanDifference sum;
  for (const CategoryChange& change : comparison.categories) {
    sum.before += change.ns.before;
    sum.after += change.ns.after;
  }
  EXPECT_DOUBLE_EQ(sum.before, static_cast<double>(slow.aggregation.range_ns) / 2);
  EXPECT_DOUBLE_EQ(sum.after, static_cast<double>(fast.aggregation.range_ns) / 4);
}

TEST(ComparedRuns, HaveCategoriesThatAreMeansOverTheKeptGpus) {
  testing::Sketch sketch(2);
  sketch.kernel(sketch.instance(sketch.op("conv"), 0, 100), 20, 60, 1);
  const auto profile = sketch.finish();
  Selection selection;
  selection.filters = {{.kind = FilterKind::device, .number = 1}};
  const MadeRun run{profile, make_cpu_aggregator(profile)->aggregate(selection)};
  const RunComparison comparison = compare_runs(run.compared(), run.compared());
  const auto kernels = static_cast<std::size_t>(Category::other_kernels);
  EXPECT_EQ(comparison.categories[kernels].ns.before, 40);
}

TEST(ComparedRuns, HaveMeanAndMedianGpuIdleAndExposedTime) {
  const auto run_with = [](const std::array<int64_t, 5>& exposed_ns) {
    testing::Sketch sketch;
    const auto step = sketch.op("step");
    int64_t now = 0;
    for (const int64_t exposed : exposed_ns) {
      const auto instance = sketch.instance(step, now, now + 1);
      sketch.kernel(instance, now, now + 500);
      sketch.kernel(instance, now + 500, now + 500 + exposed, 0, "ncclKernel_AllReduce");
      now += 600 + exposed;
    }
    sketch.instance(step, now, now + 1);
    return cut_at_steps(sketch, {0, 4});
  };
  const MadeRun even = run_with({40, 40, 40, 40, 40}), straggling = run_with({20, 20, 20, 20, 520});
  const RunComparison comparison = compare_runs(even.compared(), straggling.compared());
  EXPECT_TRUE(comparison.has_communication);
  EXPECT_EQ(comparison.exposed_communication_ns.mean.before, 40);
  EXPECT_EQ(comparison.exposed_communication_ns.mean.after, 120);
  EXPECT_EQ(comparison.exposed_communication_ns.median.before, 40);
  EXPECT_EQ(comparison.exposed_communication_ns.median.after, 20);
  EXPECT_EQ(comparison.gpu_idle_ns.median.difference(), 0);
  EXPECT_EQ(part_differences(comparison), (PartDifferences{0, 80, 0, 0}));
}

TEST(ComparedRuns, ChangeInNothingAgainstThemselves) {
  const MadeRun run = slow_run();
  const RunComparison comparison = compare_runs(run.compared(), run.compared());
  EXPECT_EQ(comparison.iteration_ns.difference(), 0);
  EXPECT_TRUE(comparison.ops.empty());
  EXPECT_TRUE(comparison.kernels.empty());
}

// Whole microseconds make 0 of short ops: they are in the run nevertheless.
TEST(ComparedRuns, ListWhatOneRunAloneHas) {
  const auto run = [](std::string_view other, int64_t other_ns) {
    testing::Sketch sketch;
    const auto step = sketch.op("step"), norm = sketch.op("norm");
    const auto of_one_run = sketch.op(other);
    for (int64_t at = 100; at < 400; at += 100) {
      sketch.instance(step, at, at + 5);
      sketch.kernel(sketch.instance(norm, at + 10, at + 10), at + 20, at + 30, 0, "norm");
      sketch.kernel(sketch.instance(of_one_run, at + 40, at + 40), at + 50, at + 50 + other_ns, 0,
                    other);
    }
    return cut_at_steps(sketch, {1, 2});
  };
  const MadeRun before = run("old", 12), after = run("new", 0);
  const RunComparison comparison = compare_runs(before.compared(), after.compared());
  EXPECT_THAT(lines(comparison.ops), ElementsAre("old relu GPU: 12 0, 1 0", "  GPU: 77 89, 0 0",
                                                 "new relu GPU: 0 0, 0 1"));
  double difference_ns = 0;
  for (const KernelChange& kernel : comparison.kernels) difference_ns += kernel.ns.difference();
  ASSERT_EQ(comparison.kernels.size(), 2U);
  EXPECT_EQ(comparison.kernels[1].name, "new");
  EXPECT_EQ(difference_ns, -12);
  EXPECT_EQ(part_differences(comparison).kernels, -12);
}

TEST(ComparedRuns, SayWhatChangedMore) {
  const auto kind = [](const MeanDifference& ns, const MeanDifference& calls) {
    return to_text(kind_of_change(ns, calls));
  };
  EXPECT_EQ(kind({0, 5}, {0, 1}), "added");
  EXPECT_EQ(kind({0, 0}, {0, 1}), "added");
  EXPECT_EQ(kind({5, 0}, {1, 0}), "removed");
  // 10 ns more of 20: the calls alone would make 20 more.
  EXPECT_EQ(kind({20, 30}, {1, 2}), "more calls");
  EXPECT_EQ(kind({40, 20}, {2, 1}), "fewer calls");
  // 30 ns more: the calls alone would make 10 more, the rest makes 20 more.
  EXPECT_EQ(kind({20, 50}, {2, 3}), "slower");
  EXPECT_EQ(kind({50, 20}, {2, 2}), "faster");
  EXPECT_EQ(kind({0, 0}, {1, 2}), "more calls");
  EXPECT_EQ(kind({20, 20}, {2, 2}), "same");
}

// A run's only kernel of a short name bears that; with others it has a longer one.
TEST(CompareRuns, MatchKernelsByTheirIdentity) {
  const auto run = [](std::string_view name, int64_t ns, bool has_other) {
    testing::Sketch sketch;
    const auto step = sketch.op("step");
    for (int64_t at = 100; at < 400; at += 100) {
      const auto instance = sketch.instance(step, at, at + 5);
      sketch.kernel(instance, at + 10, at + 10 + ns, 0, name, false, "void k<Add<float>>(T1)");
      if (has_other) {
        sketch.kernel(instance, at + 50, at + 60, 0, "k<mul>", false, "void k<Mul<float>>(T1)");
      }
    }
    return cut_at_steps(sketch, {1, 2});
  };
  const MadeRun before = run("k", 20, false), after = run("k<add>", 30, true);
  const RunComparison comparison = compare_runs(before.compared(), after.compared());
  ASSERT_EQ(comparison.kernels.size(), 2U);
  const auto& added =
      comparison.kernels[0].name == "k<add>" ? comparison.kernels[1] : comparison.kernels[0];
  const auto& slower =
      comparison.kernels[0].name == "k<add>" ? comparison.kernels[0] : comparison.kernels[1];
  EXPECT_EQ(slower.name, "k<add>");
  EXPECT_EQ(slower.ns.before, 20);
  EXPECT_EQ(slower.ns.after, 30);
  EXPECT_EQ(added.name, "k<mul>");
  EXPECT_EQ(added.ns.before, 0);
}

// A DLProf database has one name for several functions.
TEST(CompareRuns, MatchKernelsByNameWhereItStandsForSeveral) {
  const auto run = [](std::string_view second) {
    testing::Sketch sketch;
    const auto step = sketch.op("step");
    for (int64_t at = 100; at < 400; at += 100) {
      const auto instance = sketch.instance(step, at, at + 5);
      sketch.kernel(instance, at + 10, at + 20, 0, "k", false, "void k<Add<float>>(T1)");
      sketch.kernel(instance, at + 30, at + 40, 0, "k", false, second);
    }
    return cut_at_steps(sketch, {1, 2});
  };
  const MadeRun before = run("void k<Mul<float>>(T1)"), after = run("void k<Add<float>>(T1)");
  EXPECT_TRUE(compare_runs(before.compared(), after.compared()).kernels.empty());
}

}  // namespace
}  // namespace dlview::aggregate
