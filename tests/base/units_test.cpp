#include "base/units.h"

#include <gtest/gtest.h>

namespace dlview::base {
namespace {

// Thin spaces as plain ones, so that expectations can be read.
std::string plain(std::string text) {
  for (std::size_t at = text.find(kThinSpace); at != std::string::npos;
       at = text.find(kThinSpace)) {
    text.replace(at, std::string(kThinSpace).size(), " ");
  }
  return text;
}

TEST(Units, GroupsThousands) {
  EXPECT_EQ(plain(format_count(0)), "0");
  EXPECT_EQ(plain(format_count(999)), "999");
  EXPECT_EQ(plain(format_count(1'284'305)), "1 284 305");
  EXPECT_EQ(plain(format_count(-12'345)), "-12 345");
  EXPECT_EQ(plain(format_count(INT64_MIN)), "-9 223 372 036 854 775 808");
}

TEST(Units, ShowsDurationsWithThreeSignificantDigitsInTheUnitThatFits) {
  EXPECT_EQ(plain(format_duration(int64_t{0})), "0");
  EXPECT_EQ(plain(format_duration(int64_t{950})), "950 ns");
  EXPECT_EQ(plain(format_duration(int64_t{1'500})), "1.50 µs");
  EXPECT_EQ(plain(format_duration(int64_t{213'900'000})), "214 ms");
  EXPECT_EQ(plain(format_duration(int64_t{41'270'000'000})), "41.3 s");
  EXPECT_EQ(plain(format_duration(int64_t{90'000'000'000})), "1.50 min");
  EXPECT_EQ(plain(format_duration(int64_t{86'400'000'000'000} * 3)), "3.00 days");
  EXPECT_EQ(plain(format_duration(int64_t{-2'000'000})), "-2.00 ms");
}

TEST(Units, CarriesIntoTheNextUnitWhenRoundingReachesIt) {
  EXPECT_EQ(plain(format_duration(int64_t{999'600})), "1.00 ms");
  EXPECT_EQ(plain(format_duration(int64_t{999'400})), "999 µs");
  EXPECT_EQ(plain(format_duration(int64_t{59'999'000'000})), "1.00 min");
}

TEST(Units, NeverRoundsASmallShareToZero) {
  EXPECT_EQ(plain(format_percent(0)), "0 %");
  EXPECT_EQ(plain(format_percent(0.01)), "< 0.1 %");
  EXPECT_EQ(plain(format_percent(43.14)), "43.1 %");
  EXPECT_EQ(plain(format_percent(100)), "100.0 %");
  EXPECT_EQ(plain(format_percent(99.94)), "99.9 %");
  EXPECT_EQ(plain(format_percent(99.9999)), "> 99.9 %");
}

TEST(Units, ShowsBytesInPowersOf1024) {
  EXPECT_EQ(plain(format_bytes(512)), "512 B");
  EXPECT_EQ(plain(format_bytes(8'589'934'592)), "8.00 GiB");
}

}  // namespace
}  // namespace dlview::base
