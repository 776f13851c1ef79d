#include <gtest/gtest.h>

#include "support/sketch.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/tables.h"

namespace dlview::ui {
namespace {

using aggregate::Outlier;
using aggregate::OutlierClass;

aggregate::Outliers outliers_at(const std::vector<int64_t>& iterations) {
  aggregate::Outliers outliers;
  for (const int64_t iteration : iterations) {
    Outlier outlier;
    outlier.iteration = iteration;
    outlier.difference_ns = 10 * iteration;
    outliers.rows.push_back(outlier);
  }
  return outliers;
}

TEST(OutlierMarks, NextAndPreviousGoRound) {
  const auto outliers = outliers_at({3, 8, 20});
  EXPECT_EQ(next_outlier(outliers, std::nullopt), 3);
  EXPECT_EQ(next_outlier(outliers, 3), 8);
  EXPECT_EQ(next_outlier(outliers, 10), 20);
  EXPECT_EQ(next_outlier(outliers, 20), 3);
  EXPECT_EQ(previous_outlier(outliers, std::nullopt), 20);
  EXPECT_EQ(previous_outlier(outliers, 10), 8);
  EXPECT_EQ(previous_outlier(outliers, 3), 20);
  EXPECT_FALSE(next_outlier({}, 5));
  EXPECT_FALSE(previous_outlier({}, std::nullopt));
}

TEST(OutlierMarks, CountsThoseInsideARange) {
  const auto outliers = outliers_at({3, 8, 20});
  EXPECT_EQ(outliers_in(outliers, {3, 20}), 3);
  EXPECT_EQ(outliers_in(outliers, {4, 19}), 1);
  EXPECT_EQ(outliers_in(outliers, {9, 19}), 0);
}

TEST(OutlierMarks, MarksStandOnTheirBarsAndCloseOnesAreOne) {
  const BarData data(testing::table_of(std::vector<int64_t>(100, 50)), {});
  Plot plot{10, 20, 200, 100, whole_span(100), 100};
  const auto marks = prepare_outlier_marks(outliers_at({10, 11, 50}), data, plot, 7);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].iteration, 11);  // the larger difference
  EXPECT_FLOAT_EQ(marks[1].x, 10 + 2 * 50.5f);
  EXPECT_FLOAT_EQ(marks[1].y, 70);
  plot.span = {20, 60};
  EXPECT_EQ(prepare_outlier_marks(outliers_at({10, 11, 50}), data, plot, 7).size(), 1u);
}

TEST(OutlierMarks, AnOutlierIsToldWithItsClassAndOp) {
  testing::Sketch sketch;
  Outlier outlier;
  outlier.kind = OutlierClass::data_loader;
  outlier.difference_ns = 142'000'000;
  outlier.op = profile::OpIndex(sketch.op("next"));
  outlier.op_difference_ns = 138'000'000;
  const auto profile = sketch.finish();
  EXPECT_EQ(describe_outlier(*profile, outlier), "data loading, +142\u202fms: next +138\u202fms");
  outlier.op = {};
  outlier.difference_ns = -142'000'000;
  EXPECT_EQ(describe_outlier(*profile, outlier), "data loading, −142\u202fms");
}

}  // namespace
}  // namespace dlview::ui
