#include "report/query/cell_filter.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::report {
namespace {

using aggregate::Unit;

Column column(CellKind kind, Unit unit = Unit::none) {
  Column column;
  column.kind = kind;
  column.unit = unit;
  return column;
}

bool passes(const Column& column, std::string_view text, const Cell& cell) {
  const auto filter = CellFilter::parse(column, text);
  EXPECT_TRUE(filter.ok()) << text;
  return filter.ok() && filter->passes(cell);
}

bool time_passes(std::string_view text, int64_t time_ns) {
  return passes(column(CellKind::integer, Unit::ns), text, time_ns);
}

TEST(CellFilter, TextIsFoundWhateverItsCase) {
  const Column text = column(CellKind::text);
  EXPECT_TRUE(passes(text, "conv", std::string_view("/net/CONV2D_1")));
  EXPECT_TRUE(passes(text, "/net", std::string_view("/NET/x")));
  EXPECT_TRUE(passes(text, "größe", std::string("GRÖSSE GRÖßE")));
  EXPECT_FALSE(passes(text, "conv", std::string_view("relu")));
  EXPECT_FALSE(passes(text, "c.nv", std::string_view("conv")));
  EXPECT_TRUE(passes(column(CellKind::word), "FP", std::string_view("fprop")));
}

TEST(CellFilter, TextBetweenSlashesIsARegularExpression) {
  const Column text = column(CellKind::text);
  EXPECT_TRUE(passes(text, "/^conv\\dd$/", std::string_view("Conv2D")));
  EXPECT_FALSE(passes(text, "/^conv$/", std::string_view("conv2d")));
  EXPECT_TRUE(passes(text, "//", std::string_view("a//b"))) << "an empty one is a text";
  EXPECT_FALSE(passes(text, "/", std::string_view("ab")));
}

TEST(CellFilter, ALongTextDoesNotExhaustARegularExpression) {
  const std::string long_text(1'000'000, 'a');
  EXPECT_FALSE(passes(column(CellKind::text), "/(a|aa)+b/", long_text));
}

TEST(CellFilter, ABadRegularExpressionSaysWhere) {
  const auto filter = CellFilter::parse(column(CellKind::text), "/conv(2d/");
  ASSERT_FALSE(filter.ok());
  EXPECT_EQ(filter.error().detail, "/conv(2d/: missing ), at character 1: conv(2d");
  const auto second = CellFilter::parse(column(CellKind::text), "/conv[z-a]/");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().detail,
            "/conv[z-a]/: invalid character class range, at character 6: z-a");
}

TEST(CellFilter, RejectsTextsThatAreNotUtf8) {
  const auto filter = CellFilter::parse(column(CellKind::text), "caf\xe9");
  ASSERT_FALSE(filter.ok());
  EXPECT_EQ(filter.error().title, "Invalid search text");
  EXPECT_TRUE(passes(column(CellKind::text), "caf", std::string_view("caf\xe9")));
}

TEST(CellFilter, NumbersAreComparedInTheUnitThatIsWritten) {
  EXPECT_TRUE(time_passes(">1ms", 1'000'001));
  EXPECT_FALSE(time_passes(">1ms", 1'000'000));
  EXPECT_TRUE(time_passes(">=1ms", 1'000'000));
  EXPECT_TRUE(time_passes("< 20", 19));
  EXPECT_FALSE(time_passes("<20", 20));
  EXPECT_TRUE(time_passes("<=1.1ms", 1'100'000));
  EXPECT_FALSE(time_passes(">1.1ms", 1'100'000)) << "1.1 is exact";
  for (const char* second : {">0.9s", ">999ms", ">999999us", ">999999µs", ">999999μs", ">0.01min",
                             ">0.0001h", ">0.00001d"}) {
    EXPECT_TRUE(time_passes(second, 1'000'000'000)) << second;
    EXPECT_FALSE(time_passes(second, 1'000)) << second;
  }
  const Column bytes = column(CellKind::integer, Unit::bytes);
  EXPECT_TRUE(passes(bytes, "=1KiB", int64_t{1024}));
  EXPECT_TRUE(passes(bytes, ">2MiB", int64_t{3} << 20));
  EXPECT_FALSE(passes(bytes, ">2GiB", int64_t{3} << 20));
  const Column rate = column(CellKind::real, Unit::bytes_per_second);
  EXPECT_TRUE(passes(rate, "167 GB/s", 166.7e9));
  EXPECT_FALSE(passes(rate, ">167GB/s", 166.7e9));
  const Column percent = column(CellKind::real, Unit::percent);
  EXPECT_TRUE(passes(percent, ">50%", 50.5));
  EXPECT_FALSE(passes(percent, ">50", 50.0));
}

TEST(CellFilter, BothEndsOfARangeBelongToIt) {
  for (const int64_t inside : {10, 15, 20}) EXPECT_TRUE(time_passes("10..20", inside));
  for (const int64_t outside : {9, 21}) EXPECT_FALSE(time_passes("10..20", outside));
  EXPECT_TRUE(time_passes("10..20us", 10'000)) << "the unit holds for both";
  EXPECT_TRUE(time_passes("10ns..20us", 11));
  EXPECT_TRUE(time_passes("10..", 1'000'000));
  EXPECT_FALSE(time_passes("..10", 11));
  EXPECT_FALSE(time_passes("20..10", 15));
}

TEST(CellFilter, APlainNumberMeansWhatRoundsToIt) {
  EXPECT_TRUE(time_passes("1.28ms", 1'284'305));
  EXPECT_TRUE(time_passes("=1.28ms", 1'275'000));
  EXPECT_FALSE(time_passes("1.28ms", 1'285'000));
  EXPECT_TRUE(time_passes("128", 128));
  EXPECT_FALSE(time_passes("128", 1284));
  EXPECT_TRUE(passes(column(CellKind::real, Unit::percent), "43.1%", 43.14));
  EXPECT_FALSE(passes(column(CellKind::real, Unit::percent), "43.1%", 43.16));
  EXPECT_TRUE(passes(column(CellKind::integer), "-5", int64_t{-5}));
}

TEST(CellFilter, ANumberCopiedFromTheScreenMeansItself) {
  EXPECT_TRUE(time_passes("1,284,305\u202fns", 1'284'305));
  EXPECT_TRUE(time_passes("1\u202f284\u202f305\u202fns", 1'284'305));
  EXPECT_TRUE(time_passes("1 284 305", 1'284'305));
}

TEST(CellFilter, LargeIntegersAreNotRounded) {
  constexpr int64_t kLarge = 9'007'199'254'740'993;  // no double
  EXPECT_TRUE(time_passes("9007199254740993", kLarge));
  EXPECT_FALSE(time_passes("9007199254740993", kLarge - 1));
  EXPECT_FALSE(time_passes(">9007199254740993", kLarge));
}

TEST(CellFilter, FlagsTakeDigitsWordsAndMarks) {
  const Column flag = column(CellKind::flag);
  for (const char* yes : {"1", "yes", "Yes", "TRUE", "✓", " 1 "}) {
    EXPECT_TRUE(passes(flag, yes, true)) << yes;
    EXPECT_FALSE(passes(flag, yes, false)) << yes;
  }
  for (const char* no : {"0", "no", "false", "✗"}) {
    EXPECT_TRUE(passes(flag, no, false)) << no;
    EXPECT_FALSE(passes(flag, no, true)) << no;
  }
}

TEST(CellFilter, WhatWasNotRecordedPassesNone) {
  EXPECT_FALSE(passes(column(CellKind::text), "a", Cell()));
  EXPECT_FALSE(passes(column(CellKind::text), "/.*/", Cell()));
  EXPECT_FALSE(passes(column(CellKind::integer), "..5", Cell()));
  EXPECT_FALSE(passes(column(CellKind::flag), "0", Cell()));
}

TEST(CellFilter, ColumnsOfAnyKindAreReadAsText) {
  EXPECT_TRUE(passes(column(CellKind::any), "28", int64_t{1284}));
  EXPECT_TRUE(passes(column(CellKind::any), "0.25", 0.25));
}

TEST(CellFilter, WhatCannotBeReadNamesTheUnits) {
  const Column time = column(CellKind::integer, Unit::ns);
  for (const char* bad : {"", ">", "ms", "1ms2", "1kg", "<>1", "==1", "..", "1e6", "a..b", "1.2.3",
                          ">1%", "1..2kg", "--1"}) {
    const auto filter = CellFilter::parse(time, bad);
    ASSERT_FALSE(filter.ok()) << bad;
    EXPECT_NE(filter.error().advice.find("ns, us, ms, s"), std::string::npos);
  }
  EXPECT_FALSE(CellFilter::parse(column(CellKind::integer, Unit::count), "5ms").ok());
  EXPECT_FALSE(CellFilter::parse(column(CellKind::flag), "2").ok());
}

}  // namespace
}  // namespace dlview::report
