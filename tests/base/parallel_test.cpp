#include "base/parallel.h"

#include <atomic>
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
  int pieces = 0;
  parallel_for(100, 100, [&](std::size_t, std::size_t) { ++pieces; });
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace dlview::base
