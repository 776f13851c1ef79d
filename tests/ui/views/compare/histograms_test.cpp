#include "ui/views/compare/histograms.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;

double sum_of(const Histogram& histogram) {
  return std::accumulate(histogram.shares.begin(), histogram.shares.end(), 0.0);
}

TEST(HistogramsTest, SharesOfEachRunAddUpToOne) {
  const std::vector<int64_t> before{10, 20, 30, 40, 1000}, after{15, 25};
  for (const bool is_log : {false, true}) {
    const Histograms all = prepare_histograms(before, after, nullptr, {}, is_log);
    EXPECT_NEAR(sum_of(all.before), 1, 1e-12);
    EXPECT_NEAR(sum_of(all.after), 1, 1e-12);
    EXPECT_EQ(all.before.median_ns, 30);
    EXPECT_EQ(all.after.count, 2);
    EXPECT_NEAR(all.edge_ns(0), all.low_ns, 1e-6);
    EXPECT_NEAR(all.edge_ns(Histograms::kBins), all.high_ns, 1e-6);
    for (std::size_t bin = 0; bin <= Histograms::kBins; ++bin) {
      EXPECT_NEAR(all.place_of(all.edge_ns(bin)),
                  static_cast<double>(bin) / static_cast<double>(Histograms::kBins), 1e-9);
    }
  }
}

TEST(HistogramsTest, ValuesFarApartWantALogarithm) {
  EXPECT_TRUE(wants_log(std::vector<int64_t>{30, 1700}, std::vector<int64_t>{31}));
  EXPECT_FALSE(wants_log(std::vector<int64_t>{30, 31}, std::vector<int64_t>{60}));
  EXPECT_FALSE(wants_log(std::vector<int64_t>{0, 1700}, {})) << "0 has no logarithm";
}

TEST(HistogramsTest, IntervalStandsWhereTheMedianMayLie) {
  const std::vector<int64_t> before(20, 1000), after(20, 1100);
  aggregate::ValueChange change;
  change.before = 1000;
  change.after = 1100;
  change.interval = aggregate::ChangeInterval{0.09, 0.11};
  change.p = 1e-9;
  change.verdict = aggregate::Verdict::slower;
  const Histograms all = prepare_histograms(before, after, &change, {}, false);
  ASSERT_TRUE(all.interval);
  EXPECT_NEAR(all.interval->low_ns, 1090, 1e-6);
  EXPECT_NEAR(all.interval->high_ns, 1110, 1e-6);
  ASSERT_TRUE(all.floor);
  EXPECT_NEAR(all.floor->high_ns, 1020, 1e-6);
  EXPECT_EQ(all.note, "+10.0% (+9.0% to +11.0%), p < 0.001: slower");
}

TEST(HistogramsTest, OneIterationHasNoFloor) {
  const Histograms all = prepare_histograms(std::vector<int64_t>{500},
                                            std::vector<int64_t>(200, 510), nullptr, {}, false);
  EXPECT_FALSE(all.floor);
  EXPECT_EQ(all.note, "");
  EXPECT_EQ(all.before.count, 1);
  EXPECT_NEAR(sum_of(all.before), 1, 1e-12);
}

TEST(HistogramsTest, NoValuesAreNoCrash) {
  const Histograms all = prepare_histograms({}, {}, nullptr, {}, false);
  EXPECT_EQ(all.before.count, 0);
  EXPECT_EQ(sum_of(all.after), 0);
}

}  // namespace
}  // namespace dlview::ui
