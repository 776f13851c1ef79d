#include "aggregate/engine/faster_engine.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/difference.h"
#include "aggregate/fake_engine.h"
#include "aggregate/reference/reference.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FasterEngine : public ::testing::Test {
 protected:
  // Asks for some ranges, with and without a filter, and holds the answers to the reference.
  void ask(std::vector<MakeEngine> engines) {
    aggregator_ = make_engine_aggregator(profile_, {faster_engine(std::move(engines))});
    ask_on();
  }
  void ask_on() {
    for (const Aggregation& expected : expected_) {
      ASSERT_EQ(first_difference(aggregator_->aggregate(expected.selection), expected), "");
    }
  }
  static std::vector<Aggregation> expected_of(
      const std::shared_ptr<const profile::Profile>& profile) {
    const auto reference = make_reference_aggregator(profile);
    const Cut cut{CutKind::start, std::string(testing::kRandomKeyOp)};
    std::vector<Aggregation> expected;
    for (int64_t first = 0; first < 5; ++first) {
      for (const std::vector<Filter>& filters :
           {std::vector<Filter>{}, {{.kind = FilterKind::tensor_core, .number = 1}}}) {
        expected.push_back(reference->aggregate({cut, {first, 7}, filters}));
      }
    }
    return expected;
  }

  std::shared_ptr<const profile::Profile> profile_ =
      std::make_shared<const profile::Profile>(testing::random_profile({}));
  const std::vector<Aggregation> expected_ = expected_of(profile_);
  std::unique_ptr<Aggregator> aggregator_;
  MakeEngine fast_ = fake_engine({.name = "fast"});
  MakeEngine slow_ = fake_engine({.name = "slow", .delay = milliseconds(20)});
  MakeEngine other_ = fake_engine({.name = "other"});
};

TEST_F(FasterEngine, IsTheOneThatTakesLessForARange) {
  ask({slow_, fast_});
  EXPECT_EQ(aggregator_->name(), "fast");
  EXPECT_THAT(aggregator_->reason(), StartsWith("A change of the range takes "));
  EXPECT_THAT(aggregator_->reason(), HasSubstr("with the slow engine"));
  ask({fast_, slow_});
  EXPECT_EQ(aggregator_->name(), "fast");
  EXPECT_EQ(aggregator_->notice(), "");
}

TEST_F(FasterEngine, IsNotChosenByTheFirstAnswer) {
  aggregator_ = make_engine_aggregator(profile_, {faster_engine({slow_, fast_})});
  aggregator_->aggregate({});
  EXPECT_EQ(aggregator_->reason(), "");
}

TEST_F(FasterEngine, PreparesForFiltersOnceItIsChosen) {
  aggregator_ = make_engine_aggregator(profile_, {faster_engine({slow_, fast_})});
  EXPECT_FALSE(aggregator_->prepare_filters());
  for (int64_t last = 3; last < 7; ++last) {
    aggregator_->aggregate({expected_.front().selection.cut, {0, last}});
  }
  ASSERT_NE(aggregator_->reason(), "");
  EXPECT_TRUE(aggregator_->prepare_filters());
}

TEST_F(FasterEngine, IsTheOnlyOneThatCanBeMade) {
  const MakeEngine impossible = fake_engine({.name = "impossible", .can_be_made = false});
  for (const auto& engines : {std::vector{impossible, other_}, std::vector{other_, impossible}}) {
    ask(engines);
    EXPECT_EQ(aggregator_->name(), "other");
    EXPECT_EQ(aggregator_->reason(), "cannot be made");
  }
  EXPECT_THROW(ask({impossible, impossible}), std::runtime_error);
}

TEST_F(FasterEngine, IsTheOtherOneWhereverOneFails) {
  for (int questions = 0; questions < 12; ++questions) {
    const MakeEngine failing = fake_engine({.name = "failing", .questions = questions});
    for (const auto& engines : {std::vector{failing, other_}, std::vector{other_, failing}}) {
      ask(engines);
      EXPECT_EQ(aggregator_->name(), "other") << questions;
      EXPECT_EQ(aggregator_->reason(), "out of memory") << questions;
    }
  }
}

TEST_F(FasterEngine, IsFollowedByTheNextEngineWhenItFailsAfterTheChoice) {
  const MakeEngine failing = fake_engine({.name = "failing", .questions = 100});
  aggregator_ = make_engine_aggregator(profile_, {faster_engine({failing, slow_}), cpu_engine()});
  for (int i = 0; i < 10; ++i) ask_on();
  EXPECT_EQ(aggregator_->name(), "cpu");
  EXPECT_EQ(aggregator_->notice(), "out of memory");
  EXPECT_EQ(aggregator_->reason(), "");
}

}  // namespace
}  // namespace dlview::aggregate
