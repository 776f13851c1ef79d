#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"
#include "ui/chart/iteration_marker.h"

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Ten steps of "forward" and "optimizer", whose kernels run later.
std::shared_ptr<const profile::Profile> ten_steps() {
  testing::Sketch sketch;
  const auto forward = sketch.op("forward"), optimizer = sketch.op("optimizer");
  for (int64_t i = 0; i < 10; ++i) {
    sketch.user_range("/step", 100 * i, 100 * i + 90);
    sketch.kernel(sketch.instance(forward, 100 * i + 10, 100 * i + 20), 100 * i + 200,
                  100 * i + 250);
    sketch.kernel(sketch.instance(optimizer, 100 * i + 50, 100 * i + 60), 100 * i + 250,
                  100 * i + 290);
  }
  return sketch.finish();
}

MarkerChoice choice_of(const std::shared_ptr<const profile::Profile>& profile,
                       const aggregate::Cut& cut) {
  const aggregate::Aggregation aggregation =
      aggregate::make_cpu_aggregator(profile)->aggregate({cut, {0, 1'000}});
  const auto candidates = aggregate::rank_key_ops(*profile);
  return prepare_marker_choice(*profile, aggregation, &candidates);
}

TEST(MarkerChoice, NamesMarkerSplitAndNextBest) {
  const MarkerChoice choice = choice_of(ten_steps(), {.key_op = "step"});
  EXPECT_EQ(choice.split, "Split at step by host");
  EXPECT_EQ(choice.iterations, "10 iterations");
  EXPECT_THAT(choice.reason, StartsWith("Score "));
  EXPECT_THAT(choice.reason, HasSubstr("10 ranges every 100"));
  EXPECT_THAT(choice.reason,
              HasSubstr("By host: an iteration ends where the next marker begins. "));
  EXPECT_THAT(choice.next, StartsWith("alternative: forward "));
  EXPECT_EQ(choice.next_key, "forward");
  EXPECT_THAT(choice.next_reason, HasSubstr("10 instances every 100"));
}

TEST(MarkerChoice, LeadsBackToTheBest) {
  const auto profile = ten_steps();
  const aggregate::Selection next =
      split_at(choice_of(profile, {.key_op = "step"}).next_key,
               {{.kind = aggregate::CutKind::start, .key_op = "step"}, {2, 3}});
  EXPECT_EQ(next.range.first, 0);
  EXPECT_GT(next.range.last, 1'000);
  const MarkerChoice back = choice_of(profile, next.cut);
  EXPECT_EQ(back.split, "Split at forward by host");
  EXPECT_EQ(back.next_key, "step");
}

TEST(MarkerChoice, NamesTheSplitByGpu) {
  const MarkerChoice choice =
      choice_of(ten_steps(), {.key_op = "step", .split_by = aggregate::SplitBy::gpu});
  EXPECT_EQ(choice.split, "Split at step by GPU");
  EXPECT_THAT(choice.reason,
              HasSubstr("By GPU: an iteration lasts at least until its last kernel"));
}

TEST(MarkerChoice, SaysWhereIterationsEndAtMarkerEnds) {
  const MarkerChoice choice =
      choice_of(ten_steps(), {.kind = aggregate::CutKind::end, .key_op = "step"});
  EXPECT_THAT(choice.reason, HasSubstr("an iteration ends where its marker ends. "));
}

TEST(MarkerChoice, OffersTheBestCandidateWithItsWarning) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("op"), 0, 1'000);
  for (int64_t i = 0; i < 12; ++i) sketch.user_range("/layer", 80 * i, 80 * i + 70, i);
  const auto profile = sketch.finish();
  std::vector<aggregate::KeyOpCandidate> candidates(1);
  candidates[0].kind = aggregate::KeyKind::range;
  candidates[0].key = "layer";
  candidates[0].name = "/layer";
  candidates[0].score = 0.21;
  candidates[0].stride = 4;
  candidates[0].reason = "12 ranges every 80 ns";
  const aggregate::Aggregation whole = aggregate::make_cpu_aggregator(profile)->aggregate({});
  const MarkerChoice choice = prepare_marker_choice(*profile, whole, &candidates);
  EXPECT_EQ(choice.split, "Not split: no likely marker");
  EXPECT_EQ(choice.iterations, "1 iteration");
  EXPECT_EQ(choice.next, "best candidate: layer 21.0%, looks like layers");
  EXPECT_EQ(choice.next_key, "layer");
  EXPECT_EQ(choice.next_reason, "Score 21.0%: 12 ranges every 80 ns");
  EXPECT_EQ(prepare_marker_choice(*profile, whole, nullptr).next, "") << "not ranked yet";
  candidates[0].score = 0.004;
  EXPECT_EQ(prepare_marker_choice(*profile, whole, &candidates).next_key, "") << "0% likely";
}

TEST(MarkerChoice, HasNoNextWhereNothingRepeats) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("op"), 0, 10);
  const MarkerChoice choice = choice_of(sketch.finish(), {.key_op = ""});
  EXPECT_EQ(choice.split, "Not split: no op ran three times");
  EXPECT_EQ(choice.next, "");
}

TEST(MarkerChoice, SaysThatTheListIsStored) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 10);
  profile::StoredAggregation stored;
  stored.key_op = "step";
  stored.iterations = {{0, 0, 4}, {1, 5, 10}};
  sketch.stored(stored);
  const MarkerChoice choice =
      choice_of(sketch.finish(), {.kind = aggregate::CutKind::stored, .key_op = "step"});
  EXPECT_EQ(choice.split, "Split at step, as stored");
  EXPECT_EQ(choice.short_split, "Split at step");
}

}  // namespace
}  // namespace dlview::ui
