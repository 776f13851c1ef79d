#include "ui/views/limits/gpu_use_chart.h"

#include <vector>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

report::ReportBar bar(int64_t time_ns) {
  return {"op", time_ns, {}, 0};
}

TEST(GpuUseChart, BarsTileTheChartByTime) {
  const std::vector<report::ReportBar> bars{bar(100), bar(300), bar(0), bar(600)};
  const auto placed = place_bars(bars, {50, 0, 250, 40});
  ASSERT_EQ(placed.size(), 4U);
  EXPECT_EQ(placed[0].left, 50);
  EXPECT_EQ(placed[0].right, 70);
  EXPECT_EQ(placed[1].right, 130);
  EXPECT_EQ(placed[2].left, 130);
  EXPECT_EQ(placed[2].right, 131);  // a pixel, so that it can be seen
  EXPECT_EQ(placed[3].left, 130);
  EXPECT_EQ(placed[3].right, 250);
}

TEST(GpuUseChart, NoTimeHasNoBars) {
  EXPECT_TRUE(place_bars({}, {0, 0, 10, 10}).empty());
  EXPECT_TRUE(place_bars(std::vector{bar(0)}, {0, 0, 10, 10}).empty());
}

}  // namespace
}  // namespace dlview::ui
