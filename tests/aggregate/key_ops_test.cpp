#include "aggregate/key_ops.h"

#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

TEST(KeyOps, PreferTheOpThatMarksEveryStep) {
  testing::Sketch sketch;
  const Row start_up = sketch.op("init/uniform_");
  const Row step = sketch.op("trainer/step");
  const Row conv = sketch.op("trainer/net/block/conv");
  const Row relu = sketch.op("trainer/net/block/relu");
  const Row rare = sketch.op("trainer/evaluate");
  for (int64_t t = 0; t < 40; t += 2) sketch.instance(start_up, t, t + 1);
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t start = 100 + 1000 * i;
    sketch.instance(step, start, start + 5);
    sketch.instance(conv, start + 10, start + 20);
    for (int64_t k = 0; k < 3; ++k)
      sketch.instance(relu, start + 100 + 30 * k, start + 110 + 30 * k);
    if (i % 25 == 0) sketch.instance(rare, start + 900, start + 950);
  }
  const auto profile = sketch.finish();
  const auto ranked = rank_key_ops(*profile);
  ASSERT_EQ(ranked.size(), 4U);  // "evaluate" ran only twice
  EXPECT_EQ(ranked[0].op, step);
  EXPECT_EQ(ranked[0].instances, 50);
  EXPECT_EQ(ranked[0].period_ns, 1000);
  EXPECT_DOUBLE_EQ(ranked[0].regularity, 1.0);
  EXPECT_GT(ranked[0].coverage, 0.99);
  EXPECT_EQ(ranked[1].op, conv);
  EXPECT_EQ(ranked.back().op, start_up);  // regular, but only at the very beginning
}

TEST(KeyOps, OfEqualMeritAreRankedByWhoBeginsFirst) {
  testing::Sketch sketch;
  const Row second = sketch.op("b"), first = sketch.op("a");
  for (int64_t i = 0; i < 20; ++i) {
    sketch.instance(first, 100 * i, 100 * i + 10);
    sketch.instance(second, 100 * i + 50, 100 * i + 60);
  }
  const auto profile = sketch.finish();
  EXPECT_EQ(rank_key_ops(*profile).front().op, first);
}

TEST(KeyOps, PreferRegularPeriods) {
  testing::Sketch sketch;
  const Row regular = sketch.op("regular"), irregular = sketch.op("irregular");
  std::mt19937 random(3);
  for (int64_t i = 0; i < 100; ++i) {
    const auto jitter = static_cast<int64_t>(random() % 900);
    sketch.instance(irregular, 1000 * i + jitter, 1000 * i + jitter + 1);
    sketch.instance(regular, 1000 * i + 950, 1000 * i + 951);
  }
  const auto profile = sketch.finish();
  EXPECT_EQ(rank_key_ops(*profile).front().op, regular);
}

TEST(KeyOps, SayWhy) {
  testing::Sketch sketch;
  const Row op = sketch.op("step");
  for (int64_t i = 0; i < 10; ++i) sketch.instance(op, 2'000'000 * i, 2'000'000 * i + 5);
  const auto profile = sketch.finish();
  const KeyOpCandidate best = rank_key_ops(*profile).front();
  EXPECT_EQ(best.key, "OP_1");
  EXPECT_TRUE(best.reason.starts_with("10 instances every 2.00")) << best.reason;
}

// 20 steps that grow longer, each with an op that runs more regularly than they do.
std::shared_ptr<const profile::Profile> growing_steps(bool numbered) {
  testing::Sketch sketch;
  const Row op = sketch.op("clock");
  for (int64_t i = 0; i < 20; ++i) {
    sketch.instance(op, 570 * i + 1, 570 * i + 2);
    sketch.user_range("/step", 30 * i * i, 30 * i * i + 20, numbered ? i : profile::kNoValue);
  }
  return sketch.finish();
}

TEST(KeyOps, MayBeRanges) {
  const auto profile = growing_steps(false);
  const auto ranked = rank_key_ops(*profile);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].name, "clock");
  EXPECT_EQ(ranked[1].op, profile::kNoRow);
  EXPECT_EQ(ranked[1].name, "/step");
  EXPECT_EQ(ranked[1].key, "step");
  EXPECT_TRUE(ranked[1].reason.starts_with("20 ranges every")) << ranked[1].reason;
}

TEST(KeyOps, PreferRangesThatCount) {
  const auto ranked = rank_key_ops(*growing_steps(true));
  EXPECT_EQ(ranked.front().key, "step");
  EXPECT_TRUE(ranked.front().reason.starts_with("20 numbered ranges every"));
  EXPECT_EQ(best_key(ranked), "step");
}

TEST(KeyOps, NameARangeByItsPathWhereItsNameIsNotEnough) {
  testing::Sketch sketch;
  for (int64_t i = 0; i < 10; ++i) {
    sketch.user_range("/warm-up/Forward", 100 * i, 100 * i + 10);
    sketch.user_range("/train/Forward", 100 * i + 5000, 100 * i + 5010);
  }
  const auto profile = sketch.finish();
  for (const KeyOpCandidate& candidate : rank_key_ops(*profile)) {
    EXPECT_EQ(candidate.key, candidate.name);
  }
}

TEST(KeyOps, AreNotOpsThatAreARangesOwnTime) {
  testing::Sketch sketch;
  const Row own = sketch.op("/step/step"), leaf = sketch.op("/load");
  for (int64_t i = 0; i < 10; ++i) {
    sketch.instance(own, 100 * i, 100 * i + 10);
    sketch.user_range("/step", 100 * i, 100 * i + 50);
    sketch.instance(leaf, 100 * i + 60, 100 * i + 70);
    sketch.user_range("/load", 100 * i + 60, 100 * i + 70);
  }
  const auto ranked = rank_key_ops(*sketch.finish());
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].key, "step");
  EXPECT_EQ(ranked[1].key, "load");
}

TEST(KeyOps, AreNotGoodEnoughToSplitARunWhenTheyAreRareOrIrregular) {
  testing::Sketch sketch;
  const Row op = sketch.op("now and then");
  for (const int64_t start : {0, 10, 500, 4000}) sketch.instance(op, start, start + 1);
  const auto ranked = rank_key_ops(*sketch.finish());
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(best_key(ranked), "");
}

TEST(KeyOps, OfAProfileWithoutRepeatsAreNone) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("once"), 0, 5);
  const auto profile = sketch.finish();
  EXPECT_TRUE(rank_key_ops(*profile).empty());
}

TEST(KeyOps, AnOpThatFourThreadsOfAProcessRunInEachStepComesInFours) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int i = 0; i < 12; ++i) {
    for (int thread = 0; thread < 4; ++thread) {
      const int64_t start = 1000 * i + 3 * thread;
      sketch.instance(step, start, start + 2, {1, thread});
    }
  }
  const auto candidates = rank_key_ops(*sketch.finish());
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].instances, 12);
  EXPECT_EQ(candidates[0].burst, 4);
}

}  // namespace
}  // namespace dlview::aggregate
