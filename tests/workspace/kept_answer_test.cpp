#include "workspace/kept_answer.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "workspace/session_support.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

class KeptAnswerTest : public ::testing::Test {
 protected:
  KeptAnswer answer_to(const aggregate::Selection& selection) const {
    const auto engine = aggregate::make_cpu_aggregator(profile_);
    return {aggregate_timed(*engine, selection), true};
  }

  std::shared_ptr<const profile::Profile> profile_ =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 5}));
  aggregate::Selection selection_{kStartCut, {2, 7}};
};

TEST_F(KeptAnswerTest, IsReadAsItWas) {
  for (const aggregate::Cut& cut : {kStartCut, kEndCut, aggregate::Cut{}}) {
    const KeptAnswer kept = answer_to({cut, {0, 7}});
    const auto read = read_kept_answer(to_bytes(kept), *profile_);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read->answer.aggregation, *kept.answer.aggregation);
    EXPECT_FALSE(read->answer.aggregation->ops.empty());
    EXPECT_EQ(read->answer.aggregation->group_tree->group_of_op,
              kept.answer.aggregation->group_tree->group_of_op);
    EXPECT_EQ(read->answer.requested, kept.answer.requested);
    EXPECT_EQ(read->answer.engine.name, "") << "the next opening may have another";
    EXPECT_TRUE(read->is_as_opened);
  }
}

TEST_F(KeptAnswerTest, IsNothingWhenItIsNotWhole) {
  const std::string bytes = to_bytes(answer_to(selection_));
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 9) {
    EXPECT_FALSE(read_kept_answer(bytes.substr(0, length), *profile_)) << length;
  }
  EXPECT_FALSE(read_kept_answer(bytes + '\0', *profile_));
}

TEST_F(KeptAnswerTest, UnderFiltersIsNotKept) {
  selection_.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  EXPECT_EQ(to_bytes(answer_to(selection_)), "");
}

TEST_F(KeptAnswerTest, AnswersTheSameQuestionOnly) {
  KeptAnswer kept = answer_to(selection_);
  EXPECT_TRUE(answers(kept, {}));
  EXPECT_TRUE(answers(kept, request_of(selection_)));
  SelectionRequest seen_otherwise = request_of(selection_);
  seen_otherwise.view = "iterations";
  EXPECT_TRUE(answers(kept, seen_otherwise));

  EXPECT_FALSE(answers(kept, request_of(selection_.with_range({2, 6}))));
  EXPECT_FALSE(answers(kept, request_of({kEndCut, {2, 7}})));
  SelectionRequest request;
  request.present_rules = true;
  EXPECT_FALSE(answers(kept, request));
  kept.is_as_opened = false;
  EXPECT_FALSE(answers(kept, {}));
}

}  // namespace
}  // namespace dlview::workspace
