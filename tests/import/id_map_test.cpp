#include "import/id_map.h"

#include <cstdint>
#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

namespace dlview::import {
namespace {

TEST(IdMap, AgreesWithAHashMapOnAnyIds) {
  std::mt19937_64 random(3);
  IdMap<int> ids;
  std::unordered_map<int64_t, int> expected;
  const auto any_id = [&] {
    const auto wide = static_cast<int64_t>(random());
    return random() % 4 == 0 ? wide : wide & 0xfff;
  };
  for (int value = 0; value < 5000; ++value) {
    const int64_t id = any_id();
    ids.set(id, value);
    expected[id] = value;
  }
  for (const auto& [id, value] : expected) EXPECT_EQ(ids.find(id), value) << id;
  for (int round = 0; round < 5000; ++round) {
    const int64_t id = any_id();
    EXPECT_EQ(ids.find(id).has_value(), expected.contains(id)) << id;
  }
}

// Each id just twice the last: a table that grew to hold them all would need terabytes.
TEST(IdMap, MemoryFollowsTheNumberOfIdsNotTheirSize) {
  IdMap<int> ids;
  for (int bit = 0; bit < 62; ++bit) ids.set(int64_t{1} << bit, bit);
  for (int bit = 0; bit < 62; ++bit) EXPECT_EQ(ids.find(int64_t{1} << bit), bit);
}

TEST(IdMap, FindsNothingWhenEmpty) {
  const IdMap<int> ids;
  EXPECT_FALSE(ids.find(0).has_value());
  EXPECT_FALSE(ids.find(-1).has_value());
}

}  // namespace
}  // namespace dlview::import
