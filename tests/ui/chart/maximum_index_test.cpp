#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "ui/chart/bars.h"

namespace dlview::ui {
namespace {

TEST(MaximumIndex, FindsTheFirstOfTheLargestValues) {
  const MaximumIndex index({3, 7, 7, 1});
  EXPECT_EQ(index.largest(0, 4), 1u);
  EXPECT_EQ(index.largest(2, 4), 2u);
  EXPECT_EQ(index.largest(3, 4), 3u);
}

TEST(MaximumIndex, AgreesWithALinearScanOnEveryRangeOfRandomValues) {
  std::mt19937 random(7);
  for (const std::size_t size : {1u, 2u, 3u, 17u, 64u, 65u}) {
    std::vector<int64_t> values(size);
    for (int64_t& value : values) value = random() % 20;  // many equal ones
    const MaximumIndex index(values);
    for (std::size_t first = 0; first < size; ++first) {
      for (std::size_t last = first + 1; last <= size; ++last) {
        const auto expected = std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                               values.begin() + static_cast<std::ptrdiff_t>(last));
        ASSERT_EQ(index.largest(first, last), static_cast<std::size_t>(expected - values.begin()))
            << size << ": [" << first << ", " << last << ")";
      }
    }
  }
}

}  // namespace
}  // namespace dlview::ui
