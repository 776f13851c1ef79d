#include <gtest/gtest.h>

#include "ui/chart/cut_bars.h"
#include "ui/chart/navigation.h"
#include "ui/tables.h"

namespace dlview::ui {
namespace {

// Ten pixels for each character.
float width_of(std::string_view text) {
  return 10.0f * static_cast<float>(text.size());
}

struct Chart {
  explicit Chart(const std::vector<int64_t>& durations, float width = 1000)
      : data(testing::table_of(durations), {}) {
    plot = {10, 20, width, 400, whole_span(data.count()), 1};
    plot.top_ns = fitting_top_ns(data, plot.span);
  }
  std::vector<CutLabel> labels() const {
    BarPicture picture;
    picture.prepare(data, plot, palette(ThemeKind::dark));
    return prepare_cut_labels(data, plot, picture.cut_bars(), {}, width_of);
  }
  BarData data;
  Plot plot;
};

std::vector<int64_t> steady(std::size_t count) {
  return std::vector<int64_t>(count, 100);
}

TEST(CutLabels, ALonelyCutBarHasItsDurationBehindIt) {
  std::vector<int64_t> durations = steady(100);
  durations[40] = 2000;
  const auto labels = Chart(durations).labels();
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels[0].text, "2.00\u202fµs");
  EXPECT_GE(labels[0].left, 10 + 41 * 10);
}

TEST(CutLabels, OfNeighborsTheTallestIsNamed) {
  std::vector<int64_t> durations = steady(100);
  durations[40] = 2000;
  durations[42] = 3000;
  durations[43] = 2500;
  const auto labels = Chart(durations).labels();
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels[0].text, "42: 3.00\u202fµs");
  EXPECT_GE(labels[0].left, 10 + 44 * 10);
}

TEST(CutLabels, AtTheRightEdgeTheLabelStandsBeforeTheBar) {
  std::vector<int64_t> durations = steady(100);
  durations[99] = 2000;
  const auto labels = Chart(durations).labels();
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_LE(labels[0].right, 10 + 99 * 10);
}

TEST(CutLabels, ALabelThatWouldTouchABarIsLeftOut) {
  std::vector<int64_t> durations = steady(100);
  durations[40] = 2000;
  durations[36] = durations[46] = 415;  // nearly as high as the plot, but whole
  EXPECT_TRUE(Chart(durations).labels().empty());
}

}  // namespace
}  // namespace dlview::ui
