#include "aggregate/engine/faster_engine.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/difference.h"
#include "aggregate/engines.h"
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
  EXPECT_THAT(aggregator_->reason(), StartsWith("Range change: "));
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

TEST_F(FasterEngine, FallsBackWhenTheChosenEngineFails) {
  const MakeEngine failing = fake_engine({.name = "failing", .questions = 100});
  aggregator_ = make_engine_aggregator(profile_, {faster_engine({failing, slow_}), cpu_engine()});
  for (int i = 0; i < 10; ++i) ask_on();
  EXPECT_EQ(aggregator_->name(), "cpu");
  EXPECT_EQ(aggregator_->notice(), "out of memory");
  EXPECT_EQ(aggregator_->reason(), "");
}

using Question = FakeEngineOptions::Question;

TEST_F(FasterEngine, NeverReturnsAWrongAnswer) {
  for (const Question question :
       {Question::rows, Question::groups, Question::kernel_totals, Question::covered_before}) {
    for (const Part part : {Part::all, Part::kept}) {
      const MakeEngine wrong =
          fake_engine({.name = "wrong", .is_wrong = [=](Question asked, Part of) {
                         return asked == question && of == part;
                       }});
      aggregator_ =
          make_engine_aggregator(profile_, {faster_engine({other_, wrong}), cpu_engine()});
      ask_on();
      EXPECT_EQ(aggregator_->name(), "cpu");
      EXPECT_THAT(aggregator_->notice(),
                  StartsWith("The wrong engine disagrees with the other engine about "));
    }
  }
}

// Asks for ranges until an engine is chosen, then once; an answer must be that of the reference.
class ChosenEngine : public FasterEngine {
 protected:
  void choose_wrong_one(const std::function<bool(Question, Part)>& is_wrong) {
    is_wrong_ = false;
    const MakeEngine wrong =
        fake_engine({.name = "wrong", .is_wrong = [this, is_wrong](Question question, Part part) {
                       return is_wrong_ && is_wrong(question, part);
                     }});
    aggregator_ = make_engine_aggregator(profile_, {faster_engine({slow_, wrong}), cpu_engine()});
    for (int64_t last = 3; last < 7; ++last) aggregator_->aggregate({cut_, {0, last}});
    ASSERT_EQ(aggregator_->name(), "wrong");
    is_wrong_ = true;
  }
  void ask_once(const Selection& selection) {
    const auto reference = make_reference_aggregator(profile_);
    ASSERT_EQ(first_difference(aggregator_->aggregate(selection), reference->aggregate(selection)),
              "");
  }

  const Cut cut_{CutKind::start, std::string(testing::kRandomKeyOp)};
  bool is_wrong_ = false;
};

TEST_F(ChosenEngine, IsComparedOnTheFirstFilterOfEachKind) {
  const auto is_kept = [](Question, Part part) { return part == Part::kept; };
  const Filter op_type{.kind = FilterKind::op_type, .text = "Conv2D"};
  const Filter tensor_core{.kind = FilterKind::tensor_core, .number = 1};
  const Filter time{.kind = FilterKind::time,
                    .window = {profile_->last_ns / 4, profile_->last_ns / 2}};
  for (const Filter& filter : {op_type, tensor_core, time}) {
    choose_wrong_one(is_kept);
    ask_once({cut_, {0, 7}, {filter}});
    EXPECT_EQ(aggregator_->name(), "cpu");
    EXPECT_THAT(aggregator_->notice(), HasSubstr("disagrees with the slow engine"));
  }
  // Another kind was right before.
  choose_wrong_one(is_kept);
  is_wrong_ = false;
  ask_once({cut_, {0, 7}, {tensor_core}});
  ASSERT_EQ(aggregator_->name(), "wrong");
  is_wrong_ = true;
  ask_once({cut_, {0, 7}, {time}});
  EXPECT_EQ(aggregator_->name(), "cpu");
}

TEST_F(ChosenEngine, IsComparedOnTheFirstOtherCut) {
  choose_wrong_one([](Question question, Part) { return question == Question::kernel_totals; });
  ask_once({{}, {0, 0}});
  EXPECT_EQ(aggregator_->name(), "cpu");
  EXPECT_THAT(aggregator_->notice(), HasSubstr("disagrees with the slow engine about kernels"));
}

TEST_F(ChosenEngine, StaysWhenItAgrees) {
  choose_wrong_one([](Question, Part) { return false; });
  ask_on();
  EXPECT_EQ(aggregator_->name(), "wrong");
  EXPECT_EQ(aggregator_->notice(), "");
}

#if __has_include(<thrust/version.h>)
TEST(FasterEngineWithThrust, FindsNoDifference) {
  const MakeEngine thrust = [](const profile::Profile& rows,
                               std::shared_ptr<const ProfileIndex> index) {
    return std::make_unique<ThrustEngine<HostSpace>>(rows, std::move(index));
  };
  for (const auto& [name, options] : unusual_runs()) {
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const auto aggregator =
        make_engine_aggregator(profile, {faster_engine({cpu_engine(), thrust}), cpu_engine()});
    const Cut cut{CutKind::start, std::string(testing::kRandomKeyOp)};
    const std::vector<std::vector<Filter>> filters{
        {},
        {{.kind = FilterKind::tensor_core, .number = 1}},
        {{.kind = FilterKind::time, .window = {profile->last_ns / 3, profile->last_ns / 2}}},
        {{.kind = FilterKind::device, .number = profile->devices.front().device_id}}};
    for (const auto& keep : filters) {
      for (const Cut& by : {cut, Cut{}}) {
        aggregator->aggregate({by, {0, 0}, keep});
      }
    }
    EXPECT_EQ(aggregator->notice(), "") << name;
  }
}

// Asks an engine that numbers so many rows at most, with the CPU engine behind it.
std::string notice_of_limited_engine(
    const testing::RandomProfileOptions& options,
    const std::function<std::size_t(const profile::Profile&)>& limit) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const std::size_t most_rows = limit(*profile);
  const MakeEngine limited = [most_rows](const profile::Profile& rows,
                                         std::shared_ptr<const ProfileIndex> index) {
    return std::make_unique<ThrustEngine<HostSpace>>(
        rows, std::move(index), ThrustEngine<HostSpace>::Options{.most_rows = most_rows});
  };
  const auto aggregator = make_engine_aggregator(profile, {limited, cpu_engine()});
  const auto reference = make_reference_aggregator(profile);
  EXPECT_EQ(first_difference(aggregator->aggregate({}), reference->aggregate({})), "");
  EXPECT_EQ(aggregator->name(), "cpu");
  return aggregator->notice();
}

TEST(ThrustEngine, IsNotUsedForTooManyEvents) {
  const auto limit = [](const profile::Profile& profile) { return profile.kernels.size(); };
  EXPECT_THAT(notice_of_limited_engine({}, limit),
              AllOf(StartsWith("The thrust engine handles at most 700 GPU events and host"),
                    HasSubstr("; this file has ")));
}

TEST(ThrustEngine, IsNotUsedForTooManyMemberships) {
  const auto limit = [](const profile::Profile& profile) { return profile.instances.size(); };
  EXPECT_THAT(notice_of_limited_engine({.kernels = 10, .memory_ops = 0}, limit),
              HasSubstr(" memberships of op instances in groups; this file has "));
}
#endif

}  // namespace
}  // namespace dlview::aggregate
