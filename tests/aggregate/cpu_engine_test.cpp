// The engine alone: its answers do not depend on what it was asked before.

#include "aggregate/cpu/cpu_engine.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/difference.h"
#include "aggregate/engine/engine_aggregator.h"
#include "aggregate/engine/profile_index.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

class LoneOpsOfAnEngine : public ::testing::Test {
 protected:
  // Each op once in an iteration, in a group of its own, so that groups take the sums of ops.
  LoneOpsOfAnEngine()
      : profile_(testing::random_profile(options())),
        iterations_(cut_iterations(profile_, {CutKind::start, std::string(testing::kRandomKeyOp)})),
        last_(static_cast<int64_t>(iterations_.rows.size()) - 1) {}

  static testing::RandomProfileOptions options() {
    testing::RandomProfileOptions options;
    options.seed = 5;
    options.ops = 80;
    options.key_instances = 30;
    return options;
  }

  std::unique_ptr<Engine> engine() const {
    auto made = cpu_engine({.block_rows = 16})(profile_, std::make_shared<ProfileIndex>(profile_));
    made->set_iterations(iterations_);
    return made;
  }
  RowFilter one_device() const {
    const int64_t device = profile_.devices.front().device_id;
    return {profile_, {{.kind = FilterKind::device, .number = device}}};
  }
  void ask_rows(Engine& engine, Part part, const IterationRange& range) const {
    engine.rows(part, iterations_.rows[static_cast<std::size_t>(range.first)].first_instance,
                iterations_.rows[static_cast<std::size_t>(range.last)].last_instance);
  }
  // Of an engine that was asked nothing else.
  Cells groups(Part part, const IterationRange& range) const {
    const auto made = engine();
    if (part == Part::kept) made->set_filter(one_device());
    ask_rows(*made, part, range);
    return made->groups(part, range);
  }
  void expect_groups(Engine& engine, Part part, const IterationRange& range) const {
    const Cells actual = engine.groups(part, range), expected = groups(part, range);
    EXPECT_EQ(actual.sums, expected.sums) << range.first << " to " << range.last;
    EXPECT_EQ(actual.lows, expected.lows) << range.first << " to " << range.last;
  }

  profile::Profile profile_;
  Iterations iterations_;
  int64_t last_;
};

TEST_F(LoneOpsOfAnEngine, MatchTheRangeAfterAnyEarlierQuery) {
  ASSERT_GT(last_, 10);
  const auto made = engine();
  expect_groups(*made, Part::all, {2, 5});
  ask_rows(*made, Part::all, {0, last_});
  expect_groups(*made, Part::all, {3, 8});
  ask_rows(*made, Part::all, {3, 8});
  expect_groups(*made, Part::all, {0, last_});
}

TEST_F(LoneOpsOfAnEngine, AreThoseOfTheFilterThatWasSetLast) {
  const auto made = engine();
  made->set_filter({profile_, {}});
  ask_rows(*made, Part::kept, {1, 9});
  made->groups(Part::kept, {1, 9});
  made->set_filter(one_device());
  expect_groups(*made, Part::kept, {1, 9});
  ask_rows(*made, Part::all, {1, 9});
  expect_groups(*made, Part::kept, {1, 9});
  ASSERT_NE(groups(Part::kept, {1, 9}).sums, groups(Part::all, {1, 9}).sums);
}

TEST_F(LoneOpsOfAnEngine, AreThoseOfTheCutThatWasSetLast) {
  const auto made = engine();
  expect_groups(*made, Part::all, {0, 3});
  const Iterations whole = cut_iterations(profile_, {});
  made->set_iterations(whole);
  made->groups(Part::all, {0, 0});
  made->set_iterations(iterations_);
  expect_groups(*made, Part::all, {0, 3});
}

// However much of it is done: the rest is made then.
TEST(CpuEngine, AnswersFiltersAsWithoutPreparing) {
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 9}));
  const Selection selection{{CutKind::start, std::string(testing::kRandomKeyOp)},
                            {1, 9},
                            {{.kind = FilterKind::tensor_core, .number = 1}}};
  const auto engine = [&] {
    return make_engine_aggregator(profile, {cpu_engine({.block_rows = 16})});
  };
  const Aggregation expected = engine()->aggregate(selection);
  int bits = 0;
  for (const auto prepared = engine(); prepared->prepare_filters();) ++bits;
  ASSERT_GE(bits, 2 * static_cast<int>(profile->devices.size())) << "counting, adding";
  for (int done = 0; done <= bits + 1; ++done) {
    const auto prepared = engine();
    for (int i = 0; i < done; ++i) EXPECT_EQ(prepared->prepare_filters(), i < bits);
    EXPECT_EQ(first_difference(prepared->aggregate(selection), expected), "") << done;
    EXPECT_FALSE(prepared->prepare_filters()) << "the filter has made what was left";
  }
}

}  // namespace
}  // namespace dlview::aggregate
