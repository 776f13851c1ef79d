#include "workspace/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/stop_point.h"
#include "profile/recorded.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

using aggregate::IterationRange;
using ::testing::HasSubstr;

class SessionTest : public ::testing::Test {
 protected:
  void open(OpenRequest request) {
    session_.open(std::move(request));
    session_.settle();
  }
  int64_t last_iteration() const {
    return static_cast<int64_t>(session_.aggregation()->iteration_table->iterations.rows.size()) -
           1;
  }
  IterationRange shown_range() const { return session_.aggregation()->selection.range; }
  RunModel model() const {
    RunModel model;
    session_.describe(model);
    return model;
  }

  Gate gate_;
  std::atomic<int> wakes_ = 0;
  base::Scheduler scheduler_{[this] { ++wakes_; }};
  Session session_{scheduler_};
};

TEST_F(SessionTest, IsEmptyUntilSomethingIsOpened) {
  EXPECT_EQ(session_.state(), Session::State::empty);
  EXPECT_TRUE(session_.settled());
  EXPECT_FALSE(session_.poll());
  session_.select({kStartCut, {0, 1}});
  EXPECT_EQ(session_.aggregation(), nullptr);
}

TEST_F(SessionTest, LoadsInATaskAndSaysHowFarItIs) {
  gate_.close();
  session_.open(gated_request(gate_));
  EXPECT_EQ(session_.state(), Session::State::loading);
  EXPECT_FALSE(session_.poll());
  EXPECT_TRUE(model().loading.has_value());
  EXPECT_EQ(model().profile, nullptr);
  gate_.open();
  session_.settle();
  EXPECT_EQ(session_.state(), Session::State::open);
  EXPECT_FALSE(model().loading.has_value());
  EXPECT_EQ(model().file_name, "/profiles/random.sqlite");
  EXPECT_EQ(model().engine, "GATED");
  EXPECT_GE(wakes_, 1);
}

TEST_F(SessionTest, OpensWithTheAggregationOfItsSelection) {
  open(random_request());
  ASSERT_NE(session_.aggregation(), nullptr);
  EXPECT_EQ(session_.aggregation()->selection, session_.selection());
  EXPECT_EQ(session_.selection(), session_.first_selection());
  EXPECT_GT(last_iteration(), 5);
}

TEST_F(SessionTest, CountsTensorCoresByThePresentRulesAndBack) {
  open(random_request());
  session_.select({kStartCut, {2, 3}});
  session_.settle();
  const auto flags = [this] { return session_.profile()->kernels.uses_tensor_cores; };
  const auto stored = flags();
  open(session_.reopened(true));
  ASSERT_EQ(session_.state(), Session::State::open);
  EXPECT_TRUE(session_.profile()->source.by_tensor_core_rules);
  EXPECT_EQ(shown_range(), (IterationRange{2, 3}));
  EXPECT_EQ(session_.first_selection().range, (IterationRange{0, last_iteration()}));
  EXPECT_FALSE(std::ranges::equal(flags(), stored)) << "the random names are no Tensor Core names";
  open(session_.reopened(false));
  EXPECT_FALSE(session_.profile()->source.by_tensor_core_rules);
  EXPECT_TRUE(std::ranges::equal(flags(), stored));
}

TEST_F(SessionTest, KeepsTheErrorOfAFileThatCannotBeOpened) {
  open(failing_request());
  EXPECT_EQ(session_.state(), Session::State::failed);
  ASSERT_NE(session_.error(), nullptr);
  EXPECT_EQ(session_.error()->title, "The file is a poem");
  EXPECT_EQ(model().error, *session_.error());
}

TEST_F(SessionTest, KeepsTheReasonOfAStop) {
  OpenRequest request = random_request();
  request.load = [](base::Progress& progress) -> base::Result<profile::Profile> {
    progress.stop({"The file takes too long", "to open", "Wait."});
    base::stop_point();
    return profile::Profile();
  };
  open(std::move(request));
  ASSERT_NE(session_.error(), nullptr);
  EXPECT_EQ(session_.error()->title, "The file takes too long");
}

TEST_F(SessionTest, KeepsTheErrorOfASelectionThatCannotBe) {
  OpenRequest request = random_request();
  request.choose = [](const aggregate::KeyRanking&) -> base::Result<FirstSelection> {
    return base::Error{"Iteration marker not found", "no such op", "choose another"};
  };
  open(std::move(request));
  EXPECT_EQ(session_.state(), Session::State::failed);
}

TEST_F(SessionTest, SaysFirstThatTheFileIsTruncated) {
  OpenRequest request = random_request();
  request.load = [](base::Progress&) -> base::Result<profile::Profile> {
    profile::Profile profile = testing::random_profile({.seed = 5});
    profile.quality = {{"traceEvents", std::string(profile::kTruncated), 0, "all is missing"}};
    return profile;
  };
  open(std::move(request));
  EXPECT_THAT(session_.take_notice(),
              HasSubstr("The file is truncated: all is missing. Copy it again"));
}

TEST_F(SessionTest, OpensAGoodFileAfterABadOne) {
  open(failing_request());
  open(random_request());
  EXPECT_EQ(session_.state(), Session::State::open);
  EXPECT_EQ(session_.error(), nullptr);
}

TEST_F(SessionTest, ForgetsAFileWhoseLoadingIsCanceled) {
  gate_.close();
  session_.open(gated_request(gate_));
  session_.cancel_loading();
  EXPECT_EQ(session_.state(), Session::State::empty);
  gate_.open();
  session_.settle();
  EXPECT_FALSE(session_.poll());
  EXPECT_EQ(session_.state(), Session::State::empty);
}

TEST_F(SessionTest, AnswersAtOnceWhereTheEngineIsFast) {
  open(remembering_request());
  for (const IterationRange range : {IterationRange{2, 4}, {3, 5}, {2, 4}}) {
    session_.select({kStartCut, range});
    session_.settle();
  }
  session_.select({kStartCut, {3, 5}});
  EXPECT_EQ(shown_range(), (IterationRange{3, 5}));
  EXPECT_TRUE(session_.settled());
}

TEST_F(SessionTest, RecomputesTheShownSplitAfterAPreview) {
  open(slow_to_cut_request());
  for (const IterationRange range : {IterationRange{2, 4}, {3, 5}, {2, 4}}) {
    session_.select({kStartCut, range});
    session_.settle();
  }
  session_.preview_cut(kEndCut);
  session_.settle();
  session_.select({kStartCut, {3, 5}});
  EXPECT_EQ(shown_range(), (IterationRange{2, 4}));
  session_.settle();
  EXPECT_EQ(shown_range(), (IterationRange{3, 5}));
}

TEST_F(SessionTest, ClampsARangeToTheIterationsThereAre) {
  open(random_request());
  session_.select({kStartCut, {-5, 1000}});
  EXPECT_EQ(session_.selection().range, (IterationRange{0, last_iteration()}));
  session_.select({kStartCut, {900, 1000}});
  session_.settle();
  EXPECT_EQ(session_.selection().range, (IterationRange{last_iteration(), last_iteration()}));
}

TEST_F(SessionTest, ClampsARangeToTheIterationsOfANewCut) {
  open(random_request());
  session_.select({kEndCut, {0, 1000}});
  session_.settle();
  EXPECT_EQ(session_.selection(), session_.aggregation()->selection);
  EXPECT_EQ(session_.selection().range, (IterationRange{0, last_iteration()}));
}

TEST_F(SessionTest, KeepsTheOldNumbersWhileASlowEngineComputes) {
  open(gated_request(gate_));
  const IterationRange before = shown_range();
  gate_.close();
  session_.select({kStartCut, {1, 2}});
  EXPECT_FALSE(session_.poll());
  EXPECT_EQ(shown_range(), before);
  EXPECT_EQ(session_.selection().range, (IterationRange{1, 2}));
  EXPECT_TRUE(model().aggregating);
  gate_.open();
  session_.settle();
  EXPECT_EQ(shown_range(), (IterationRange{1, 2}));
  EXPECT_FALSE(model().aggregating);
}

TEST_F(SessionTest, EndsWithTheNewestOfManySelections) {
  open(gated_request(gate_));
  gate_.close();
  for (int64_t first = 0; first < 6; ++first) session_.select({kStartCut, {first, 6}});
  gate_.open();
  session_.settle();
  EXPECT_EQ(shown_range(), (IterationRange{5, 6}));
}

TEST_F(SessionTest, DropsAnAnswerForACutThatIsNoLongerSelected) {
  open(gated_request(gate_));
  const auto before = model().aggregation;
  gate_.close();
  session_.select({kEndCut, {0, 3}});
  session_.select(before->selection);
  gate_.open();
  session_.settle();
  EXPECT_EQ(model().aggregation, before);
}

TEST_F(SessionTest, DropsALateAnswerOnceTheSelectionIsBackWhereItWas) {
  open(gated_request(gate_));
  const auto before = model().aggregation;
  gate_.close();
  session_.select({kStartCut, {1, 2}});
  session_.select({kStartCut, {1, 3}});
  session_.select(before->selection);
  gate_.open();
  session_.settle();
  EXPECT_EQ(model().aggregation, before);
}

const aggregate::Filter kFilter{.kind = aggregate::FilterKind::tensor_core, .number = 1};
const aggregate::Filter kOtherFilter{.kind = aggregate::FilterKind::device, .number = 0};

TEST_F(SessionTest, ShowsWhatFiltersKeepBesideAllThatThereIs) {
  open(random_request());
  EXPECT_EQ(model().unfiltered, nullptr);
  session_.select({kStartCut, {2, 4}, {kOtherFilter, kFilter, kFilter}});
  session_.settle();
  EXPECT_EQ(session_.selection().filters, aggregate::canonical({kFilter, kOtherFilter}));
  EXPECT_EQ(session_.selection(), session_.aggregation()->selection);
  ASSERT_NE(model().unfiltered, nullptr);
  EXPECT_EQ(model().unfiltered->selection, (aggregate::Selection{kStartCut, {2, 4}}));
  EXPECT_LT(model().aggregation->kernel_launches, model().unfiltered->kernel_launches);
}

TEST_F(SessionTest, AddsFiltersInTheBackgroundAndRemovesThemAtOnce) {
  open(gated_request(gate_));
  const aggregate::Selection plain = model().aggregation->selection;
  aggregate::Selection filtered = plain;
  filtered.filters = {kFilter};
  gate_.close();
  session_.select(filtered);
  EXPECT_EQ(session_.aggregation()->selection, plain);
  gate_.open();
  session_.settle();
  EXPECT_EQ(session_.aggregation()->selection, filtered);

  gate_.close();
  session_.select(plain);
  EXPECT_EQ(session_.aggregation()->selection, plain);
  EXPECT_FALSE(model().aggregating);
  EXPECT_EQ(model().unfiltered, nullptr);
  gate_.open();
}

TEST_F(SessionTest, DropsAnAnswerForFiltersThatAreNoLongerSelected) {
  open(gated_request(gate_));
  const auto before = model().aggregation;
  gate_.close();
  session_.select({kStartCut, {0, 3}, {kFilter}});
  session_.select(before->selection);
  gate_.open();
  session_.settle();
  EXPECT_EQ(model().aggregation, before);

  gate_.close();
  session_.select({kStartCut, {0, 3}, {kFilter}});
  session_.select({kStartCut, {0, 3}, {kOtherFilter}});
  gate_.open();
  session_.settle();
  EXPECT_EQ(session_.aggregation()->selection.filters, std::vector{kOtherFilter});
}

TEST_F(SessionTest, KeepsTheOutliersUnderFiltersAndOtherRanges) {
  OpenRequest request = random_request();
  request.load = [](base::Progress&) -> base::Result<profile::Profile> {
    return testing::random_profile({.seed = 5, .stored_aggregation = true});
  };
  request.choose = [](const aggregate::KeyRanking& ranking) -> base::Result<FirstSelection> {
    return FirstSelection{aggregate::default_selection(ranking), ""};
  };
  open(request);
  ASSERT_TRUE(session_.aggregation()->io_recorded) << "has an iteration table of its own";
  const auto outliers = model().outliers;
  ASSERT_NE(outliers, nullptr);
  const aggregate::Selection opened = session_.selection();
  session_.select(opened.with_range({0, 1}));
  session_.settle();
  EXPECT_EQ(model().outliers, outliers);
  session_.select({opened.cut, {0, 1}, {kFilter}});
  session_.settle();
  EXPECT_EQ(model().outliers, outliers);
}

TEST_F(SessionTest, GoesBackToWhatIsShownWhenTheEngineFails) {
  open(hungry_request());
  const aggregate::Selection before = session_.selection();
  session_.select({kStartCut, {1, 2}});
  session_.settle();
  EXPECT_EQ(session_.selection(), before);
  EXPECT_FALSE(model().aggregating);
  EXPECT_THAT(session_.take_notice(), HasSubstr("Not enough memory"));
  session_.select({kStartCut, {0, 2}});
  session_.settle();
  EXPECT_EQ(shown_range(), (IterationRange{0, 2}));
}

TEST_F(SessionTest, KeepsTheErrorWhenMemoryDoesNotSufficeForLoading) {
  OpenRequest request = random_request();
  request.choose = [](const aggregate::KeyRanking&) -> base::Result<FirstSelection> {
    throw std::bad_alloc();
  };
  open(request);
  EXPECT_EQ(session_.state(), Session::State::failed);
  EXPECT_EQ(session_.error()->title, "Not enough memory");
}

TEST_F(SessionTest, LanesAreAskedForInTheFrameThatTakesTheFileOver) {
  session_.open(random_request());
  while (session_.state() != Session::State::open) session_.poll();
  session_.want_lanes();  // before anything is looked for
  session_.poll();
  session_.want_lanes();
  session_.settle();
  EXPECT_NE(model().lanes, nullptr);
}

// Jobs behind the first one stay where they begin until the gate opens.
TEST_F(SessionTest, ClosesAFileWithoutWaitingForItsFindings) {
  std::atomic<int> jobs = 0;
  base::Scheduler scheduler([] {},
                            [&] {
                              if (++jobs > 1) gate_.pass();  // the first one opens the file
                            });
  Session session(scheduler);
  session.open(random_request());
  while (session.state() != Session::State::open) session.poll();
  gate_.close();
  session.poll();  // behind the first frame findings are looked for
  while (jobs < 2) std::this_thread::yield();
  session.open(random_request());
  EXPECT_EQ(session.state(), Session::State::loading);
  gate_.open();
  session.settle();
  EXPECT_EQ(session.state(), Session::State::open);
}

TEST_F(SessionTest, EndsInTheMiddleOfEverything) {
  open(gated_request(gate_));
  session_.select({kStartCut, {1, 2}});
  session_.open(random_request());
  SUCCEED() << "the scheduler waits for every task";
}

}  // namespace
}  // namespace dlview::workspace
