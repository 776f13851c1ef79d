// Comparisons of runs with planted changes: words and sizes.
#include "aggregate/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/compared_runs.h"

namespace dlview::aggregate {
namespace {

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
                               ::testing::EndsWith("noise between runs. But 1 op is slower.")));
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
  EXPECT_THAT(
      text,
      ::testing::HasSubstr(
          "But 6 ops are slower. The verdict \"slower\" needs the whole interval beyond +2.6%"));
  EXPECT_THAT(text, ::testing::EndsWith("more captures of both programs may."));
  EXPECT_THAT(changes_text(compared), ::testing::EndsWith(", and 3 more"));
  EXPECT_FALSE(deciding_iterations(compared));
  options.linear = 1 / 1.043;
  EXPECT_THAT(
      verdict_text(compared_with(options, {{1, 38}, {1, 38}})),
      ::testing::HasSubstr(
          "But 6 ops are faster. The verdict \"faster\" needs the whole interval beyond −2.6%"));
}

// What the range leaves out may decide it, and does.
TEST(Comparison, NamesTheIterationsThatMayDecide) {
  TrainingOptions options, first;
  options.linear = 1.075;
  options.spread = first.spread = 0.02;
  options.iterations = first.iterations = 400;
  int helped = 0, decided = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    options.seed = first.seed = seed;
    const Comparison compared = compared_with(options, {{1, 20}, {1, 20}}, first);
    const auto all = deciding_iterations(compared);
    if (!all) continue;
    ++helped;
    EXPECT_EQ(compared.judgment.iteration->verdict, Verdict::inconclusive);
    EXPECT_GE(all->before.size(), 400);
    EXPECT_THAT(verdict_text(compared), ::testing::HasSubstr("; the profiles have 40"));
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
              ::testing::HasSubstr("within the 2.0% noise between runs"));
  options.clocks = 1.03;
  const Compared beyond(options);
  EXPECT_THAT(reason_named(beyond.report, "uniform_change")->text,
              ::testing::Not(::testing::HasSubstr("within")));
}

// The linear kernels, 51% of the time, are other ones after.
TEST(UniformChange, NeedsHalfOfAllKernelTime) {
  const auto compared = [](double linear) {
    TrainingOptions before;
    before.linear = linear;
    before.has_dropout = true;
    before.spread = 0.001;
    TrainingOptions after = before;
    after.clocks = 1.06;
    after.replaces_kernel = true;
    return Compared(after, before).report.uniform;
  };
  EXPECT_FALSE(compared(1));
  const auto most = compared(0.7);  // 1.26 of 3.01 ms
  ASSERT_TRUE(most);
  EXPECT_NEAR(most->kernel_share, 1.75 / 3.01, 0.005);
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
    EXPECT_EQ(compared.of_type("linear").kinds, (Kinds{{ChangeKind::renamed, 6}})) << seed;
    EXPECT_EQ(compared.of_type("attention").kinds, (Kinds{{ChangeKind::renamed, 6}})) << seed;
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
