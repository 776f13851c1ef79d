#include "verify/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::verify {
namespace {

using base::Value;
using base::ValueTable;
using ::testing::ElementsAre;

ValueTable table(std::vector<std::vector<Value>> rows) {
  return {"ops", {"op_id", "kernel", "calls", "avg"}, 2, std::move(rows)};
}

Value text(const char* value) {
  return std::string(value);
}
Value number(int64_t value) {
  return value;
}

TEST(Compare, MatchesRowsByTheirKeysInAnyOrder) {
  const ValueTable stored = table({{text("B"), text("k"), number(2), 0.5},
                                   {text("A"), text("k"), number(1), 1.5},
                                   {text("A"), text("j"), number(3), 2.5}});
  const ValueTable recomputed = table({{text("A"), text("j"), number(3), 2.5},
                                       {text("A"), text("k"), number(1), 1.5},
                                       {text("B"), text("k"), number(2), 0.5}});
  const Check check = compare(stored, recomputed);
  EXPECT_EQ(check.name, "ops");
  EXPECT_EQ(check.rows, 3);
  EXPECT_EQ(check.matched, 3);
  EXPECT_TRUE(check.matches());
}

TEST(Compare, NamesTheCellThatDiffers) {
  const Check check = compare(table({{text("A"), text("k"), number(1), 1.5}}),
                              table({{text("A"), text("k"), number(2), 1.5}}));
  EXPECT_EQ(check.rows, 1);
  EXPECT_EQ(check.matched, 0);
  EXPECT_THAT(check.first_differences, ElementsAre(Difference{"A, k", "calls", "1", "2"}));
}

TEST(Compare, CountsRowsThatOneSideLacks) {
  const Check check = compare(
      table({{text("A"), text("k"), number(1), 1.5}, {text("C"), text("k"), number(1), 1.5}}),
      table({{text("B"), text("k"), number(1), 1.5}, {text("C"), text("k"), number(1), 1.5}}));
  EXPECT_EQ(check.rows, 3);
  EXPECT_EQ(check.matched, 1);
  EXPECT_THAT(check.first_differences, ElementsAre(Difference{"A, k", "", "a row", "no such row"},
                                                   Difference{"B, k", "", "no such row", "a row"}));
}

TEST(Compare, PairsRowsWithEqualKeysInTheirOrder) {
  const Check check = compare(
      table({{text("A"), text("k"), number(1), 0.5}, {text("A"), text("k"), number(2), 0.5}}),
      table({{text("A"), text("k"), number(1), 0.5}, {text("A"), text("k"), number(3), 0.5}}));
  EXPECT_EQ(check.matched, 1);
  EXPECT_THAT(check.first_differences, ElementsAre(Difference{"A, k", "calls", "2", "3"}));
}

TEST(Compare, LeavesOutColumnsThatAnOlderDatabaseLacks) {
  ValueTable stored{"ops", {"op_id", "kernel", "avg"}, 2, {{text("A"), text("k"), 1.5}}};
  const ValueTable recomputed = table({{text("A"), text("k"), number(9), 1.5}});
  EXPECT_TRUE(compare(stored, recomputed).matches());
  stored.rows[0][2] = 2.5;
  EXPECT_EQ(compare(stored, recomputed).difference_count, 1);
}

TEST(Compare, KeepsTheFirstDifferencesAndCountsAll) {
  ValueTable stored = table({}), recomputed = table({});
  for (int64_t i = 0; i < 25; ++i) {
    stored.rows.push_back({number(i), text("k"), number(1), 0.0});
    recomputed.rows.push_back({number(i), text("k"), number(2), 0.0});
  }
  const Check check = compare(stored, recomputed);
  EXPECT_EQ(check.difference_count, 25);
  EXPECT_EQ(check.first_differences.size(), kDifferencesKept);
}

TEST(Equal, TakesRealsThatPrintEqualWithSixDecimals) {
  EXPECT_TRUE(equal(1.0 / 3.0, 0.333333));
  EXPECT_FALSE(equal(0.3333344, 0.3333356));
  EXPECT_FALSE(equal(0.000001, 0.000002));
}

TEST(Equal, TakesAllElseExactly) {
  EXPECT_TRUE(equal(number(7), number(7)));
  EXPECT_FALSE(equal(number(7), number(8)));
  EXPECT_FALSE(equal(number(7), 7.0));
  EXPECT_FALSE(equal(text("7"), number(7)));
  EXPECT_FALSE(equal(Value(), number(0)));
  EXPECT_TRUE(equal(Value(), Value()));
}

}  // namespace
}  // namespace dlview::verify
