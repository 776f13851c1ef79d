#include "aggregate/cpu/block_index.h"

#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::aggregate::cpu {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> bounds_of(const std::vector<int64_t>& weights, int64_t target) {
  return block_bounds(weights.size(), target, [&](std::size_t row) { return weights[row]; });
}

TEST(BlockBounds, GatherRowsUpToTheTarget) {
  EXPECT_THAT(bounds_of({1, 1, 1, 1, 1}, 2), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(bounds_of({}, 2), ElementsAre(0));
}

TEST(BlockBounds, GiveARowThatWeighsMoreABlockOfItsOwn) {
  EXPECT_THAT(bounds_of({1, 50, 1, 1, 50, 50, 1}, 10), ElementsAre(0, 1, 2, 4, 5, 6, 7));
}

TEST(BlockWeight, GrowsWithTheAnswerSoThatMemoryDoesNot) {
  const CpuOptions options{.block_rows = 1'000, .bytes_per_row = 16};
  EXPECT_EQ(block_weight(Cells(10, 10), options), 1'000);
  const Cells large(1'000'000, 2'000'000);
  const int64_t weight = block_weight(large, options);
  EXPECT_GT(weight, 1'000);
  EXPECT_EQ(block_weight(large, {.block_rows = 1'000, .bytes_per_row = 32}), weight / 2);
}

// Each value is a row of its own group of three.
class Index : public ::testing::Test {
 protected:
  static constexpr CellBlock<1> kGroups{0, 0, 3};
  static Cells empty() { return {kGroups.end_sum(), kGroups.end_low()}; }
  BlockIndex index(std::vector<std::size_t> bounds) {
    return {std::move(bounds), empty(), [this](std::size_t first, std::size_t end, Cells& cells) {
              if (fails_.exchange(false)) throw std::bad_alloc();
              added_ += end - first;
              for (std::size_t row = first; row < end; ++row) {
                kGroups.add(cells, row % 3, {static_cast<int64_t>(row)});
              }
            }};
  }
  std::atomic<std::size_t> added_ = 0;
  std::atomic<bool> fails_ = false;
};

TEST_F(Index, AnswersAgainBehindAFailureWhileItAddsUpBlocks) {
  std::vector<std::size_t> bounds;
  for (std::size_t b = 0; b <= 300; ++b) bounds.push_back(2 * b);
  BlockIndex blocks = index(bounds), sound = index(bounds);
  const Cells first = blocks.between(0, 600);
  fails_ = true;
  EXPECT_THROW(blocks.between(3, 590), std::bad_alloc);
  fails_ = true;
  EXPECT_THROW(blocks.between(0, 590), std::bad_alloc);
  for (const auto& [begin, end] : {std::pair(3, 590), {0, 600}, {17, 401}, {50, 70}, {9, 9}}) {
    const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
    const Cells actual = blocks.between(from, to), expected = sound.between(from, to);
    EXPECT_EQ(actual.sums, expected.sums) << begin << " to " << end;
    EXPECT_EQ(actual.lows, expected.lows) << begin << " to " << end;
  }
  EXPECT_EQ(blocks.between(0, 600).sums, first.sums);
}

TEST_F(Index, AddsUpASingleRunOnlyOnce) {
  BlockIndex blocks = index({0, 10, 20, 30});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kGroups.count(blocks.between(0, 30), 0), 10);
  EXPECT_EQ(added_, 30U);
}

TEST_F(Index, AddsUpNoBlocksForARunThatIsAskedForOnce) {
  BlockIndex blocks = index({0, 10, 20, 30});
  const Stats expected{4, 6 + 9 + 12 + 15, 6, 15};
  for (int i = 0; i < 2; ++i) {
    added_ = 0;
    EXPECT_EQ(kGroups.stats(blocks.once_between(5, 17), 0, 0), expected);
    EXPECT_EQ(added_, 12U);
  }
  blocks.between(0, 30);
  added_ = 0;
  EXPECT_EQ(kGroups.count(blocks.once_between(0, 30), 0), 10);
  EXPECT_EQ(added_, 0U);
  blocks.between(1, 30);
  added_ = 0;
  EXPECT_EQ(kGroups.stats(blocks.once_between(5, 17), 0, 0), expected);
  EXPECT_LE(added_, 12U);
}

TEST_F(Index, AddsOnlyTheEdgesOnceItIsBuilt) {
  BlockIndex blocks = index({0, 10, 20, 30});
  blocks.between(0, 30);
  blocks.between(1, 30);
  added_ = 0;
  const Cells cells = blocks.between(9, 22);
  EXPECT_EQ(added_, 3U);
  EXPECT_EQ(kGroups.stats(cells, 0, 0), (Stats{5, 9 + 12 + 15 + 18 + 21, 9, 21}));
}

}  // namespace
}  // namespace dlview::aggregate::cpu
