#include "base/number_distinct.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

// One item after the other.
NumberedKeys<std::string> one_by_one(const std::vector<std::string>& items) {
  NumberedKeys<std::string> result;
  for (const std::string& item : items) {
    const auto known = std::ranges::find(result.keys, item);
    result.of_item.push_back(static_cast<uint32_t>(known - result.keys.begin()));
    if (known == result.keys.end()) result.keys.push_back(item);
  }
  return result;
}

TEST(NumberDistinct, GivesNumbersInTheOrderOfFirstUse) {
  std::mt19937 random(3);
  for (const std::size_t count : {0U, 1U, 1000U, 900'000U}) {
    std::vector<std::string> items;
    // Late ones are rare, so that parts begin with keys of others and have some of their own.
    for (std::size_t i = 0; i < count; ++i) {
      items.push_back(std::to_string(random() % (1 + i / 20'000)));
    }
    const auto numbered = number_distinct<std::hash<std::string>>(
        items.size(), [&](std::size_t i) -> const std::string& { return items[i]; });
    const NumberedKeys<std::string> expected = one_by_one(items);
    EXPECT_EQ(numbered.keys, expected.keys);
    EXPECT_EQ(numbered.of_item, expected.of_item);
  }
}

}  // namespace
}  // namespace dlview::base
