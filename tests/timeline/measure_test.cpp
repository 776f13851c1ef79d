#include "timeline/measure.h"

#include <random>

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

class MeasureTest : public ::testing::Test {
 protected:
  // Kernels of random lengths, some of them touching, some without length.
  MeasureTest() {
    testing::Sketch sketch;
    const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
    int64_t at = 50;
    for (int i = 0; i < 400; ++i) {
      const auto length = random_() % 6 == 0 ? 0 : static_cast<int64_t>(random_() % 70);
      sketch.kernel(instance, at, at + length);
      at += length + (random_() % 3 == 0 ? 0 : static_cast<int64_t>(1 + random_() % 80));
    }
    lanes_ = testing::lanes_of(sketch.finish());
  }
  const Line& line() const { return lanes_->groups[0].lanes[1].lines[0]; }

  std::mt19937_64 random_{9};
  std::shared_ptr<const Lanes> lanes_;
};

// The distance in columns from the column to the nearest edge that is on screen; -1 = there is
// none.
int32_t distance_to_nearest(const Line& line, const Events& events, const TimeMap& map,
                            int32_t column) {
  int32_t least = -1;
  for (std::size_t place = 0; place < line.size(); ++place) {
    const base::Interval time = events.time(line[place]);
    for (const int64_t edge : {time.start_ns, time.stop_ns}) {
      if (edge < map.window().start_ns || edge > map.window().stop_ns()) continue;
      const int32_t away = std::abs(map.column(edge) - column);
      if (least < 0 || away < least) least = away;
    }
  }
  return least;
}

TEST_F(MeasureTest, ThePointerSnapsToTheNearestEdgeThereIs) {
  testing::RandomWindows windows(lanes_->whole, 2);
  for (int round = 0; round < 4000; ++round) {
    const TimeMap map(windows.next(), windows.next_columns());
    const auto column = static_cast<int32_t>(random_() % static_cast<uint64_t>(map.columns()));
    const int32_t nearest = distance_to_nearest(line(), lanes_->events, map, column);
    const Edge edge = edge_near(line(), lanes_->events, map, column, 6);
    if (nearest < 0 || nearest > 6) {
      ASSERT_EQ(edge, (Edge{map.begin_ns(column), {}, false}));
      continue;
    }
    ASSERT_TRUE(edge.event);
    const base::Interval time = lanes_->events.time(*edge.event);
    ASSERT_EQ(edge.time_ns, edge.is_stop ? time.stop_ns : time.start_ns);
    ASSERT_EQ(std::abs(map.column(edge.time_ns) - column), nearest);
  }
}

Edge at(int64_t time_ns) {
  return {time_ns, {}, false};
}

TEST(Measure, TakesTwoEdgesAndBeginsAnewWithTheThird) {
  Measure measure;
  measure.point(at(500));
  measure.click();
  EXPECT_FALSE(measure.first());  // it is off
  measure.begin();
  EXPECT_EQ(measure.text().substr(0, 10), "Measuring:");
  measure.click();
  EXPECT_FALSE(measure.first());  // the pointer was nowhere
  measure.point(at(500));
  measure.click();
  EXPECT_FALSE(measure.is_fixed());
  measure.point(at(120));
  ASSERT_TRUE(measure.span());
  EXPECT_EQ(measure.span()->first.time_ns, 120);
  EXPECT_EQ(measure.span()->length_ns(), 380);
  measure.click();
  EXPECT_TRUE(measure.is_fixed());
  measure.point(at(9000));
  EXPECT_EQ(measure.span()->length_ns(), 380);
  measure.click();
  EXPECT_FALSE(measure.is_fixed());
  EXPECT_EQ(measure.first(), at(9000));
  measure.end();
  EXPECT_FALSE(measure.is_on());
  EXPECT_EQ(measure.text(), "");
}

TEST(Measure, TellsStartStopAndLengthToTheNanosecond) {
  Measure measure;
  measure.begin();
  measure.point(at(1'500'000'001));
  measure.click();
  measure.point(std::nullopt);
  EXPECT_FALSE(measure.span());
  measure.point(at(2'000'000'003));
  EXPECT_EQ(measure.text(),
            "Measuring from 1.500\u202f000\u202f001\u202fs to 2.000\u202f000\u202f003\u202fs: "
            "500,000,002\u202fns");
  measure.click();
  EXPECT_TRUE(measure.text().starts_with("Measured from 1.500"));
  EXPECT_EQ(exact_length_text(999), "999\u202fns");
  EXPECT_EQ(exact_length_text(12'345), "12.3\u202fµs · 12,345\u202fns");
}

}  // namespace
}  // namespace dlview::timeline
