#include "app/open_requests.h"

#include <gtest/gtest.h>

#include "app/session_support.h"

namespace dlview::app {
namespace {

const profile::Profile& profile() {
  static const profile::Profile made = testing::random_profile({.seed = 5});
  return made;
}

SelectionRequest request(int64_t first, int64_t last) {
  SelectionRequest request;
  request.key_op = kKeyOp;
  request.iterations = {first, last};
  return request;
}

TEST(FileRequest, TakesARangeBeyondTheEndForAnErrorUnlessToldOtherwise) {
  const auto chosen =
      file_request("a.sqlite", request(300, 400), EngineChoice::cpu).choose(profile());
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().title, "The range reaches beyond the last iteration");
}

TEST(FileRequest, OpensAllIterationsWithANoticeWhereAWindowCanShowIt) {
  const auto chosen =
      file_request("a.sqlite", request(300, 400), EngineChoice::cpu, RangeBeyondEnd::opens_all)
          .choose(profile());
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->selection.range.first, 0);
  EXPECT_GT(chosen->selection.range.last, 3);
  EXPECT_NE(chosen->notice.find("300:400"), std::string::npos) << chosen->notice;
}

TEST(FileRequest, StillRefusesAKeyOpThatIsNotThere) {
  SelectionRequest wrong = request(300, 400);
  wrong.key_op = "no such op";
  EXPECT_FALSE(file_request("a.sqlite", wrong, EngineChoice::cpu, RangeBeyondEnd::opens_all)
                   .choose(profile())
                   .ok());
}

TEST(RememberedRequest, OpensAsTheFileDoesWhereWhatWasRememberedIsGone) {
  const auto as_left =
      remembered_request("a.sqlite", request(1, 3), EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(as_left.ok());
  EXPECT_EQ(as_left->selection.range, (aggregate::IterationRange{1, 3}));
  const auto gone =
      remembered_request("a.sqlite", request(300, 400), EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->selection, aggregate::default_selection(profile()));
  EXPECT_TRUE(gone->notice.empty());
}

TEST(FileRequest, IsRememberedUnderItsAbsolutePath) {
  EXPECT_EQ(file_request("/a/../b.sqlite", {}, EngineChoice::cpu).path, "/b.sqlite");
  EXPECT_EQ(file_request("b.sqlite", {}, EngineChoice::cpu).path.front(), '/');
}

TEST(ChooseSelection, TakesTheStoredAggregationOfItsNumber) {
  profile::Profile with_two = testing::random_profile({.seed = 5});
  const auto iterations = aggregate::cut_iterations(with_two, kStartCut);
  for (const int64_t last : {2, 4}) {
    profile::StoredAggregation stored;
    stored.key_op = kKeyOp;
    stored.last_iteration = last;
    for (std::size_t i = 0; i < iterations.rows.size(); ++i) {
      const auto& row = iterations.rows[i];
      stored.iterations.push_back({static_cast<int64_t>(i), row.start_ns, row.stop_ns});
    }
    with_two.stored_aggregations.push_back(stored);
  }
  SelectionRequest second;
  second.stored_index = 1;
  const auto chosen = choose_selection(with_two, second);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->cut, (aggregate::Cut{aggregate::CutKind::stored, kKeyOp, 1}));
  second.stored_index = 2;
  EXPECT_FALSE(choose_selection(with_two, second).ok());
}

}  // namespace
}  // namespace dlview::app
