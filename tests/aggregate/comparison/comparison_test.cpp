#include "aggregate/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/compared_runs.h"
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
  const RangePair nearest{{5, 11}, {0, 19}};
  EXPECT_EQ(beyond.ranges, nearest);
  EXPECT_EQ(beyond.waterfall.iteration, compare(runs, nearest).waterfall.iteration);
  EXPECT_EQ(runs->waterfall({{400, 500}, {-9, -4}}).iteration,
            runs->waterfall({{11, 11}, {0, 0}}).iteration);
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

// --- Planted changes -----------------------------------------------------------------------------

struct Compared {
  explicit Compared(const TrainingOptions& changed, TrainingOptions first = {})
      : runs(compared_training(first), compared_training(with_other_seed(changed))),
        ranges(runs.usual_ranges()),
        waterfall(runs.waterfall(ranges)),
        judgment(judge(runs, ranges, waterfall, {})),
        report(check_comparability(runs, ranges, waterfall)) {}
  static TrainingOptions with_other_seed(TrainingOptions options) {
    options.seed += 1000;
    return options;
  }

  // Differences of the ops of a type, and what they became.
  struct OfType {
    int64_t difference_ns = 0, before_ns = 0;
    std::map<ChangeKind, int> kinds;
  };
  OfType of_type(std::string_view type) const {
    OfType result;
    for (std::size_t p = 0; p < kStackPartCount; ++p) {
      if (!is_gpu_part(kStackParts[p])) continue;
      for (std::size_t o = 0; o < waterfall.parts[p].ops.size(); ++o) {
        const OpBar& op = waterfall.parts[p].ops[o];
        const auto& run = op.is_only_after() ? runs.after() : runs.before();
        const auto row = op.is_only_after() ? op.after : op.before;
        if (run.profile->text(run.profile->ops.type[row]) != type) continue;
        result.difference_ns += op.difference_ns();
        result.before_ns += op.before_ns;
        ++result.kinds[judgment.parts[p].ops[o].kind];
      }
    }
    return result;
  }
  bool has_reason(std::string_view id) const {
    return std::ranges::any_of(report.reasons, [id](const Reason& r) { return r.id == id; });
  }

  RunPair runs;
  RangePair ranges;
  Waterfall waterfall;
  Judgment judgment;
  ComparabilityReport report;
};

using Kinds = std::map<ChangeKind, int>;

TEST(PlantedChange, UnchangedRunsDoNotDiffer) {
  const Compared compared({});
  EXPECT_EQ(compared.judgment.iteration->verdict, Verdict::no_difference);
  EXPECT_EQ(compared.of_type("linear").kinds, (Kinds{{ChangeKind::same, 6}}));
  EXPECT_EQ(compared.report.level(), Comparability::comparable);
}

TEST(PlantedChange, FindsOpsTenPercentSlower) {
  TrainingOptions options;
  options.linear = 1.1;
  const Compared compared(options);
  EXPECT_EQ(compared.judgment.iteration->verdict, Verdict::slower);
  const Compared::OfType linear = compared.of_type("linear");
  EXPECT_EQ(linear.kinds, (Kinds{{ChangeKind::slower, 6}}));
  EXPECT_NEAR(static_cast<double>(linear.difference_ns), 6 * 30'000, 6'000);
  EXPECT_EQ(compared.of_type("attention").kinds, (Kinds{{ChangeKind::same, 6}}));
  EXPECT_FALSE(compared.report.uniform);
}

TEST(PlantedChange, FindsReplacedKernels) {
  TrainingOptions options;
  options.replaces_kernel = true;
  options.linear = 0.7;
  const Compared compared(options);
  EXPECT_EQ(compared.of_type("linear").kinds, (Kinds{{ChangeKind::replaced, 6}}));
  const auto& parts = compared.waterfall.parts;
  EXPECT_EQ(parts[0].ops[0].kernels.size(), 1U);
  EXPECT_EQ(parts[0].ops[0].kernels[0].pairing, KernelPairing::replaced);
  EXPECT_EQ(compared.judgment.parts[0].kernels[0][0], ChangeKind::replaced);
}

TEST(PlantedChange, FindsExposedCommunication) {
  TrainingOptions options;
  options.exposes_communication = true;
  const Compared compared(options);
  const PartBar& exposed =
      compared.waterfall.parts[static_cast<std::size_t>(StackPart::exposed_communication)];
  EXPECT_NEAR(static_cast<double>(exposed.difference_ns()), 400'000, 4'000);
  EXPECT_EQ(compared.of_type("all_reduce").kinds, (Kinds{{ChangeKind::moved, 1}}));
}

// A part is judged by all of its ops, also by those that are too small to be judged.
TEST(Judgment, PartsHaveTheTimeOfSmallOps) {
  const auto run = [](int64_t kernel_ns) {
    testing::Sketch sketch;
    const profile::Row step = sketch.op("step");
    std::vector<profile::Row> ops;
    for (int i = 0; i < 2000; ++i) ops.push_back(sketch.op(fmt::format("/op{}x", i)));
    int64_t now = 0;
    for (int i = 0; i < 14; ++i) {
      sketch.instance(step, now, now + 1);
      for (const profile::Row op : ops) {
        sketch.kernel(sketch.instance(op, now, now + 1), now, now + kernel_ns);
        now += kernel_ns;
      }
    }
    sketch.instance(step, now, now + 1);
    return compared_run(sketch.finish(), {.key_op = "step"});
  };
  const RunPair runs(run(1000), run(1200));
  const RangePair ranges{{1, 13}, {1, 13}};
  const Waterfall waterfall = runs.waterfall(ranges);
  const Judgment judgment = judge(runs, ranges, waterfall, {});
  const auto part = static_cast<std::size_t>(StackPart::other_kernels);
  EXPECT_FALSE(judgment.parts[part].ops[0].change);
  ASSERT_TRUE(judgment.parts[part].change);
  EXPECT_NEAR(judgment.parts[part].change->change(), 0.2, 0.01);
  EXPECT_EQ(judgment.parts[part].kind, ChangeKind::slower);
}

TEST(Comparison, IncomparableRunsAreNotJudged) {
  TrainingOptions options;
  options.linear = 1.5;
  const auto before = compared_training({}), after = compared_run(training_run(options), {});
  const auto runs = std::make_shared<const RunPair>(before, after);
  const Comparison comparison = compare(runs, runs->usual_ranges());
  EXPECT_EQ(comparison.comparability.level(), Comparability::not_comparable);
  EXPECT_FALSE(comparison.is_judged());
  for (const JudgedPart& part : comparison.judgment.parts) {
    EXPECT_FALSE(part.change);
    for (const JudgedBar& op : part.ops) {
      EXPECT_FALSE(op.change);
      EXPECT_NE(op.kind, ChangeKind::slower);
      EXPECT_NE(op.kind, ChangeKind::same);
    }
  }
}

TEST(Comparison, OtherRangesOfOneCaptureAreCompared) {
  const auto run = compared_training({});
  const auto runs = std::make_shared<const RunPair>(run, run);
  EXPECT_THAT(verdict_text(compare(runs, {{1, 20}, {1, 20}})), ::testing::StartsWith("The same"));
  EXPECT_THAT(verdict_text(compare(runs, {{1, 18}, {20, 38}})),
              ::testing::Not(::testing::StartsWith("The same")));
}

// What may be chance has no parts that changed.
TEST(Comparison, NamesChangesAsTheVerdictSays) {
  TrainingOptions options;
  options.linear = 1.5;
  const auto before = compared_training({});
  const auto slower = compare(std::make_shared<const RunPair>(before, compared_training(options)),
                              {{1, 18}, {1, 18}});
  ASSERT_EQ(slower.judgment.iteration->verdict, Verdict::slower);
  EXPECT_THAT(changes_text(slower), ::testing::HasSubstr(" +"));
  EXPECT_EQ(changes_text(slower), main_changes_text(slower.waterfall));
  options.linear = 1;
  options.seed = 7;
  const auto same = compare(std::make_shared<const RunPair>(before, compared_training(options)),
                            {{1, 18}, {1, 18}});
  ASSERT_EQ(same.judgment.iteration->verdict, Verdict::no_difference);
  EXPECT_NE(main_changes_text(same.waterfall), "");
  EXPECT_EQ(changes_text(same), "");
}

Comparison compared_with(TrainingOptions options, const RangePair& ranges,
                         TrainingOptions first = {}) {
  options.seed += 1000;
  return compare(
      std::make_shared<const RunPair>(compared_training(first), compared_training(options)),
      ranges);
}

// A slower op that the whole hides is named.
TEST(Comparison, NamesTheSlowerOpOfAnUnchangedWhole) {
  TrainingOptions options;
  options.first_linear = 1.1;
  const Comparison compared = compared_with(options, {{1, 38}, {1, 38}});
  ASSERT_EQ(compared.judgment.iteration->verdict, Verdict::no_difference);
  EXPECT_THAT(verdict_text(compared),
              ::testing::AllOf(::testing::StartsWith("No difference overall: median +"),
                               ::testing::EndsWith("anyway. But 1 op is slower.")));
  EXPECT_THAT(changes_text(compared), ::testing::StartsWith("/model/blocks.0.mlp/linear +"));
  EXPECT_EQ(judged_rows(compared).slower, 1U);
  EXPECT_EQ(judged_rows(compared).faster, 0U);
}

// Between the limits of both verdicts: it says which one is not met.
TEST(Comparison, SaysWhyItIsInconclusive) {
  TrainingOptions options;
  options.linear = 1.043;
  const Comparison compared = compared_with(options, {{1, 38}, {1, 38}});
  ASSERT_EQ(compared.judgment.iteration->verdict, Verdict::inconclusive);
  ASSERT_GT(compared.judgment.iteration->interval->low, 0.015);
  const std::string text = verdict_text(compared);
  EXPECT_THAT(text, ::testing::StartsWith("Inconclusive overall: median +"));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "But 6 ops are slower. Slower needs the whole interval beyond +2.6%"));
  EXPECT_THAT(text, ::testing::EndsWith("more captures of both programs may."));
  EXPECT_THAT(changes_text(compared), ::testing::EndsWith(", and 3 more"));
  EXPECT_FALSE(deciding_iterations(compared));
  options.linear = 1 / 1.043;
  EXPECT_THAT(
      verdict_text(compared_with(options, {{1, 38}, {1, 38}})),
      ::testing::HasSubstr("But 6 ops are faster. Faster needs the whole interval beyond −2.6%"));
}

// What the range leaves out may decide it, and does.
TEST(Comparison, NamesTheIterationsThatMayDecide) {
  TrainingOptions options, first;
  options.linear = 1.075;
  options.spread = first.spread = 0.02;
  options.iterations = first.iterations = 400;
  int helped = 0, decided = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    options.seed = first.seed = seed;
    const Comparison compared = compared_with(options, {{1, 20}, {1, 20}}, first);
    const auto all = deciding_iterations(compared);
    if (!all) continue;
    ++helped;
    EXPECT_EQ(compared.judgment.iteration->verdict, Verdict::inconclusive);
    EXPECT_GE(all->before.size(), 400);
    EXPECT_THAT(verdict_text(compared), ::testing::HasSubstr(": the profiles have 40"));
    decided += compared_with(options, *all, first).judgment.iteration->verdict == Verdict::slower;
  }
  EXPECT_GE(helped, 3);
  EXPECT_GE(decided, helped - 1);
}

TEST(PlantedChange, FewerIterationsChangeNothing) {
  TrainingOptions options;
  options.iterations = 17;
  const Compared compared(options);
  EXPECT_EQ(compared.judgment.iteration->verdict, Verdict::no_difference);
  EXPECT_LT(compared.waterfall.iterations_after, compared.waterfall.iterations_before);
}

TEST(PlantedChange, MatchesRenumberedLayers) {
  TrainingOptions options;
  options.first_layer = 12;
  const Compared compared(options);
  const MatchRate rate = compared.runs.rate_after(compared.ranges.after);
  EXPECT_EQ(rate.gpu.rate(), 1);
  EXPECT_GT(rate.gpu.by_step_ns[static_cast<std::size_t>(MatchedBy::layer)], rate.gpu.all_ns / 2);
  EXPECT_EQ(compared.of_type("linear").kinds, (Kinds{{ChangeKind::same, 6}}));
}

TEST(PlantedChange, FindsLowerClocks) {
  TrainingOptions options;
  options.clocks = 1.03;
  const Compared compared(options);
  ASSERT_TRUE(compared.report.uniform);
  EXPECT_NEAR(compared.report.uniform->factor, 1.03, 0.004);
  EXPECT_TRUE(compared.has_reason("uniform_change"));
  EXPECT_EQ(compared.report.level(), Comparability::with_care);
}

const Reason* reason_named(const ComparabilityReport& report, std::string_view id) {
  const auto found = std::ranges::find(report.reasons, id, &Reason::id);
  return found == report.reasons.end() ? nullptr : &*found;
}

TEST(UniformChange, SaysIfRunsDifferByAsMuch) {
  TrainingOptions options;
  options.spread = 0.001;
  options.clocks = 1.015;
  const Compared within(options);
  ASSERT_NE(reason_named(within.report, "uniform_change"), nullptr);
  EXPECT_THAT(reason_named(within.report, "uniform_change")->text,
              ::testing::HasSubstr("within the 2.0% by which runs differ anyway"));
  options.clocks = 1.03;
  const Compared beyond(options);
  EXPECT_THAT(reason_named(beyond.report, "uniform_change")->text,
              ::testing::Not(::testing::HasSubstr("within")));
}

// The linear kernels, 55% of the time, are other ones after.
TEST(UniformChange, NeedsHalfOfAllKernelTime) {
  const auto compared = [](double linear) {
    TrainingOptions before;
    before.linear = linear;
    before.spread = 0.001;
    TrainingOptions after = before;
    after.clocks = 1.06;
    after.replaces_kernel = true;
    return Compared(after, before).report.uniform;
  };
  EXPECT_FALSE(compared(1));
  const auto most = compared(0.7);  // 1.26 of 2.71 ms
  ASSERT_TRUE(most);
  EXPECT_NEAR(most->kernel_share, 1.45 / 2.71, 0.005);
}

// The factor is 1.5% off, and its error as large.
TEST(UniformChange, NoiseIsNoFactor) {
  TrainingOptions options;
  options.iterations = 12;
  options.spread = 0.03;
  int found = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    options.seed = seed;
    if (Compared(options, options).report.uniform) ++found;
  }
  EXPECT_LE(found, 4);
}

// `launches` short kernels that changed by one factor, and three long ones that did not.
std::shared_ptr<const ComparedRun> run_of_short_kernels(int launches, double factor) {
  testing::Sketch sketch;
  const profile::Row step = sketch.op("step"), op = sketch.op("/op");
  int64_t now = 0;
  for (int i = 0; i < 12; ++i) {
    sketch.instance(step, now, now + 1);
    const profile::Row instance = sketch.instance(op, now, now + 1);
    const auto run = [&](double ns, std::string_view name) {
      const auto end = now + std::llround(ns);
      sketch.kernel(instance, now, end, 0, name);
      now = end;
    };
    for (int launch = 0; launch < launches; ++launch) run(100 * factor, "short");
    for (const std::string_view name : {"a", "b", "c"}) run(40'000, name);
  }
  sketch.instance(step, now, now + 1);
  return compared_run(sketch.finish(), {.key_op = "step"});
}

// 22,000 launches are 2.2 ms, of which 10,000 would be less than the 1.3 ms of the others.
TEST(UniformChange, WeighsKernelsByAllOfTheirTime) {
  const RunPair runs(run_of_short_kernels(2000, 1), run_of_short_kernels(2000, 1.1));
  const std::optional<UniformChange> change = uniform_change(runs, {{1, 11}, {1, 11}});
  EXPECT_FALSE(change);  // not alike
  const RunPair more(run_of_short_kernels(6000, 1), run_of_short_kernels(6000, 1.1));
  const std::optional<UniformChange> alike = uniform_change(more, {{1, 11}, {1, 11}});
  ASSERT_TRUE(alike);
  EXPECT_NEAR(alike->factor, 1.1, 1e-9);
  EXPECT_NEAR(alike->share, 600.0 / 720, 0.01);
}

TEST(UniformChange, NeedsFiveLaunchesEach) {
  const RunPair runs(run_of_short_kernels(9000, 1), run_of_short_kernels(9000, 1.1));
  EXPECT_TRUE(uniform_change(runs, {{1, 5}, {1, 5}}));
  EXPECT_FALSE(uniform_change(runs, {{1, 4}, {1, 4}}));
}

// Graphs as a whole, and a run without graphs.
TEST(Comparability, TellsMissingGraphsFromNodes) {
  const auto run = [](std::string_view kernel) {
    testing::Sketch sketch;
    const profile::Row step = sketch.op("step"), op = sketch.op("/op");
    int64_t now = 0;
    for (int i = 0; i < 12; ++i, now += 100) {
      sketch.instance(step, now, now + 1);
      sketch.kernel(sketch.instance(op, now + 2, now + 3), now, now + 50, 0, kernel);
    }
    return compared_run(sketch.finish(), {.key_op = "step"});
  };
  const RunPair runs(run("k"), run("CUDA graph 7"));
  const RangePair ranges{{1, 10}, {1, 10}};
  const ComparabilityReport report = check_comparability(runs, ranges, runs.waterfall(ranges));
  ASSERT_NE(reason_named(report, "graphs"), nullptr);
  EXPECT_EQ(reason_named(report, "graphs")->level, Comparability::not_comparable);
  EXPECT_THAT(reason_named(report, "graphs")->text,
              ::testing::HasSubstr("the run before has none"));
  EXPECT_THAT(reason_named(report, "graphs")->text,
              ::testing::Not(::testing::HasSubstr("node by node")));
}

TEST(PlantedChange, FindsMoreCalls) {
  TrainingOptions options;
  options.attentions = 2;
  const Compared compared(options);
  EXPECT_EQ(compared.of_type("attention").kinds, (Kinds{{ChangeKind::more_calls, 6}}));
  EXPECT_TRUE(compared.has_reason("launches"));
}

// Two GPUs make twice the calls: each as many as before.
TEST(PlantedChange, MoreGpusAreNoMoreCalls) {
  TrainingOptions options;
  options.devices = 2;
  const Compared compared(options);
  EXPECT_FALSE(compared.has_reason("launches"));
  EXPECT_EQ(compared.waterfall.busy_devices_after, 2);
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    if (!is_gpu_part(kStackParts[p])) continue;
    for (std::size_t o = 0; o < compared.waterfall.parts[p].ops.size(); ++o) {
      const OpBar& op = compared.waterfall.parts[p].ops[o];
      EXPECT_EQ(compared.waterfall.calls_before(op), compared.waterfall.calls_after(op));
      EXPECT_EQ(compared.waterfall.split(op).by_calls_ns, 0);
      const ChangeKind kind = compared.judgment.parts[p].ops[o].kind;
      EXPECT_NE(kind, ChangeKind::more_calls);
      EXPECT_NE(kind, ChangeKind::fewer_calls);
      for (const ChangeKind kernel : compared.judgment.parts[p].kernels[o]) {
        EXPECT_NE(kernel, ChangeKind::more_calls);
      }
    }
  }
  options.attentions = 2;
  EXPECT_EQ(Compared(options).of_type("attention").kinds, (Kinds{{ChangeKind::more_calls, 6}}));
}

// Whatever the noise of the iterations.
TEST(PlantedChange, RenamedLayersHaveOneWord) {
  TrainingOptions renamed;
  renamed.model = "net";
  renamed.spread = 0.05;
  TrainingOptions first;
  first.spread = 0.05;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    renamed.seed = seed;
    const Compared compared(renamed, first);
    EXPECT_EQ(compared.of_type("linear").kinds, (Kinds{{ChangeKind::moved, 6}})) << seed;
    EXPECT_EQ(compared.of_type("attention").kinds, (Kinds{{ChangeKind::moved, 6}})) << seed;
  }
  renamed.linear = 1.2;
  EXPECT_EQ(Compared(renamed, first).of_type("linear").kinds, (Kinds{{ChangeKind::slower, 6}}));
}

TEST(PlantedChange, FindsAddedAndRemovedOps) {
  TrainingOptions with;
  with.has_dropout = true;
  EXPECT_EQ(Compared(with).of_type("dropout").kinds, (Kinds{{ChangeKind::added, 6}}));
  EXPECT_EQ(Compared({}, with).of_type("dropout").kinds, (Kinds{{ChangeKind::removed, 6}}));
}

TEST(PlantedChange, FewIterationsAreNotJudged) {
  TrainingOptions options;
  options.iterations = 1;
  options.linear = 2;
  const Compared compared(options);
  EXPECT_FALSE(compared.judgment.iteration);
  EXPECT_EQ(compared.of_type("linear").kinds.count(ChangeKind::slower), 0U);
  EXPECT_EQ(compared.report.level(), Comparability::not_comparable);
}

// Each kind mirrored, as the runs are.
TEST(PlantedChange, SwappedRunsSwapTheWords) {
  TrainingOptions options;
  options.linear = 1.1;
  options.has_dropout = true;
  const Compared back(TrainingOptions(), options);
  EXPECT_EQ(back.judgment.iteration->verdict, Verdict::faster);
  EXPECT_EQ(back.of_type("linear").kinds, (Kinds{{ChangeKind::faster, 6}}));
}

}  // namespace
}  // namespace dlview::aggregate
