// Comparisons of random runs: parts add up, swapped runs give the negative, and a run equals
// itself.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/comparison.h"
#include "aggregate/comparison/counterpart.h"
#include "support/random_profile.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using ::testing::Contains;
using ::testing::Field;

Cut random_cut() {
  return {.key_op = std::string(testing::kRandomKeyOp)};
}

std::shared_ptr<const ComparedRun> random_run(uint64_t seed, int devices = 2) {
  testing::RandomProfileOptions options;
  options.seed = seed;
  options.kernel_devices = devices;
  options.key_instances = 5 + static_cast<int>(seed % 7);
  return compared_run(std::make_shared<const profile::Profile>(testing::random_profile(options)),
                      random_cut());
}

void expect_sums(const Bar& whole, const std::vector<const Bar*>& bars) {
  Bar sum;
  for (const Bar* const bar : bars) {
    sum.before_ns += bar->before_ns;
    sum.after_ns += bar->after_ns;
    sum.before_sum_ns += bar->before_sum_ns;
    sum.after_sum_ns += bar->after_sum_ns;
  }
  EXPECT_EQ(sum.before_ns, whole.before_ns);
  EXPECT_EQ(sum.after_ns, whole.after_ns);
  EXPECT_EQ(sum.difference_ns(), whole.difference_ns());
  EXPECT_EQ(sum.before_sum_ns, whole.before_sum_ns);
  EXPECT_EQ(sum.after_sum_ns, whole.after_sum_ns);
}

template <typename Bars>
std::vector<const Bar*> pointers(const Bars& bars) {
  std::vector<const Bar*> result;
  for (const Bar& bar : bars) result.push_back(&bar);
  return result;
}

TEST(Waterfall, ShownPartsAddUpEverywhere) {
  for (uint64_t seed = 1; seed <= testing::seeds(12); ++seed) {
    SCOPED_TRACE(seed);
    const RunPair runs(random_run(seed), random_run(seed + 100, 1 + static_cast<int>(seed % 3)));
    const auto count = [](const ComparedRun& run) { return run.exclusive.iteration_count(); };
    for (const RangePair& ranges :
         {RangePair{{0, count(runs.before()) - 1}, {0, count(runs.after()) - 1}},
          RangePair{{1, 2}, {0, 2}}, RangePair{{3, 3}, {1, 3}}}) {
      const Waterfall waterfall = runs.waterfall(ranges);
      expect_sums(waterfall.iteration, pointers(waterfall.parts));
      for (const PartBar& part : waterfall.parts) {
        expect_sums(part, pointers(part.ops));
        for (const OpBar& op : part.ops) {
          if (!op.kernels.empty()) expect_sums(op, pointers(op.kernels));
          const CallSplit split = waterfall.split(op);
          EXPECT_EQ(split.by_calls_ns + split.by_time_per_call_ns, op.difference_ns());
        }
      }
    }
  }
}

TEST(Comparison, ComparesTheNearestRangesThereAre) {
  const auto runs =
      std::make_shared<const RunPair>(compared_training({.seed = 1, .iterations = 12}),
                                      compared_training({.seed = 2, .iterations = 20}));
  const Comparison beyond = compare(runs, {{5, 400}, {-3, 1'000}});
  const int64_t before = runs->before().exclusive.iteration_count() - 1;
  const int64_t after = runs->after().exclusive.iteration_count() - 1;
  const RangePair nearest{{5, before}, {0, after}};
  EXPECT_EQ(beyond.ranges, nearest);
  EXPECT_EQ(beyond.waterfall.iteration, compare(runs, nearest).waterfall.iteration);
  EXPECT_EQ(runs->waterfall({{400, 500}, {-9, -4}}).iteration,
            runs->waterfall({{before, before}, {0, 0}}).iteration);
}

// What a frame shows of the whole; bars do not depend on what else there is.
TEST(Waterfall, HasTheSameBarsInAnyScope) {
  using Depth = WaterfallScope::Depth;
  for (uint64_t seed = 1; seed <= testing::seeds(6); ++seed) {
    SCOPED_TRACE(seed);
    const RunPair runs(random_run(seed), random_run(seed + 100));
    const WaterfallSide before = runs.before().side({0, 2}), after = runs.after().side({1, 3});
    const Waterfall all = runs.waterfall(before, after);
    for (std::size_t p = 0; p < kStackPartCount; ++p) {
      for (const Depth depth : {Depth::parts, Depth::ops, Depth::kernels}) {
        const Waterfall some = runs.waterfall(before, after, {depth, kStackParts[p]});
        EXPECT_EQ(some.iteration, all.iteration);
        for (std::size_t other = 0; other < kStackPartCount; ++other) {
          EXPECT_EQ(Bar(some.parts[other]), Bar(all.parts[other]));
          const bool has_ops = other == p && depth != Depth::parts;
          ASSERT_EQ(some.parts[other].ops.size(), has_ops ? all.parts[p].ops.size() : 0);
        }
        for (std::size_t o = 0; o < some.parts[p].ops.size(); ++o) {
          const OpBar &one = some.parts[p].ops[o], &expected = all.parts[p].ops[o];
          EXPECT_EQ(Bar(one), Bar(expected));
          EXPECT_EQ(one.kernels.size(), depth == Depth::kernels ? expected.kernels.size() : 0);
          if (depth == Depth::kernels) {
            EXPECT_EQ(one.kernels, expected.kernels);
          }
          const Waterfall of_op = runs.waterfall(
              before, after, {depth, kStackParts[p], std::pair(one.before, one.after)});
          EXPECT_EQ(of_op.parts[p].ops[o].kernels, one.kernels);
        }
      }
    }
  }
}

TEST(Counterpart, OfTheSameRunIsTheEventItself) {
  for (uint64_t seed = 1; seed <= testing::seeds(4); ++seed) {
    SCOPED_TRACE(seed);
    const auto run = random_run(seed);
    const RunPair runs(run, run);
    const Iteration& iteration = run->table->iterations.rows[2];
    int found = 0;
    for (profile::InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
      if (runs.matching().of_before(run->profile->instances.op[i]) == nullptr) continue;
      EXPECT_EQ(counterpart(runs, {true, 2, 2}, i), i);
      for (profile::KernelIndex k = run->profile->instances.first_kernel[i];
           k < run->profile->instances.first_kernel[profile::InstanceIndex(i + 1)]; ++k) {
        EXPECT_EQ(counterpart(runs, {true, 2, 2}, k), k);
        ++found;
      }
    }
    EXPECT_GT(found, 0);
  }
}

TEST(Counterpart, LeadsBackFromTheOtherRun) {
  const auto run = random_run(3);
  const RunPair runs(run, run);
  int found = 0;
  const Iteration& iteration = run->table->iterations.rows[1];
  for (profile::InstanceIndex i = iteration.first_instance; i < iteration.last_instance; ++i) {
    const auto other = counterpart(runs, {true, 1, 3}, i);
    if (!other) continue;
    ++found;
    EXPECT_NE(*other, i);
    EXPECT_EQ(run->profile->instances.op[*other], run->profile->instances.op[i]);
    EXPECT_EQ(counterpart(runs, {false, 3, 1}, *other), i);
  }
  EXPECT_GT(found, 0);
  EXPECT_FALSE(counterpart(runs, {true, 1, 1000}, iteration.first_instance));
}

// The mean iteration, by another way than the sums of parts.
TEST(Waterfall, BeginsAndEndsWithMeanIterations) {
  const RunPair runs(random_run(5), random_run(6));
  const RangePair ranges{{1, 3}, {0, 3}};
  const Waterfall waterfall = runs.waterfall(ranges);
  const auto mean = [](const ComparedRun& run, const IterationRange& range) {
    int64_t sum = 0;
    for (int64_t i = range.first; i <= range.last; ++i) {
      sum += run.table->iterations.rows[static_cast<std::size_t>(i)].duration_ns();
    }
    return std::llround(static_cast<double>(sum) / static_cast<double>(range.size()));
  };
  EXPECT_EQ(waterfall.iteration.before_ns, mean(runs.before(), ranges.before));
  EXPECT_EQ(waterfall.iteration.after_ns, mean(runs.after(), ranges.after));
}

TEST(Waterfall, SwappedRunsGiveTheNegative) {
  for (uint64_t seed = 1; seed <= testing::seeds(6); ++seed) {
    SCOPED_TRACE(seed);
    const auto a = random_run(seed), b = random_run(seed + 50);
    const RangePair ranges{{0, 3}, {1, 4}};
    const Waterfall there = RunPair(a, b).waterfall(ranges),
                    back = RunPair(b, a).waterfall({ranges.after, ranges.before});
    EXPECT_EQ(there.iteration.difference_ns(), -back.iteration.difference_ns());
    for (std::size_t p = 0; p < kStackPartCount; ++p) {
      EXPECT_EQ(there.parts[p].difference_ns(), -back.parts[p].difference_ns());
      std::map<std::tuple<profile::Row, profile::Row, int>, int64_t> ns;
      for (const OpBar& op : there.parts[p].ops) {
        ns[{op.before, op.after, op.cause ? static_cast<int>(*op.cause) : -1}] = op.difference_ns();
      }
      ASSERT_EQ(ns.size(), back.parts[p].ops.size());
      for (const OpBar& op : back.parts[p].ops) {
        EXPECT_EQ(ns.at({op.after, op.before, op.cause ? static_cast<int>(*op.cause) : -1}),
                  -op.difference_ns());
      }
    }
  }
}

TEST(Comparison, OneRunWithItselfChangesNothing) {
  const auto run = random_run(9);
  const RunPair runs(run, run);
  const int64_t last = run->exclusive.iteration_count() - 1;
  const RangePair ranges{{0, last}, {0, last}};
  const Waterfall waterfall = runs.waterfall(ranges);
  const Judgment judgment = judge(runs, ranges, waterfall, {});
  ASSERT_TRUE(judgment.iteration);
  EXPECT_EQ(judgment.iteration->verdict, Verdict::no_difference);
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    EXPECT_EQ(waterfall.parts[p].difference_ns(), 0);
    for (std::size_t o = 0; o < waterfall.parts[p].ops.size(); ++o) {
      const OpBar& op = waterfall.parts[p].ops[o];
      EXPECT_EQ(op.difference_ns(), 0);
      EXPECT_TRUE(op.by || !op.is_op());
      for (const KernelBar& kernel : op.kernels) {
        EXPECT_EQ(kernel.difference_ns(), 0);
        EXPECT_EQ(kernel.pairing, KernelPairing::same);
      }
      EXPECT_THAT(
          judgment.parts[p].ops[o].kind,
          ::testing::AnyOf(ChangeKind::same, ChangeKind::not_judged, ChangeKind::inconclusive));
    }
  }
  const ComparabilityReport report = check_comparability(runs, ranges, waterfall);
  EXPECT_TRUE(report.is_same_capture);
  EXPECT_THAT(report.reasons, Contains(Field(&Reason::id, "same_capture")));
}

}  // namespace
}  // namespace dlview::aggregate
