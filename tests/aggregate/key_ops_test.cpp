#include "aggregate/key_ops.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/key_names.h"
#include "aggregate/range_paths.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

TEST(OpLabels, TellOpsOfOneNameApart) {
  testing::Sketch sketch;
  const auto op = [&sketch](const char* name, const char* direction) {
    return profile::OpIndex(sketch.op(name, "conv2d", false, "", direction));
  };
  const auto forward = op("/net/conv1", "fprop"), backward = op("/net/conv1", "bprop"),
             alone = op("/net/conv2", "bprop"), one = op("/net/conv3", "fprop"),
             other = op("/net/conv3", "fprop"), plain = op("/net/relu", ""),
             again = op("/net/relu", "");
  sketch.instance(profile::Row(forward), 0, 10);
  const auto profile = sketch.finish();
  const OpLabels labels(*profile);
  EXPECT_EQ(labels.text(forward), "/net/conv1 (forward)");
  EXPECT_EQ(labels.text(backward), "/net/conv1 (backward)");
  EXPECT_EQ(labels.text(alone), "/net/conv2");
  EXPECT_EQ(labels.text(one), "/net/conv3 (forward, OP_4)");
  EXPECT_EQ(labels.text(other), "/net/conv3 (forward, OP_5)");
  EXPECT_EQ(labels.text(plain), "/net/relu (OP_6)");
  EXPECT_NE(labels.text(plain), labels.text(again));
  EXPECT_EQ(labels.text({}), "");
}

TEST(MarkerCautions, NameLayersAndParts) {
  const auto candidate = [](const char* name, const char* key, int64_t period_ns, double score) {
    KeyOpCandidate made;
    made.name = name;
    made.key = key;
    made.period_ns = period_ns;
    made.score = score;
    return made;
  };
  KeyOpCandidate step = candidate("/step", "step", 90'000'000, 0.93),
                 relu = candidate("/net/relu", "RELU_1", 3'000'000, 0.119),
                 layer = candidate("/net/layer", "layer", 5'000'000, 0.1);
  step.names_step = true;
  relu.is_unlike = true;
  const std::vector<KeyOpCandidate> ranked{step, relu, layer};
  EXPECT_EQ(marker_caution(ranked, "step"), "");
  EXPECT_EQ(marker_caution(ranked, ""), "");
  EXPECT_EQ(marker_caution(ranked, "unknown"), "");
  EXPECT_EQ(marker_caution(ranked, "RELU_1"), "/net/relu (every 3.00\u202fms) looks like layers");
  EXPECT_EQ(marker_caution(ranked, "layer"),
            "/net/layer (every 5.00\u202fms) looks like a layer, not a step: /step is every "
            "90.0\u202fms");
  EXPECT_EQ(best_markers_text(ranked, 2), "step (93.0%), RELU_1 (11.9%, looks like layers)");
  EXPECT_EQ(best_markers_text({}), "");
}

TEST(KeyOps, PreferOpsOfEveryStep) {
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

TEST(KeyOps, RankTiesByFirstStart) {
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

// 20 ranges that grow longer, each with an op that runs more regularly than they do.
std::shared_ptr<const profile::Profile> growing(const char* name, bool numbered) {
  testing::Sketch sketch;
  const Row op = sketch.op("clock");
  for (int64_t i = 0; i < 20; ++i) {
    sketch.instance(op, 570 * i + 1, 570 * i + 2);
    sketch.user_range(name, 30 * i * i, 30 * i * i + 20, numbered ? i : profile::kNoValue);
  }
  return sketch.finish();
}

TEST(KeyOps, MayBeRanges) {
  const auto ranked = rank_key_ops(*growing("/work", false));
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].name, "clock");
  EXPECT_EQ(ranked[1].op, profile::kNoRow);
  EXPECT_EQ(ranked[1].name, "/work");
  EXPECT_EQ(ranked[1].key, "work");
  EXPECT_TRUE(ranked[1].reason.starts_with("20 ranges every")) << ranked[1].reason;
}

TEST(KeyOps, PreferRangesThatCount) {
  const auto ranked = rank_key_ops(*growing("/work", true));
  EXPECT_EQ(ranked.front().key, "work");
  EXPECT_TRUE(ranked.front().reason.starts_with("20 numbered ranges every"));
  EXPECT_EQ(best_key(ranked), "work");
}

TEST(KeyOps, PreferRangesThatAreCalledSteps) {
  EXPECT_EQ(best_key(rank_key_ops(*growing("/train_step", false))), "train_step");
}

TEST(KeyOps, AreNotMessages) {
  const std::string longest = "/" + std::string(kLongestPath - 1, 'x');
  EXPECT_EQ(rank_key_ops(*growing(longest.c_str(), false)).size(), 2U);
  EXPECT_EQ(rank_key_ops(*growing((longest + "x").c_str(), false)).size(), 1U);
}

// Layers of three passes: the last of each launches the loss, too.
TEST(KeyOps, ExcludeLayersWithAStride) {
  const auto rank = [](int layers) {
    testing::Sketch sketch;
    const Row op = sketch.op("op");
    for (int64_t i = 0; i < 24; ++i) {
      sketch.user_range("/block", 100 * i, 100 * i + 90);
      const Row instance = sketch.instance(op, 100 * i + 1, 100 * i + 80);
      sketch.kernel(instance, 100 * i + 10, 100 * i + 40, 0, "gemm");
      if (layers == 0 || i % layers < layers - 1) continue;
      sketch.kernel(instance, 100 * i + 50, 100 * i + 60, 0, "loss");
    }
    return rank_key_ops(*sketch.finish());
  };
  EXPECT_EQ(best_key(rank(0)), "block");
  const auto layers = rank(8);
  EXPECT_EQ(best_key(layers), "");
  EXPECT_EQ(layers.front().stride, 8);
}

TEST(KeyOps, UsePathsForAmbiguousNames) {
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

TEST(KeyOps, PreferRangesToEqualOps) {
  testing::Sketch sketch;
  const Row op = sketch.op("load");
  for (int64_t i = 0; i < 20; ++i) {
    sketch.instance(op, 100 * i, 100 * i + 10);
    sketch.user_range("/step", 100 * i + 12, 100 * i + 60);
  }
  const auto ranked = rank_key_ops(*sketch.finish());
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].key, "step");
  EXPECT_EQ(ranked[1].name, "load");
}

// Ten forward passes after five warm-up steps that take longer.
TEST(KeyOps, ExcludeWarmUpSteps) {
  testing::Sketch sketch;
  const Row op = sketch.op("end");
  for (int64_t i = 0; i < 5; ++i) {
    sketch.user_range("/Warm-up Step", 1000 * i, 1000 * i + 1000, i);
  }
  for (int64_t i = 0; i < 10; ++i) {
    sketch.user_range("/Forward", 5000 + 100 * i, 5000 + 100 * i + 90);
  }
  sketch.instance(op, 5990, 6000);
  const auto ranked = rank_key_ops(*sketch.finish());
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(best_key(ranked), "Forward");
  EXPECT_GT(ranked[0].coverage, 0.9);
  EXPECT_TRUE(ranked[1].is_warm_up);
  EXPECT_TRUE(ranked[1].reason.ends_with(" · warm-up")) << ranked[1].reason;
}

// Four micro-steps in each of `steps` steps, two of these in each epoch.
std::vector<KeyOpCandidate> rank_nested(int64_t steps) {
  testing::Sketch sketch;
  for (int64_t i = 0; i < steps; ++i) {
    if (i % 2 == 0) sketch.user_range("/epoch", 1000 * i, 1000 * i + 1999, i / 2);
    sketch.user_range("/epoch/step", 1000 * i, 1000 * i + 990, i);
    for (int64_t k = 0; k < 4; ++k) {
      sketch.user_range("/epoch/step/micro-step", 1000 * i + 240 * k, 1000 * i + 240 * k + 200, k);
    }
  }
  sketch.instance(sketch.op("end"), 1000 * steps - 20, 1000 * steps);
  return rank_key_ops(*sketch.finish());
}

TEST(KeyOps, PreferStepsToTheirParts) {
  const auto ranked = rank_nested(12);
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].key, "step");
  EXPECT_EQ(ranked[1].key, "micro-step");
  EXPECT_EQ(ranked[2].key, "epoch");
}

// Of the training the name alone would not do: there are steps of the validation, too.
TEST(KeyOps, AreNotEpochsInsideOne) {
  testing::Sketch sketch;
  for (int64_t i = 0; i < 20; ++i) {
    if (i % 10 == 0) sketch.user_range("/epoch", 100 * i, 100 * i + 999);
    sketch.user_range("/epoch/step", 100 * i, 100 * i + 95);
    sketch.user_range("/epoch/step/backward", 100 * i + 40, 100 * i + 90);
  }
  for (int64_t i = 20; i < 25; ++i) sketch.user_range("/validation/step", 100 * i, 100 * i + 90);
  sketch.instance(sketch.op("end"), 2480, 2500);
  const auto ranked = rank_key_ops(*sketch.finish());
  EXPECT_EQ(best_key(ranked), "/epoch/step");
  const auto backward = std::ranges::find(ranked, "backward", &KeyOpCandidate::key);
  ASSERT_NE(backward, ranked.end());
  EXPECT_LT(backward->score, 0.95 * ranked[0].score) << "inside the steps";
}

TEST(KeyOps, CountThemPerEnclosingRange) {
  const auto ranked = rank_nested(12);
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].outer, "epoch");
  EXPECT_EQ(ranked[0].per_outer, 2);
  EXPECT_EQ(ranked[1].outer, "step");
  EXPECT_EQ(ranked[1].per_outer, 4);
  EXPECT_TRUE(ranked[1].reason.ends_with(" · 4 in each step")) << ranked[1].reason;
  EXPECT_EQ(ranked[2].per_outer, 0);
}

// Each block of a single forward pass has ranges of its own name.
TEST(KeyOps, AreUnlikelyWithUniqueRanges) {
  const auto rank = [](bool named) {
    testing::Sketch sketch;
    const Row op = sketch.op("aten::gelu");
    for (int64_t i = 0; i < 20; ++i) {
      const std::string block = named ? std::to_string(i) : "";
      sketch.user_range("/pre_forward (blocks." + block + ")", 100 * i + 5, 100 * i + 9);
      sketch.instance(op, 100 * i + 20, 100 * i + 30);
    }
    return rank_key_ops(*sketch.finish());
  };
  EXPECT_NE(best_key(rank(false)), "");
  const auto layers = rank(true);
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_TRUE(layers[0].is_unlike);
  EXPECT_EQ(best_key(layers), "");
}

// The capture begins in the middle of a step.
TEST(KeyOps, PreferTheRangeAfterAPause) {
  testing::Sketch sketch;
  for (int64_t i = 0; i < 20; ++i) {
    sketch.user_range("/head", 100 * i, 100 * i + 30);
    sketch.user_range("/reader", 100 * i + 40, 100 * i + 60);
    sketch.user_range("/backbone", 100 * i + 60, 100 * i + 100);
  }
  sketch.instance(sketch.op("end"), 1990, 2000);
  EXPECT_EQ(best_key(rank_key_ops(*sketch.finish())), "reader");
}

TEST(KeyOps, UseKernelsOrCallsWithoutRanges) {
  profile::ProfileBuilder builder;
  const auto add_op = [&](const char* name) {
    return builder.add_op({.id = builder.intern(name),
                           .name = builder.intern(name),
                           .tensor_core_support = profile::TensorCoreSupport::unassociated});
  };
  builder.add_device({});
  const Row kernel = add_op("unassociated_cudaLaunchKernel/gemm");
  const Row call = add_op("unassociated_cudaMemcpy");
  const Row thread = builder.intern_thread({1, 1});
  for (int64_t i = 0; i < 20; ++i) {
    builder.add_instance({.op = call, .cpu_start_ns = 100 * i, .thread = thread});
    const Row launched =
        builder.add_instance({.op = kernel, .cpu_start_ns = 100 * i + 5, .thread = thread});
    builder.add_kernel({.instance = launched, .gpu_stop_ns = 100 * i + 20});
  }
  const auto profile = std::move(builder).finish();
  const auto ranked = rank_key_ops(profile);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].kind, KeyKind::kernel);
  EXPECT_TRUE(ranked[0].reason.starts_with("20 launches every")) << ranked[0].reason;
  EXPECT_EQ(ranked[1].kind, KeyKind::call);
  EXPECT_LT(ranked[1].score, 0.6 * ranked[0].score);
}

TEST(KeyOps, AreRankedOnce) {
  const auto profile = growing("/step", true);
  const KeyRanking ranking(*profile);
  const auto& candidates = ranking.candidates();
  EXPECT_FALSE(candidates.empty());
  const KeyOpCandidate* first = candidates.data();
  EXPECT_EQ(ranking.candidates().data(), first);
}

TEST(KeyOps, ExcludeSelfTimes) {
  testing::Sketch sketch;
  const Row own = sketch.op("/step/step (self time)"), leaf = sketch.op("/load");
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

TEST(KeyOps, SplitNothingWhenRareOrIrregular) {
  testing::Sketch sketch;
  const Row op = sketch.op("now and then");
  for (const int64_t start : {0, 10, 500, 4000}) sketch.instance(op, start, start + 1);
  const auto ranked = rank_key_ops(*sketch.finish());
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(best_key(ranked), "");
}

TEST(KeyOps, AreEmptyWithoutRepeats) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("once"), 0, 5);
  const auto profile = sketch.finish();
  EXPECT_TRUE(rank_key_ops(*profile).empty());
}

TEST(KeyOps, CountBurstsOfSeveralThreads) {
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

TEST(KeyOps, PreferTheLowestProcessOnTies) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int i = 0; i < 10; ++i) {
    sketch.instance(step, 200 * i, 200 * i + 2, {2, 1});
    sketch.instance(step, 100 * i, 100 * i + 2, {1, 1});
  }
  EXPECT_EQ(rank_key_ops(*sketch.finish())[0].period_ns, 100);
}

// cudaMemcpyFromSymbol in each layer is no step.
TEST(KeyOps, AreNotCallsAlone) {
  profile::ProfileBuilder builder;
  builder.add_device({});
  const profile::StringId name = builder.intern("unassociated_cudaMemcpyFromSymbol");
  // As exports without DLProf's markers have them, of which eligibility is unknown.
  const Row call = builder.add_op(
      {.id = name, .name = name, .tensor_core_support = profile::TensorCoreSupport::unknown});
  const Row thread = builder.intern_thread({1, 1});
  for (int64_t i = 0; i < 20; ++i) {
    builder.add_instance({.op = call, .cpu_start_ns = 100 * i, .thread = thread});
  }
  profile::Profile profile = std::move(builder).finish();
  profile.trace.emplace();
  const auto ranked = rank_key_ops(profile);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].kind, KeyKind::call);
  EXPECT_EQ(best_key(ranked), "");
}

}  // namespace
}  // namespace dlview::aggregate
