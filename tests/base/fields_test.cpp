#include "base/fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

enum class Kind : uint8_t { one, other };

struct Nested {
  int64_t first = 0, last = 0;
};

struct Many {
  std::string name = "conv";
  std::optional<int64_t> limit = 7;
  std::vector<int> values = {1, 2, 3};
  Nested range = {4, 5};
  Kind kind = Kind::other;
  bool is_open = true;
};

struct None {};

// clang-format off
struct Most {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13,
      n = 14, o = 15, p = 16, q = 17, r = 18, s = 19, t = 20, u = 21, v = 22, w = 23, x = 24, y = 25,
      z = 26;
};
// clang-format on

TEST(Fields, AreAllMembersInTheirOrder) {
  const Many many;
  with_fields(many, [](const auto&... members) { static_assert(sizeof...(members) == 6); });
  with_fields(many, [](const std::string& name, const std::optional<int64_t>& limit,
                       const std::vector<int>& values, const Nested& range, Kind kind, bool open) {
    EXPECT_EQ(name, "conv");
    EXPECT_EQ(limit, 7);
    EXPECT_EQ(values.size(), 3U);
    EXPECT_EQ(range.last, 5);
    EXPECT_EQ(kind, Kind::other);
    EXPECT_TRUE(open);
  });
}

TEST(Fields, CanBeChanged) {
  Nested range;
  with_fields(range, [](int64_t& first, int64_t& last) {
    first = 3;
    last = 9;
  });
  EXPECT_EQ(range.first, 3);
  EXPECT_EQ(range.last, 9);
}

TEST(Fields, MayBeManyOrNone) {
  std::vector<int> seen;
  const Most most;
  with_fields(most, [&](auto... members) { (seen.push_back(members), ...); });
  ASSERT_EQ(seen.size(), 26U);
  for (int i = 0; i < 26; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i + 1);
  const None none;
  int calls = 0;
  with_fields(none, [&](const auto&...) { ++calls; });
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace dlview::base
