// Numbers and units of Nsight Compute, against the figures of the test data.
#include "import/ncu/numbers.h"

#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/test_data.h"

namespace dlview::import::ncu {
namespace {

using nlohmann::json;
using profile::NumberStyle;

json expected(const char* part) {
  std::ifstream file(*testing::test_data_folder() / "ncu" / "expected.json");
  return json::parse(file).at(part);
}

// What a file of this style means by the cell; nullopt = not recorded.
std::optional<double> value_in(std::string_view cell, NumberStyle style, double factor = 1) {
  CellNumber number = read_number(cell);
  if (number.kind != CellNumber::Kind::number) return std::nullopt;
  EXPECT_NE(number.styles & style_bit(style), 0) << cell;
  if (number.open != OpenSeparator::none && *is_decimal(number.open, style_bit(style))) {
    number.decimals = 3;
  }
  return number.times(factor);
}

TEST(CounterNumbers, MatchesExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::map<std::string, NumberStyle> styles{
      {"C", NumberStyle::plain},         {"any", NumberStyle::german},
      {"English", NumberStyle::english}, {"German", NumberStyle::german},
      {"French", NumberStyle::french},   {"Swiss", NumberStyle::swiss}};
  int count = 0;
  for (const json& row : expected("number_parsing")) {
    const std::string text = row["text"];
    ++count;
    const auto value = value_in(text, styles.at(row["dialect"]));
    EXPECT_EQ(value.has_value(), !row["value"].is_null()) << text;
    if (!value) continue;
    EXPECT_EQ(*value, row["value"].get<double>()) << text;
  }
  EXPECT_GE(count, 18);
}

TEST(CounterNumbers, ReadsEveryStyleAlike) {
  using enum NumberStyle;
  EXPECT_EQ(value_in("2614184397.16", plain), 2614184397.16);
  EXPECT_EQ(value_in("2,614,184,397.16", english), 2614184397.16);
  EXPECT_EQ(value_in("2.614.184.397,16", german), 2614184397.16);
  EXPECT_EQ(value_in("2\u202F614\u202F184\u202F397,16", french), 2614184397.16);
  EXPECT_EQ(value_in("2 614 184 397,16", french), 2614184397.16);
  EXPECT_EQ(value_in("2'614'184'397.16", swiss), 2614184397.16);
  EXPECT_EQ(value_in("2\u2019614", swiss), 2614);
  EXPECT_EQ(value_in("45.384", plain), 45.384);
  EXPECT_EQ(value_in("45.384", german), 45384);
  EXPECT_EQ(value_in("-1.5", plain), -1.5);
  EXPECT_EQ(value_in("0.123", plain), 0.123);
  EXPECT_EQ(value_in("1e+06", german), 1e6);
  EXPECT_EQ(value_in("2.5e-05", plain), 2.5e-5);
  EXPECT_EQ(value_in("123456789012345678.25", plain), 123456789012345678.25);
}

TEST(CounterNumbers, KeepsTextsThatAreNoNumbers) {
  for (const char* text : {"PolicySpread", "No-CC", "10.0.0.1", "1.2.3", "1,2,3", "12.3456.789",
                           ".", "1.", "-", "NVIDIA GH200 480GB", "1e", "12:30"}) {
    EXPECT_EQ(read_number(text).kind, CellNumber::Kind::text) << text;
  }
  for (const char* text : {"", "n/a", "no data", " "}) {
    EXPECT_EQ(read_number(text).kind, CellNumber::Kind::missing) << text;
  }
}

TEST(CounterNumbers, RoundsOnceWithFactor) {
  EXPECT_EQ(value_in("30.08", NumberStyle::plain, 1e3), 30080);
  EXPECT_EQ(value_in("2.614184", NumberStyle::plain, 1e9), 2614184000);
}

TEST(CounterNumbers, VotesFindContradiction) {
  StyleVotes votes;
  const std::string first = "2.61", second = "2,61";
  votes.add(read_number(first), first);
  EXPECT_EQ(is_decimal(OpenSeparator::dot, votes.possible()), true);
  const StyleSet before = kAllStyles;
  votes.add(read_number(second), second);
  EXPECT_EQ(votes.possible(), 0);
  EXPECT_EQ(votes.contradiction(before).text, "2,61");
}

TEST(CounterNumbers, AssumesStyleWithoutEvidence) {
  EXPECT_TRUE(choose_style(kAllStyles, false).is_assumed);
  EXPECT_EQ(choose_style(kAllStyles, false).style, NumberStyle::plain);
  EXPECT_FALSE(choose_style(kAllStyles, true).is_assumed);
  EXPECT_FALSE(choose_style(style_bit(NumberStyle::german), true).is_assumed);
}

TEST(CounterUnits, MatchesExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  int count = 0;
  for (const json& row : expected("units")) {
    const std::string text = row["text"];
    const BaseUnit unit = base_unit(text);
    EXPECT_EQ(unit.name, row["base"].get<std::string>()) << text;
    EXPECT_EQ(unit.factor, row["factor"].get<double>()) << text;
    ++count;
  }
  EXPECT_GE(count, 23);
}

TEST(CounterUnits, KeepsUnknownUnits) {
  EXPECT_EQ(base_unit("%").name, "%");
  EXPECT_EQ(base_unit("register/thread").name, "register/thread");
  EXPECT_EQ(base_unit("furlong").factor, 1);
  EXPECT_EQ(base_unit("Kbyte/block").name, "B/block");
  EXPECT_EQ(base_unit("Kbyte/block").factor, 1000);
  EXPECT_EQ(base_unit("inst/nsecond").name, "inst/s");
  EXPECT_EQ(base_unit("byte/cycle").name, "B/cycle");
}

}  // namespace
}  // namespace dlview::import::ncu
