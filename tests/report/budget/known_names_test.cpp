#include "report/budget/known_names.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/budget/judge.h"
#include "report/budget/metrics.h"
#include "support/sketch.h"

namespace dlview::report::budget {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct NamedRun {
  int first_layer = 0, layers = 2;
  std::string kernel = "gemm";
  bool synchronizes = false, has_dropout = false;
};

std::shared_ptr<const profile::Profile> run_of(const NamedRun& options) {
  testing::Sketch sketch;
  int64_t now = 0;
  for (int layer = 0; layer < options.layers; ++layer, now += 100) {
    const std::string path = fmt::format("/blocks.{}.attn", options.first_layer + layer);
    const profile::Row instance = sketch.instance(sketch.op(path), now, now + 20);
    sketch.kernel(instance, now, now + 30, 0, options.kernel);
    if (options.synchronizes) sketch.sync(instance, now + 30, now + 40);
  }
  if (options.has_dropout) {
    sketch.kernel(sketch.instance(sketch.op("/dropout"), now, now + 20), now, now + 20, 0,
                  options.kernel);
  }
  return sketch.finish();
}

aggregate::Aggregation aggregation_of(const std::shared_ptr<const profile::Profile>& profile) {
  return aggregate::make_cpu_aggregator(profile)->aggregate({{}, {0, 0}});
}
KnownNames names_in(const NamedRun& options) {
  const auto profile = run_of(options);
  return names_of(*profile, aggregation_of(profile));
}

TEST(KnownNames, LeaveOutRunningNumbers) {
  EXPECT_THAT(names_in({}).ops, ElementsAre("/blocks.#.attn"));
  EXPECT_THAT(new_names(names_in({}), names_in({.first_layer = 7, .layers = 5})), IsEmpty());
}

TEST(KnownNames, FindWhatIsNew) {
  const KnownNames known = names_in({});
  EXPECT_THAT(new_names(known, names_in({.has_dropout = true})), ElementsAre("op /dropout"));
  EXPECT_THAT(new_names(known, names_in({.kernel = "gemm2"})), ElementsAre("kernel gemm2"));
  EXPECT_THAT(new_names(known, names_in({.synchronizes = true})),
              ElementsAre(HasSubstr(" in /blocks.#.attn")));
  EXPECT_THAT(new_names(names_in({.has_dropout = true}), known), IsEmpty());
}

TEST(KnownNames, LongNamesEndWithAHash) {
  const std::string name(400, 'k');
  const KnownNames known = names_in({.kernel = name});
  EXPECT_EQ(known.kernels.begin()->size(), 118U);
  EXPECT_THAT(new_names(known, names_in({.kernel = name})), IsEmpty());
  EXPECT_EQ(new_names(known, names_in({.kernel = name + "j"})).size(), 1U);
}

TEST(KnownNames, RateIsAShareOfGpuTime) {
  const KnownNames known = names_in({});
  const auto run = run_of({.has_dropout = true});
  EXPECT_DOUBLE_EQ(known_share(known, *run, aggregation_of(run)), 60.0 / 80);
  EXPECT_DOUBLE_EQ(known_share({}, *run, aggregation_of(run)), 0);
  EXPECT_DOUBLE_EQ(known_share(names_in({.has_dropout = true}), *run, aggregation_of(run)), 1);
}

Judgement judged(const std::string& budget, const NamedRun& options, const Baseline* baseline) {
  const auto file = parse_budget_file("[[budget]]\n" + budget, "budget.toml");
  EXPECT_TRUE(file.ok());
  Meter meter(run_of(options), {{}, {0, 0}});
  return judge(*file, meter, baseline).judgements.front();
}
Baseline baseline_of(const std::string& budget, const NamedRun& options) {
  const auto file = parse_budget_file("[[budget]]\n" + budget, "budget.toml");
  Meter meter(run_of(options), {{}, {0, 0}});
  Baseline baseline;
  add_capture(*file, meter, "1", baseline);
  return baseline;
}

TEST(NameBudgets, NameWhatIsNew) {
  const std::string budget = "metric = \"new\"\nat_most = 0\n";
  const Baseline baseline = baseline_of(budget, {});
  EXPECT_EQ(judged(budget, {.layers = 4}, &baseline).state, State::kept);
  const Judgement broken = judged(budget, {.kernel = "slow_gemm"}, &baseline);
  EXPECT_EQ(broken.state, State::broken);
  EXPECT_EQ(broken.reason, "1 is above 0: kernel slow_gemm");
}

TEST(NameBudgets, LimitTheMatchRate) {
  const std::string budget = "metric = \"match_rate\"\nat_least = \"90%\"\n";
  const Baseline baseline = baseline_of(budget, {});
  EXPECT_EQ(judged(budget, {}, &baseline).state, State::kept);
  const Judgement broken = judged(budget, {.has_dropout = true}, &baseline);
  EXPECT_EQ(broken.state, State::broken);
  EXPECT_EQ(broken.value, 75 * kPercent);
}

TEST(NameBudgets, NeedABaselineWithNames) {
  const std::string budget = "metric = \"new\"\nat_most = 0\n";
  Baseline baseline = baseline_of(budget, {});
  baseline.names.reset();  // as an older dlview wrote it
  const Judgement older = judged(budget, {}, &baseline);
  EXPECT_EQ(older.state, State::not_measurable);
  EXPECT_THAT(older.reason, HasSubstr("the baseline has no names"));
  EXPECT_THAT(judged(budget, {}, nullptr).reason, HasSubstr("--baseline"));
}

TEST(NameBudgets, AreNotComparableOnOtherGpus) {
  const std::string budget = "metric = \"new\"\nat_most = 0\n";
  Baseline baseline = baseline_of(budget, {});
  baseline.captures.front().gpus = {{"NVIDIA H100", 8}};
  EXPECT_EQ(judged(budget, {}, &baseline).state, State::not_comparable);
}

// They compare with the baseline by themselves.
TEST(NameBudgets, RefuseATolerance) {
  const auto file = parse_budget_file(
      "[[budget]]\nmetric = \"match_rate\"\nworse_by_at_most = \"learned\"\n", "budget.toml");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().title, StartsWith("match_rate compares with the baseline"));
}

}  // namespace
}  // namespace dlview::report::budget
