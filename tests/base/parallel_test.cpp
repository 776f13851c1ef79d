#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const std::size_t count : {0U, 1U, 99U, 100U, 10'001U}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, 100, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1);
  }
}

TEST(ParallelFor, RunsASmallLoopInOnePiece) {
  for (const std::size_t count : {1U, 100U, 199U}) {
    int pieces = 0;
    parallel_for(count, 100, [&](std::size_t, std::size_t) { ++pieces; });
    EXPECT_EQ(pieces, 1);
  }
}

TEST(ParallelFor, GivesEachPieceTheGrain) {
  for (const std::size_t count : {200U, 777U, 10'001U}) {
    std::atomic<std::size_t> least = count;
    parallel_for(count, 100, [&](std::size_t begin, std::size_t end) {
      std::size_t known = least;
      while (end - begin < known && !least.compare_exchange_weak(known, end - begin)) {
      }
    });
    EXPECT_GE(least, 100U) << count;
  }
}

TEST(ParallelFor, RethrowsWhenNoBodyRuns) {
  std::atomic<int> running = 0, begun = 0;
  const auto body = [&](std::size_t begin, std::size_t) {
    ++running;
    ++begun;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --running;
    if (begin == 0) throw std::runtime_error("first piece");
  };
  EXPECT_THROW(
      {
        try {
          parallel_for(100'000, 1, body);
        } catch (...) {
          EXPECT_EQ(running, 0);
          throw;
        }
      },
      std::runtime_error);
  EXPECT_LT(begun, 100'000);
}

TEST(ParallelFor, RunsInsideABody) {
  std::vector<std::atomic<int>> visits(1'000);
  parallel_for(10, 1, [&](std::size_t first, std::size_t last) {
    parallel_for((last - first) * 100, 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[first * 100 + i];
    });
  });
  for (const auto& visit : visits) ASSERT_EQ(visit, 1);
}

TEST(ParallelFor, PassesAnExceptionThroughTheOuterLoop) {
  EXPECT_THROW(parallel_for(10, 1,
                            [](std::size_t, std::size_t) {
                              parallel_for(1'000, 10, [](std::size_t begin, std::size_t) {
                                if (begin == 0) throw std::runtime_error("inner");
                              });
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace dlview::base
