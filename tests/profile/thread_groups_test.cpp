#include "profile/thread_groups.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(ThreadGroups, AreThoseOfAStableSort) {
  std::mt19937 random(2);
  for (const std::size_t count : {0U, 1U, 100U, 200'000U}) {
    std::vector<ThreadId> threads(2 * count);
    for (ThreadId& thread : threads) {
      thread = static_cast<ThreadId>(random() % 3 == 0 ? random() % 50 : 7);
    }
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(static_cast<Row>(random() % (2 * count)));
    const auto thread_of = [&](Row row) { return threads[row]; };
    const ThreadGroups groups = group_by_thread(rows, thread_of);

    std::ranges::stable_sort(rows, {}, thread_of);
    EXPECT_TRUE(std::ranges::equal(groups.rows, rows));
    ASSERT_EQ(groups.first.size(), groups.threads.size() + 1);
    EXPECT_EQ(groups.first.back(), count);
    EXPECT_TRUE(std::ranges::is_sorted(groups.threads));
    for (std::size_t i = 0; i < groups.threads.size(); ++i) {
      ASSERT_LT(groups.first[i], groups.first[i + 1]);
      for (std::size_t place = groups.first[i]; place < groups.first[i + 1]; ++place) {
        ASSERT_EQ(thread_of(groups.rows[place]), groups.threads[i]);
      }
    }
  }
}

}  // namespace
}  // namespace dlview::profile
