#include "base/sort_runs.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

struct Value {
  int key = 0, place = 0;
  bool operator==(const Value&) const = default;
};

bool comes_before(const Value& a, const Value& b) {
  return a.key < b.key;
}

TEST(SortRuns, SortsAsAStableSortDoes) {
  std::mt19937 random(7);
  for (const int size : {0, 1, 2, 3, 100, 1000}) {
    for (const int keys : {1, 5, 1000}) {
      std::vector<Value> values;
      for (int i = 0; i < size; ++i) {
        values.push_back({std::uniform_int_distribution<int>(0, keys)(random), i});
      }
      std::vector<Value> expected = values;
      std::stable_sort(expected.begin(), expected.end(), comes_before);
      sort_runs(std::span(values), comes_before);
      EXPECT_EQ(values, expected) << size << " values of " << keys << " keys";
    }
  }
}

TEST(SortRuns, ComparesEachPairOfNeighborsOnceWhereAllIsInOrder) {
  std::vector<int> values(1000);
  for (int i = 0; i < 1000; ++i) values[static_cast<std::size_t>(i)] = i;
  int compared = 0;
  sort_runs(std::span(values), [&compared](int a, int b) {
    ++compared;
    return a < b;
  });
  EXPECT_EQ(compared, 999);
}

}  // namespace
}  // namespace dlview::base
