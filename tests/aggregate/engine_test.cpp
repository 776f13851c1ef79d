// The engines against the slow reference, bit for bit, on random profiles.

#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/reference/reference.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {

using testing::RandomProfileOptions;

// Blocks from a single row to more than there are.
int64_t block_rows(uint64_t seed) {
  constexpr int64_t kBlockRows[] = {1, 6, 40, 300, 100'000};
  return kBlockRows[seed % std::size(kBlockRows)];
}

void expect_engines_agree(const RandomProfileOptions& options, int selections) {
  const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
  const auto reference = make_reference_aggregator(profile);
  const auto cpu = make_cpu_aggregator(profile, {.block_rows = block_rows(options.seed)});
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
    const auto first = static_cast<int64_t>(random() % 12);
    const Selection selection{cut, {first, first + static_cast<int64_t>(random() % 12)}};
    const Aggregation expected = reference->aggregate(selection);
    const Aggregation actual = cpu->aggregate(selection);
    ASSERT_EQ(first_difference(actual, expected), "")
        << "seed " << options.seed << ", cut " << static_cast<int>(cut.kind) << " at '"
        << cut.key_op << "', iterations " << actual.selection.range.first << " to "
        << actual.selection.range.last;
  }
}

TEST(CpuEngine, AgreesWithTheReferenceOnRandomProfiles) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    expect_engines_agree(options, 12);
  }
}

TEST(CpuEngine, AgreesOnProfilesOfSeveralProcesses) {
  for (uint64_t seed = 100; seed < 108; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.processes = 3;
    expect_engines_agree(options, 8);
  }
}

TEST(CpuEngine, AgreesOnTheLatePartOfALongerRun) {
  for (uint64_t seed = 150; seed < 156; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.is_late_part = true;
    expect_engines_agree(options, 8);
  }
}

TEST(CpuEngine, AgreesWhereIoWasStored) {
  for (uint64_t seed = 200; seed < 208; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.stored_aggregation = true;
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const Selection stored = default_selection(*profile);
    const Aggregation actual = make_cpu_aggregator(profile)->aggregate(stored);
    EXPECT_TRUE(actual.io_recorded);
    EXPECT_EQ(first_difference(actual, make_reference_aggregator(profile)->aggregate(stored)), "");
    expect_engines_agree(options, 8);
  }
}

TEST(CpuEngine, AgreesOnProfilesThatLackAlmostEverything) {
  RandomProfileOptions no_kernels;
  no_kernels.kernels = 0;
  expect_engines_agree(no_kernels, 6);
  RandomProfileOptions no_communication;
  no_communication.communication = false;
  expect_engines_agree(no_communication, 6);
  RandomProfileOptions no_key;
  no_key.key_instances = 0;
  expect_engines_agree(no_key, 6);
  RandomProfileOptions no_events;
  no_events.kernels = no_events.memory_ops = no_events.syncs = no_events.api_calls = 0;
  expect_engines_agree(no_events, 6);
  RandomProfileOptions no_devices = no_events;
  no_devices.kernel_devices = no_devices.copy_devices = no_devices.idle_devices = 0;
  expect_engines_agree(no_devices, 6);
  RandomProfileOptions nothing = no_events;
  nothing.instances = nothing.key_instances = 0;
  expect_engines_agree(nothing, 3);
}

// Several spans of blocks, and ranges that begin and end anywhere in them.
TEST(CpuEngine, CombinesManyBlocks) {
  for (uint64_t seed = 300; seed < 305; ++seed) {
    RandomProfileOptions options;
    options.seed = seed;
    options.instances = 1'500;
    options.kernels = 4'000;
    options.key_instances = 120;
    options.length_ns = 400'000;
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile(options));
    const auto reference = make_reference_aggregator(profile);
    const auto cpu = make_cpu_aggregator(profile, {.block_rows = 25});
    std::mt19937_64 random(seed);
    for (int i = 0; i < 25; ++i) {
      const auto first = static_cast<int64_t>(random() % 120);
      const Selection selection{{CutKind::start, std::string(testing::kRandomKeyOp)},
                                {first, first + static_cast<int64_t>(random() % 120)}};
      ASSERT_EQ(first_difference(cpu->aggregate(selection), reference->aggregate(selection)), "")
          << "seed " << seed << ", iterations " << selection.range.first << " to "
          << selection.range.last;
    }
  }
}

}  // namespace
}  // namespace dlview::aggregate
