#include "base/max_tree.h"

#include <random>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

std::vector<int64_t> random_values(std::size_t count, int64_t highest, std::mt19937& random) {
  std::uniform_int_distribution<int64_t> value(0, highest);
  std::vector<int64_t> values(count);
  for (int64_t& one : values) one = value(random);
  return values;
}

// Some stretches of [0, count): whole, empty, at both ends, across blocks.
std::vector<std::pair<std::size_t, std::size_t>> stretches(std::size_t count,
                                                           std::mt19937& random) {
  std::vector<std::pair<std::size_t, std::size_t>> found{{0, count}, {0, 0}, {count, count}};
  std::uniform_int_distribution<std::size_t> place(0, count);
  for (int i = 0; i < 40; ++i) {
    const std::size_t a = place(random), b = place(random);
    found.emplace_back(std::min(a, b), std::max(a, b));
  }
  return found;
}

TEST(MaxTree, AnswersAsALookAtEachValueDoes) {
  std::mt19937 random(7);
  for (const std::size_t count : {0, 1, 15, 16, 17, 255, 256, 257, 4096, 5000, 70'000}) {
    for (const int64_t highest : {0, 3, 1'000'000}) {
      const std::vector<int64_t> values = random_values(count, highest, random);
      const auto value_of = [&](std::size_t i) { return values[i]; };
      const MaxTree tree(count, value_of);
      for (const auto& [first, end] : stretches(count, random)) {
        for (const int64_t limit : {kLeast, int64_t{-1}, highest / 2, highest - 1, highest}) {
          std::size_t expected = first;
          while (expected < end && values[expected] <= limit) ++expected;
          ASSERT_EQ(tree.first_above(first, end, limit, value_of), expected)
              << count << " values, [" << first << ", " << end << ") above " << limit;
        }
        if (first == end) continue;
        const auto begin = values.begin();
        const auto greatest = std::max_element(begin + static_cast<std::ptrdiff_t>(first),
                                               begin + static_cast<std::ptrdiff_t>(end));
        const MaxTree::Greatest found = tree.greatest(first, end, value_of);
        ASSERT_EQ(found.value, *greatest) << count << " values, [" << first << ", " << end << ")";
        ASSERT_EQ(found.place, static_cast<std::size_t>(greatest - begin));
      }
    }
  }
}

TEST(MaxTree, KnowsTheLeastAndTheGreatestNumbers) {
  std::vector<int64_t> values(100, kLeast);
  const auto value_of = [&](std::size_t i) { return values[i]; };
  const MaxTree least(values.size(), value_of);
  EXPECT_EQ(least.greatest(20, 90, value_of).value, kLeast);
  EXPECT_EQ(least.greatest(20, 90, value_of).place, 20U);
  EXPECT_EQ(least.first_above(0, 100, kLeast, value_of), 100U);
  values[77] = kMost;
  const MaxTree both(values.size(), value_of);
  EXPECT_EQ(both.greatest(0, 100, value_of).place, 77U);
  EXPECT_EQ(both.greatest(78, 100, value_of).value, kLeast);
  EXPECT_EQ(both.first_above(0, 100, kMost - 1, value_of), 77U);
}

// What it is for: values are looked at beside those that are found, and not each of them.
TEST(MaxTree, LooksAtFewValues) {
  std::vector<int64_t> values(1'000'000, 5);
  values[500'000] = 6;
  std::size_t looks = 0;
  const auto value_of = [&](std::size_t i) {
    ++looks;
    return values[i];
  };
  const MaxTree tree(values.size(), value_of);
  looks = 0;
  EXPECT_EQ(tree.first_above(3, values.size() - 3, 5, value_of), 500'000U);
  EXPECT_EQ(tree.greatest(3, values.size() - 3, value_of).place, 500'000U);
  EXPECT_LT(looks, 200U);
}

}  // namespace
}  // namespace dlview::base
