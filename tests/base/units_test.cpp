#include "base/units.h"

#include <algorithm>
#include <cstdlib>

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
  EXPECT_EQ(plain(format_count(1'284'305)), "1,284,305");
  EXPECT_EQ(plain(format_count(-12'345)), "-12,345");
  EXPECT_EQ(plain(format_count(INT64_MIN)), "-9,223,372,036,854,775,808");
}

TEST(Units, ShowsDurationsWithThreeSignificantDigits) {
  EXPECT_EQ(plain(format_duration(int64_t{0})), "0");
  EXPECT_EQ(plain(format_duration(int64_t{950})), "950 ns");
  EXPECT_EQ(plain(format_duration(int64_t{1'500})), "1.50 µs");
  EXPECT_EQ(plain(format_duration(int64_t{213'900'000})), "214 ms");
  EXPECT_EQ(plain(format_duration(int64_t{41'270'000'000})), "41.3 s");
  EXPECT_EQ(plain(format_duration(int64_t{90'000'000'000})), "1.50 min");
  EXPECT_EQ(plain(format_duration(int64_t{86'400'000'000'000} * 3)), "3.00 days");
  EXPECT_EQ(plain(format_duration(int64_t{-2'000'000})), "-2.00 ms");
}

// "value, baseline, difference".
std::string compared(int64_t duration_ns, int64_t baseline_ns) {
  const ComparedDurations texts = format_compared(duration_ns, baseline_ns);
  return plain(texts.value + ", " + texts.baseline + ", " + texts.difference);
}

TEST(Units, ComparesDurationsInOneUnit) {
  EXPECT_EQ(compared(41'270'000'000, 41'130'000'000), "41.27 s, 41.13 s, +0.14 s");
  EXPECT_EQ(compared(1'231'000, 1'234'500), "1.2310 ms, 1.2345 ms, −0.0035 ms");
  EXPECT_EQ(compared(2'000'000, 950), "2.00 ms, 0.00 ms, +2.00 ms");
  EXPECT_EQ(compared(1'500, 0), "1.50 µs, 0, +1.50 µs");
  EXPECT_EQ(compared(700, 651), "700 ns, 651 ns, +49 ns");
  EXPECT_EQ(compared(5'000, 5'000), "5.00 µs, 5.00 µs, 0");
  EXPECT_EQ(compared(0, 0), "0, 0, 0");
  EXPECT_EQ(compared(743'651'000, 743'647'000), "744 ms, 744 ms, +4.00 µs");
  EXPECT_EQ(compared(5'000'000, 5'000'001), "5.00 ms, 5.00 ms, −1 ns");
}

// The difference of two texts, in the digits that they show.
TEST(Units, ComparedDurationsAddUp) {
  uint64_t random = 1;
  const auto next = [&random](uint64_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>((random >> 16) % below);
  };
  for (int i = 0; i < 20'000; ++i) {
    const int64_t a = next(uint64_t{1} << (1 + i % 44)),
                  b = i % 3 == 0 ? a + next(99) : next(1'000'000);
    const ComparedDurations texts = format_compared(a, b);
    if (a != b && std::abs(a - b) < std::max(a, b) / 1000) continue;  // has a unit of its own
    const auto number = [](std::string text) {
      if (text.starts_with("−")) text = "-" + text.substr(std::string("−").size());
      return std::stold(text);
    };
    EXPECT_NEAR(static_cast<double>(number(texts.value) - number(texts.baseline)),
                static_cast<double>(number(texts.difference)), 1e-12)
        << texts.value << ", " << texts.baseline << ", " << texts.difference;
    EXPECT_EQ(texts.difference == "0", a == b) << a << ' ' << b;
  }
}

TEST(Units, ComparesTheRowsOfATableWithTheSameDecimals) {
  const std::vector<std::pair<int64_t, int64_t>> rows{{548'300'000, 41'270'000},
                                                      {12'120'000, 12'060'000},
                                                      {23'500'000, 23'500'000},
                                                      {612'000, 30'000},
                                                      {20'000, 0},
                                                      {12'060'000, 12'080'000}};
  ComparedTable table;
  for (const auto& [duration_ns, baseline_ns] : rows) table.add(duration_ns, baseline_ns);
  std::vector<std::string> texts;
  for (const auto& [duration_ns, baseline_ns] : rows) {
    const ComparedDurations row = table.format(duration_ns, baseline_ns);
    texts.push_back(plain(row.value + ", " + row.baseline + ", " + row.difference));
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"548.3 ms, 41.3 ms, +507.0 ms", "12.1 ms, 12.1 ms, < 0.1 ms",
                                      "23.5 ms, 23.5 ms, 0", "0.6 ms, < 0.1 ms, +0.6 ms",
                                      "< 0.1 ms, 0, < 0.1 ms", "12.1 ms, 12.1 ms, > −0.1 ms"}));
  ComparedTable alike;  // decimals enough for the difference
  alike.add(41'270'000'000, 41'269'990'000);
  EXPECT_EQ(plain(alike.format(41'270'000'000, 41'269'990'000).difference), "+0.000010 s");
}

TEST(Units, CarriesIntoTheNextUnitWhenRoundingReachesIt) {
  EXPECT_EQ(plain(format_duration(int64_t{999'600})), "1.00 ms");
  EXPECT_EQ(plain(format_duration(int64_t{999'400})), "999 µs");
  EXPECT_EQ(plain(format_duration(int64_t{59'999'000'000})), "1.00 min");
}

TEST(Units, CountsWithASingular) {
  EXPECT_EQ(counted(1'284, "ops"), "1,284 ops");
  EXPECT_EQ(counted(0, "ops"), "0 ops");
  EXPECT_EQ(counted(1, "ops"), "1 op");
  EXPECT_EQ(counted(1, "op types"), "1 op type");
  EXPECT_EQ(counted(1, "classes"), "1 class");
  EXPECT_EQ(counted(1, "launches"), "1 launch");
}

TEST(Units, PutsASignBeforeADifference) {
  EXPECT_EQ(with_sign(3, "3 ms"), "+3 ms");
  EXPECT_EQ(with_sign(-3, "3 ms"), "−3 ms");
  EXPECT_EQ(with_sign(0, "0"), "0");
  EXPECT_EQ(with_sign(-0.0001, "0.0%"), "0.0%");  // no "−0.0%"
  EXPECT_EQ(with_sign(0.0001, "0.0%"), "0.0%");
  EXPECT_EQ(plain(with_sign(0.01, format_percent(0.01))), "< 0.1%");
  EXPECT_EQ(plain(with_sign(-0.01, format_percent(0.01))), "> −0.1%");
  EXPECT_EQ(plain(with_sign(99.97, format_percent(99.97))), "> +99.9%");
  EXPECT_EQ(plain(with_sign(-99.97, format_percent(99.97))), "< −99.9%");
}

TEST(Units, NeverRoundsASmallShareToZero) {
  EXPECT_EQ(plain(format_percent(0)), "0%");
  EXPECT_EQ(plain(format_percent(0.01)), "< 0.1%");
  EXPECT_EQ(plain(format_percent(-0.01)), "> −0.1%");
  EXPECT_EQ(plain(format_percent(43.14)), "43.1%");
  EXPECT_EQ(plain(format_percent(-43.14)), "−43.1%");
  EXPECT_EQ(plain(format_percent(100)), "100%");
  EXPECT_EQ(plain(format_percent(99.94)), "99.9%");
  EXPECT_EQ(plain(format_percent(99.9999)), "> 99.9%");
}

TEST(Units, ShowsBytesInPowersOf1024) {
  EXPECT_EQ(plain(format_bytes(512)), "512 B");
  EXPECT_EQ(plain(format_bytes(8'589'934'592)), "8.00 GiB");
  EXPECT_EQ(plain(format_bytes(-1'572'864)), "−1.50 MiB");
}

TEST(Units, ShowsByteRatesInPowersOf1000) {
  EXPECT_EQ(plain(format_byte_rate(512)), "512 B/s");
  EXPECT_EQ(plain(format_byte_rate(1024)), "1.02 kB/s");
  EXPECT_EQ(plain(format_byte_rate(166.7e9)), "167 GB/s");
  EXPECT_EQ(plain(format_byte_rate(999.9e9)), "1.00 TB/s");
}

}  // namespace
}  // namespace dlview::base
