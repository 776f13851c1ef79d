// The engines against the slow reference, bit for bit, on random profiles.

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/difference.h"
#include "aggregate/engines.h"
#include "aggregate/fake_engine.h"
#include "aggregate/reference/reference.h"
#include "support/random_profile.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using testing::RandomProfileOptions;

// Blocks from a single row to more than there are.
int64_t block_rows(uint64_t seed) {
  constexpr int64_t kBlockRows[] = {1, 6, 40, 300, 100'000};
  return kBlockRows[seed % std::size(kBlockRows)];
}

void expect_agreement(const EngineUnderTest& under_test, const RandomProfileOptions& options,
                      int selections) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const auto reference = make_reference_aggregator(profile);
  const auto engine = under_test.make(profile, block_rows(options.seed));
  std::mt19937_64 random(options.seed);
  for (int i = 0; i < selections; ++i) {
    Cut cut;
    cut.kind = static_cast<CutKind>(random() % 3);
    if (random() % 4 != 0) cut.key_op = testing::kRandomKeyOp;
    if (random() % 4 == 0) cut.key_op = testing::kRandomRange;
    if (cut.kind != CutKind::stored && random() % 3 == 0) {
      const profile::Thread& thread = profile->threads[random() % profile->threads.size()];
      cut.clock = Clock{thread.process_id};
      if (random() % 2 == 0) cut.clock->thread_id = thread.thread_id;
    }
    if (random() % 3 == 0) cut.split_by = SplitBy::gpu;
    const auto first = static_cast<int64_t>(random() % 12);
    const Selection selection{cut, {first, first + static_cast<int64_t>(random() % 12)}};
    const Aggregation expected = reference->aggregate(selection);
    const Aggregation actual = engine->aggregate(selection);
    ASSERT_EQ(first_difference(actual, expected), "")
        << "seed " << options.seed << ", cut " << static_cast<int>(cut.kind) << " at '"
        << cut.key_op << "', by " << (cut.split_by == SplitBy::gpu ? "gpu" : "host")
        << ", iterations " << actual.selection.range.first << " to " << actual.selection.range.last;
  }
}

class Engines : public ::testing::TestWithParam<EngineUnderTest> {};

TEST_P(Engines, AgreeWithTheReferenceOnRandomProfiles) {
  for (uint64_t seed = 1; seed <= testing::seeds(25); ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    expect_agreement(GetParam(), options, 12);
  }
}

TEST_P(Engines, AgreeOnProfilesOfSeveralProcesses) {
  for (uint64_t seed = 100; seed < 108; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.processes = 3;
    expect_agreement(GetParam(), options, 8);
  }
}

TEST_P(Engines, AgreeOnTheLatePartOfALongerRun) {
  for (uint64_t seed = 150; seed < 156; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.is_late_part = true;
    expect_agreement(GetParam(), options, 8);
  }
}

TEST_P(Engines, AgreeWhereTheHostRunsAhead) {
  for (uint64_t seed = 160; seed < 160 + testing::seeds(12); ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.host_ahead = true;
    options.streams = static_cast<int>(seed % 4);
    options.processes = 1 + static_cast<int>(seed % 2);
    options.backwards = seed % 5 == 0;
    expect_agreement(GetParam(), options, 12);
  }
}

TEST_P(Engines, AgreeWhereOsCallsWereRecorded) {
  bool reads = false;
  for (uint64_t seed = 180; seed < 180 + testing::seeds(10); ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.os_calls = 60;
    options.processes = 1 + static_cast<int>(seed % 2);
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const Aggregation all = GetParam().make(profile, 100)->aggregate({});
    EXPECT_TRUE(all.io_recorded);
    reads = reads || all.breakdown[Category::io] > 0;
    expect_agreement(GetParam(), options, 8);
  }
  EXPECT_TRUE(reads);
}

TEST_P(Engines, AgreeWhereIoWasStored) {
  for (uint64_t seed = 200; seed < 208; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.stored_aggregation = true;
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const Selection stored = default_selection(*profile);
    const Aggregation actual = GetParam().make(profile, 100)->aggregate(stored);
    EXPECT_TRUE(actual.io_recorded);
    EXPECT_EQ(first_difference(actual, make_reference_aggregator(profile)->aggregate(stored)), "");
    expect_agreement(GetParam(), options, 8);
  }
}

TEST_P(Engines, AgreeOnProfilesThatLackAlmostEverything) {
  RandomProfileOptions no_kernels;
  no_kernels.kernels = 0;
  expect_agreement(GetParam(), no_kernels, 6);
  RandomProfileOptions no_communication;
  no_communication.communication = false;
  expect_agreement(GetParam(), no_communication, 6);
  RandomProfileOptions no_key;
  no_key.key_instances = 0;
  expect_agreement(GetParam(), no_key, 6);
  RandomProfileOptions no_events;
  no_events.kernels = no_events.memory_ops = no_events.syncs = no_events.api_calls = 0;
  expect_agreement(GetParam(), no_events, 6);
  RandomProfileOptions no_devices = no_events;
  no_devices.kernel_devices = no_devices.copy_devices = no_devices.idle_devices = 0;
  expect_agreement(GetParam(), no_devices, 6);
  RandomProfileOptions nothing = no_events;
  nothing.instances = nothing.key_instances = 0;
  expect_agreement(GetParam(), nothing, 3);
}

TEST_P(Engines, AgreeOnUnusualRuns) {
  for (auto [name, options] : unusual_runs()) {
    SCOPED_TRACE(name);
    for (options.seed = 400; options.seed < 400 + testing::seeds(6); ++options.seed) {
      expect_agreement(GetParam(), options, 8);
    }
  }
}

TEST(UnusualRuns, AddUpToMoreThanADoubleCanHold) {
  const auto [name, options] = unusual_runs().back();
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const Aggregation whole = make_reference_aggregator(profile)->aggregate({});
  EXPECT_GT(whole.all_kernels.gpu_ns, int64_t{1} << 53);
  EXPECT_LT(std::ranges::min(whole.kernels, {}, [](const auto& k) { return k.gpu.min; }).gpu.min,
            0);
}

// Several spans of blocks, and ranges that begin and end anywhere in them.
TEST_P(Engines, CombineManyBlocks) {
  for (uint64_t seed = 300; seed < 300 + testing::seeds(5); ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.instances = 1'500;
    options.kernels = 4'000;
    options.key_instances = 120;
    options.length_ns = 400'000;
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const auto reference = make_reference_aggregator(profile);
    const auto engine = GetParam().make(profile, 25);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 25; ++i) {
      const auto first = static_cast<int64_t>(random() % 120);
      const Selection selection{{CutKind::start, std::string(testing::kRandomKeyOp)},
                                {first, first + static_cast<int64_t>(random() % 120)}};
      ASSERT_EQ(first_difference(engine->aggregate(selection), reference->aggregate(selection)), "")
          << "seed " << seed << ", iterations " << selection.range.first << " to "
          << selection.range.last;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Engines, ::testing::ValuesIn(engines_under_test()),
                         [](const auto& engine) { return engine.param.name; });

TEST(EngineAggregator, ContinuesWithTheNextEngineAfterAnyFailure) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile({}));
  const auto reference = make_reference_aggregator(profile);
  const Cut cut{CutKind::start, std::string(testing::kRandomKeyOp)};
  const std::vector<Selection> selections{
      {cut, {1, 5}},
      {cut, {2, 8}, {{.kind = FilterKind::tensor_core, .number = 1}}},
      {{CutKind::end, std::string(testing::kRandomKeyOp)}, {0, 3}}};
  bool never_failed = false;
  for (int questions = 0; !never_failed; ++questions) {
    const auto aggregator = make_engine_aggregator(
        profile, {fake_engine({.name = "failing", .questions = questions}), cpu_engine()});
    for (const Selection& selection : selections) {
      ASSERT_EQ(first_difference(aggregator->aggregate(selection), reference->aggregate(selection)),
                "")
          << "after " << questions << " questions";
    }
    never_failed = aggregator->name() == "failing";
    EXPECT_EQ(aggregator->notice(), never_failed ? "" : "out of memory");
  }
}

// An engine that runs out of memory may have some again.
TEST(EngineAggregator, AnswersAgainBehindAFailureOfTheLastEngine) {
  const auto profile =
      std::make_shared<const profile::Profile>(testing::random_profile({.seed = 7}));
  const auto reference = make_reference_aggregator(profile);
  const Selection all{{CutKind::start, std::string(testing::kRandomKeyOp)}, {0, 3}};
  Selection on_first = all, on_second = all;
  on_first.filters = {{.kind = FilterKind::device, .number = 0}};
  on_second.filters = {{.kind = FilterKind::device, .number = 1}};
  int failures = 0;
  for (int questions = 0; questions < 40; ++questions) {
    const auto aggregator =
        make_engine_aggregator(profile, {fake_engine({.questions = questions})});
    const auto ask = [&](const Selection& selection) {
      try {
        return aggregator->aggregate(selection);
      } catch (const std::runtime_error&) {
        ++failures;
        return aggregator->aggregate(selection);
      }
    };
    for (const Selection& selection : {on_first, on_second, on_first, all}) {
      EXPECT_EQ(first_difference(ask(selection), reference->aggregate(selection)), "")
          << questions << " questions, then a failure";
    }
  }
  EXPECT_GT(failures, 20);
}

TEST(EngineAggregator, FailsWhereTheLastEngineDoes) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile({}));
  const auto aggregator = make_engine_aggregator(profile, {fake_engine({.questions = 0})});
  EXPECT_THROW(aggregator->aggregate({}), std::runtime_error);
}

}  // namespace
}  // namespace dlview::aggregate
