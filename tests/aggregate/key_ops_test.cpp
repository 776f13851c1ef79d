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
