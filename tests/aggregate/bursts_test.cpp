#include <gtest/gtest.h>

#include "aggregate/period_work.h"

namespace dlview::aggregate {
namespace {

// `count` bursts, 1000 ns apart, of `size` starts, 10 ns apart.
std::vector<int64_t> bursts(int64_t count, int64_t size) {
  std::vector<int64_t> starts;
  for (int64_t burst = 0; burst < count; ++burst) {
    for (int64_t i = 0; i < size; ++i) starts.push_back(1000 * burst + 10 * i);
  }
  return starts;
}

TEST(Bursts, AnOpThatRunsFourTimesInEachStepComesInFours) {
  EXPECT_EQ(burst_size(bursts(20, 4)), 4);
  EXPECT_EQ(burst_size(bursts(20, 2)), 2);
}

TEST(Bursts, ASteadyOpComesInOnesEvenWhenSomeStepsAreLong) {
  EXPECT_EQ(burst_size(bursts(20, 1)), 1);
  std::vector<int64_t> starts = bursts(20, 1);
  for (std::size_t i = 10; i < starts.size(); ++i) starts[i] += 50'000;
  for (std::size_t i = 15; i < starts.size(); ++i) starts[i] += 50'000;
  EXPECT_EQ(burst_size(starts), 1);
}

TEST(Bursts, OneIncompleteStepAtTheEndDoesNotHideThePattern) {
  std::vector<int64_t> starts = bursts(20, 4);
  starts.pop_back();
  EXPECT_EQ(burst_size(starts), 4);
}

TEST(Bursts, ANumberThatChangesFromStepToStepIsNone) {
  std::vector<int64_t> starts;
  for (int64_t burst = 0; burst < 20; ++burst) {
    for (int64_t i = 0; i < 3 + burst % 4; ++i) starts.push_back(1000 * burst + 10 * i);
  }
  EXPECT_EQ(burst_size(starts), 1);
}

TEST(Bursts, TooFewStartsAreNone) {
  EXPECT_EQ(burst_size({}), 1);
  EXPECT_EQ(burst_size({5}), 1);
  EXPECT_EQ(burst_size(bursts(2, 4)), 1);
}

}  // namespace
}  // namespace dlview::aggregate
