#include "ui/chart/bars.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "ui/chart/navigation.h"
#include "ui/tables.h"

namespace dlview::ui {
namespace {

using aggregate::Category;
using render::Rectangle;

const Palette& kColors = palette(ThemeKind::dark);
constexpr aggregate::IterationRange kEverything{0, 1'000'000};

Plot plot_of(const BarData& data, float width, float height) {
  Plot plot{10, 20, width, height, whole_span(data.count()), 1};
  plot.top_ns = fitting_top_ns(data, plot.span);
  return plot;
}

std::vector<Rectangle> bars_of(const BarData& data, const Plot& plot,
                               aggregate::IterationRange range = kEverything) {
  BarPicture picture;
  picture.prepare(data, plot, kColors);
  return picture.bars(range);
}

std::vector<CutBar> cut_bars(const BarData& data, const Plot& plot) {
  BarPicture picture;
  picture.prepare(data, plot, kColors);
  return picture.cut_bars();
}

Color color_of(Category category) {
  return kColors.tone(tone_of(category));
}

TEST(Bars, PartsOfABarStandOnEachOtherWithoutGaps) {
  const BarData data(testing::table_of({100, 77, 93}), {});
  const auto bars = bars_of(data, plot_of(data, 300, 101));
  ASSERT_EQ(bars.size(), 6u);
  for (std::size_t i = 0; i < bars.size(); i += 2) {
    EXPECT_EQ(bars[i].color, color_of(Category::other_kernels));
    EXPECT_EQ(bars[i + 1].color, color_of(Category::cpu));
    EXPECT_EQ(bars[i].bottom, 121);
    EXPECT_EQ(bars[i].top, bars[i + 1].bottom);
    EXPECT_EQ(bars[i].left, bars[i + 1].left);
    EXPECT_EQ(bars[i].right, bars[i + 1].right);
  }
}

TEST(Bars, BarsOfAFewPixelsTileTheWidth) {
  const BarData data(testing::table_of(std::vector<int64_t>(100, 50)), {});
  const auto bars = bars_of(data, plot_of(data, 257, 50));
  ASSERT_EQ(bars.size(), 200u);
  EXPECT_EQ(bars.front().left, 10);
  EXPECT_EQ(bars.back().right, 267);
  for (std::size_t i = 2; i < bars.size(); i += 2) EXPECT_EQ(bars[i].left, bars[i - 2].right);
}

TEST(Bars, WideBarsStandApartByOnePixel) {
  const BarData data(testing::table_of({50, 50}), {});
  const auto bars = bars_of(data, plot_of(data, 100, 50));
  EXPECT_EQ(bars[0].right, 59);
  EXPECT_EQ(bars[2].left, 60);
}

TEST(Bars, ASpikeAmongAHundredThousandIterationsKeepsAPixel) {
  std::vector<int64_t> durations(100'000, 100);
  durations[54'321] = 300;
  const BarData data(testing::table_of(durations), {});
  const Plot plot = plot_of(data, 1000, 400);
  const auto bars = bars_of(data, plot);
  EXPECT_LE(bars.size(), 2u * 1000u);
  const auto highest = std::min_element(bars.begin(), bars.end(),
                                        [](const auto& a, const auto& b) { return a.top < b.top; });
  EXPECT_EQ(highest->right - highest->left, 1);
  EXPECT_EQ(highest->left, 10 + 543);
  EXPECT_NEAR(highest->top, plot.y_of(300), 1);
  const auto at = iterations_at(data, plot, 10 + 543.5f);
  ASSERT_TRUE(at);
  EXPECT_EQ(data.highest(at->first, at->last), 54'321);
}

TEST(Bars, EveryIterationBelongsToExactlyOnePixelColumn) {
  const BarData data(testing::table_of(std::vector<int64_t>(1777, 9)), {});
  Plot plot = plot_of(data, 123, 40);
  plot.span = {100.3, 1500.9};
  std::map<int64_t, int> times_seen;
  for (int column = 0; column < 123; ++column) {
    const auto at = iterations_at(data, plot, plot.left + static_cast<float>(column));
    ASSERT_TRUE(at);
    for (int64_t i = at->first; i <= at->last; ++i) ++times_seen[i];
  }
  EXPECT_EQ(times_seen.begin()->first, 101);
  EXPECT_EQ(times_seen.rbegin()->first, 1500);
  EXPECT_EQ(times_seen.size(), 1400u);
  for (const auto& [iteration, times] : times_seen) EXPECT_EQ(times, 1) << iteration;
}

TEST(Bars, OutsideTheRangeBarsAreOneGrayPiece) {
  const BarData data(testing::table_of({40, 40, 40, 40}), {});
  const auto bars = bars_of(data, plot_of(data, 400, 80), {1, 2});
  ASSERT_EQ(bars.size(), 6u);
  EXPECT_EQ(bars.front().color, kColors.outside);
  EXPECT_EQ(bars.back().color, kColors.outside);
  EXPECT_EQ(std::count_if(bars.begin(), bars.end(),
                          [](const auto& bar) { return bar.color == kColors.outside; }),
            2);
}

// What is kept of the last picture must not be seen in the next one.
TEST(Bars, AnotherPictureIsThatOfOneWhoSeesItFirst) {
  const BarData three(testing::table_of({100, 77, 93}), {});
  std::vector<int64_t> durations(300, 50);
  durations[7] = 5000;
  const auto table = testing::table_of(durations);
  const BarData many(table, {});
  const BarData hidden(table, HiddenCategories().set(static_cast<std::size_t>(Category::cpu)));
  BarPicture kept;
  const auto expect_as_new = [&](const BarData& data, float width, aggregate::IterationRange range,
                                 ThemeKind theme) {
    Plot plot = plot_of(data, width, 90);
    plot.top_ns = 60;  // that of all, so that only what is drawn differs
    BarPicture fresh;
    fresh.prepare(data, plot, palette(theme));
    kept.prepare(data, plot, palette(theme));
    const auto expected = fresh.bars(range), found = kept.bars(range);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].left, expected[i].left);
      EXPECT_EQ(found[i].top, expected[i].top);
      EXPECT_EQ(found[i].right, expected[i].right);
      EXPECT_EQ(found[i].bottom, expected[i].bottom);
      EXPECT_EQ(found[i].color, expected[i].color);
    }
    EXPECT_EQ(kept.cut_bars().size(), fresh.cut_bars().size());
  };
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    for (const float width : {120.0f, 300.0f}) {
      for (const BarData* data : {&three, &many, &hidden}) {
        for (const aggregate::IterationRange range : {kEverything, {1, 1}, {0, 100}}) {
          expect_as_new(*data, width, range, theme);
        }
      }
    }
  }
}

TEST(Bars, AHiddenCategoryLeavesTheStackAndItsHeight) {
  HiddenCategories hidden;
  hidden.set(static_cast<std::size_t>(Category::cpu));
  const BarData data(testing::table_of({100, 60}), hidden);
  EXPECT_EQ(data.height_ns(0), 50);
  const auto bars = bars_of(data, plot_of(data, 200, 100));
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_EQ(bars[0].color, color_of(Category::other_kernels));
}

TEST(Bars, WithAllCategoriesHiddenNothingIsDrawn) {
  const BarData data(testing::table_of({100, 60}), HiddenCategories().set());
  EXPECT_TRUE(bars_of(data, plot_of(data, 200, 100)).empty());
}

TEST(Bars, AnEmptyIterationLeavesItsPlaceFree) {
  const BarData data(testing::table_of({10, 0, 10}), {});
  const auto bars = bars_of(data, plot_of(data, 300, 100));
  for (const Rectangle& bar : bars) {
    EXPECT_FALSE(bar.left >= 110 && bar.right <= 210) << bar.left;
  }
}

TEST(Bars, AShortIterationKeepsAPixelOfHeight) {
  const BarData data(testing::table_of({1'000'000, 1'000'000, 1}), {});
  const auto bars = bars_of(data, plot_of(data, 300, 100));
  EXPECT_EQ(bars.back().bottom - bars.back().top, 1);
}

TEST(Bars, TruncateABarFarBeyondTheMedian) {
  const BarData data(testing::table_of({100'000, 100, 110, 90, 100}), {});
  const Plot plot = plot_of(data, 500, 100);
  EXPECT_LT(plot.top_ns, 450);
  for (const Rectangle& bar : bars_of(data, plot)) {
    EXPECT_GE(bar.top, plot.top);
  }
  const auto cut = cut_bars(data, plot);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].iteration, 0);
}

TEST(Bars, AnOutlierOfThreeTimesTheMedianIsShownWhole) {
  const BarData data(testing::table_of({100, 300, 100, 100}), {});
  EXPECT_TRUE(cut_bars(data, plot_of(data, 400, 100)).empty());
}

TEST(Bars, TallBarsThatAreMoreThanOneInTwentyAreShownWhole) {
  std::vector<int64_t> bursts;  // a key op that runs four times in each step
  for (int step = 0; step < 50; ++step) bursts.insert(bursts.end(), {10, 10, 10, 1000});
  const BarData data(testing::table_of(bursts), {});
  const Plot plot = plot_of(data, 400, 100);
  EXPECT_GT(plot.top_ns, 1000);
  EXPECT_TRUE(cut_bars(data, plot).empty());
}

TEST(Bars, OneInTwentyMayBeCutOff) {
  std::vector<int64_t> durations(100, 10);
  for (std::size_t i = 0; i < 5; ++i) durations[20 * i] = 1000;
  const BarData data(testing::table_of(durations), {});
  EXPECT_LT(fitting_top_ns(data, whole_span(100)), 50);
  durations[7] = 1000;
  EXPECT_GT(fitting_top_ns(BarData(testing::table_of(durations), {}), whole_span(100)), 1000);
}

TEST(Bars, NothingLiesUnderAPointBesideTheRun) {
  const BarData data(testing::table_of({5, 5}), {});
  const Plot plot = plot_of(data, 100, 50);
  EXPECT_FALSE(iterations_at(data, plot, 9));
  EXPECT_FALSE(iterations_at(data, plot, 110));
  EXPECT_EQ(iterations_at(data, plot, 61), (aggregate::IterationRange{1, 1}));
}

TEST(Bars, ExposedCommunicationMarksTheUpperEndOfTheOtherKernels) {
  auto table = std::make_shared<aggregate::IterationTable>(*testing::table_of({100}));
  table->facts[0].communication_per_device = {40, 25};
  const BarData data(table, {});
  const Plot plot = plot_of(data, 100, 200);
  const auto bars = bars_of(data, plot);
  ASSERT_EQ(bars.size(), 3u);
  EXPECT_EQ(bars[1].color, kColors.tone(Tone::communication));
  EXPECT_EQ(bars[1].top, bars[0].top);
  EXPECT_NEAR(bars[1].bottom, plot.y_of(25), 1);  // 50 of kernels, of which the upper 25
}

}  // namespace
}  // namespace dlview::ui
