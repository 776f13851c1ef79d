// What color a mark has, against the events that it holds one by one.

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "timeline/lanes_support.h"
#include "timeline/picture.h"

namespace dlview::timeline {
namespace {

FoldHues::Times times_of(const Mark& mark, const Line& line, const Events& events) {
  FoldHues::Times times;
  for (uint32_t place = mark.first; place < mark.first + mark.count; ++place) {
    times.add(static_cast<uint8_t>(line.category(place)), line.length_ns(place, events));
  }
  return times;
}

// The kernels of a GPU: `many` short ones of Tensor Cores, then a long other one, again and again.
std::shared_ptr<const Lanes> bursts(int many, int64_t long_ns) {
  testing::Sketch sketch;
  const auto step = sketch.instance(sketch.op("step"), 0, 10);
  int64_t now_ns = 100;
  for (int burst = 0; burst < 40; ++burst) {
    for (int i = 0; i < many; ++i, now_ns += 10) {
      sketch.kernel(step, now_ns, now_ns + 8, 0, "xmma", true);
    }
    sketch.kernel(step, now_ns, now_ns + long_ns, 0, "other");
    now_ns += long_ns + 500;
  }
  return testing::lanes_of(sketch.finish());
}

const Line& line_of_kernels(const Lanes& lanes) {
  return lanes.groups.front().lanes[1].lines.front();
}

// A fold before a box is not painted as the box.
TEST(MarkHues, OfFoldsAreThoseOfTheirOwnEvents) {
  for (const int many : {5, 30, 300}) {
    const auto lanes = bursts(many, 40'000);
    const Line& line = line_of_kernels(*lanes);
    const LineHues hues(line);
    int folds = 0;
    for (int64_t shift = 0; shift < 3'000; shift += 370) {
      for (const int64_t column_ns : {1'200, 4'000, 9'000}) {
        const ColumnTimes columns(TimeMap({shift, column_ns * 200}, 200));
        const LinePicture picture = prepare_line(line, lanes->events, columns);
        const std::vector<uint8_t> of_marks = hues_of(picture, hues, lanes->events, columns);
        for (std::size_t i = 0; i < picture.size(); ++i) {
          const FoldHues::Times times = times_of(picture[i], line, lanes->events);
          EXPECT_EQ(of_marks[i], times.most())
              << many << ' ' << shift << ' ' << column_ns << ' ' << picture[i].left;
          folds += picture[i].is_fold() ? 1 : 0;
        }
      }
    }
    EXPECT_GT(folds, 30);
  }
}

// One long event among many short ones that take more time together.
TEST(MarkHues, OfAFoldIsThatOfWhatTakesMostOfItsTime) {
  const auto lanes = bursts(300, 900);
  const Line& line = line_of_kernels(*lanes);
  const ColumnTimes columns(TimeMap({0, 200'000}, 20));
  const LinePicture picture = prepare_line(line, lanes->events, columns);
  const std::vector<uint8_t> of_marks = hues_of(picture, LineHues(line), lanes->events, columns);
  ASSERT_GT(picture.size(), 10U);
  for (std::size_t i = 0; i + 1 < picture.size(); ++i) {
    ASSERT_GT(picture[i].count, 300U);
    EXPECT_EQ(line.category(picture[i].longest), Category::other_kernel);
    EXPECT_EQ(of_marks[i], static_cast<uint8_t>(Category::tensor_core_kernel)) << i;
  }
}

// Whatever is approximate about it: a hue of an event that it holds, with a good part of its time.
// The bin across its end is its own where the column behind it keeps some.
TEST(MarkHues, OfAFoldCountsWhatItsLastBinHolds) {
  testing::Sketch sketch;
  const auto instance = sketch.instance(sketch.op("net/conv"), 0, 1);
  for (int64_t at = 0; at < 1000; at += 10) sketch.kernel(instance, at, at + 5);
  for (int64_t at = 1024; at < 1960; at += 40) sketch.kernel(instance, at, at + 1);
  sketch.kernel(instance, 1985, 2045, 0, "gemm", true);  // longer than all of those together
  for (int64_t at = 2100; at < 10'000; at += 10) sketch.kernel(instance, at, at + 5);
  const auto lanes = testing::lanes_of(sketch.finish());
  const Line& line = lanes->groups[0].lanes[1].lines[0];
  const ColumnTimes columns(TimeMap({0, 10'000}, 10));
  ASSERT_NE(bins_of(line, columns), nullptr);
  const LinePicture picture = prepare_line(line, lanes->events, columns);
  ASSERT_EQ(picture[1].left, 1);
  ASSERT_EQ(picture[1].count, 25U);
  const std::vector<uint8_t> hues = hues_of(picture, LineHues(line), lanes->events, columns);
  EXPECT_EQ(hues[0], static_cast<uint8_t>(Category::other_kernel));
  EXPECT_EQ(hues[1], static_cast<uint8_t>(Category::tensor_core_kernel));
}

TEST(MarkHues, OfARandomRunAreNearToWhatIsExact) {
  const auto lanes = testing::random_lanes({.seed = 5, .kernels = 4'000});
  for (const LaneGroup& group : lanes->groups) {
    for (const Lane& lane : group.lanes) {
      for (const Line& line : lane.lines) {
        const LineHues hues(line);
        for (const int64_t parts : {1, 3, 20}) {
          TimeWindow window = lanes->whole;
          window.length_ns /= parts;
          const ColumnTimes columns(TimeMap(window, 40));
          const LinePicture picture = prepare_line(line, lanes->events, columns);
          const std::vector<uint8_t> of_marks = hues_of(picture, hues, lanes->events, columns);
          for (std::size_t i = 0; i < picture.size(); ++i) {
            const FoldHues::Times times = times_of(picture[i], line, lanes->events);
            EXPECT_GE(3 * times.of(of_marks[i]), times.of(times.most()));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dlview::timeline
