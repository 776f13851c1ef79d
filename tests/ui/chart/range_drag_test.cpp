#include <gtest/gtest.h>

#include "ui/chart/navigation.h"

namespace dlview::ui {
namespace {

using aggregate::IterationRange;

constexpr int64_t kCount = 100;

TEST(RangeDrag, ABoundFollowsTheMouseAndStopsAtTheOtherOne) {
  RangeDrag drag;
  drag.begin(Grip::first, false, {10, 20}, 10.2);
  EXPECT_EQ(drag.moved_to(13.1, kCount), (IterationRange{13, 20}));
  EXPECT_EQ(drag.moved_to(70, kCount), (IterationRange{20, 20}));
  EXPECT_EQ(drag.moved_to(-5, kCount), (IterationRange{0, 20}));
  drag.begin(Grip::last, false, {10, 20}, 21);
  EXPECT_EQ(drag.moved_to(500, kCount), (IterationRange{10, 99}));
}

TEST(RangeDrag, APressWithoutAMoveChangesNothing) {
  RangeDrag drag;
  for (const Grip grip : {Grip::first, Grip::last, Grip::whole}) {
    drag.begin(grip, false, {10, 20}, 15.4);
    EXPECT_EQ(drag.moved_to(15.4, kCount), (IterationRange{10, 20}));
  }
}

TEST(RangeDrag, TheFirstMoveChoosesBetweenEqualBounds) {
  RangeDrag drag;
  drag.begin(Grip::first, true, {50, 50}, 50.5);
  EXPECT_EQ(drag.moved_to(50.6, kCount), (IterationRange{50, 50}));
  EXPECT_EQ(drag.moved_to(53.5, kCount), (IterationRange{50, 53}));
  EXPECT_EQ(drag.moved_to(40, kCount), (IterationRange{50, 50}));
  drag.begin(Grip::last, true, {50, 50}, 50.5);
  EXPECT_EQ(drag.moved_to(45.5, kCount), (IterationRange{45, 50}));
}

TEST(RangeDrag, TheWholeRangeKeepsItsSizeAtTheEnds) {
  RangeDrag drag;
  drag.begin(Grip::whole, false, {10, 20}, 12);
  EXPECT_EQ(drag.moved_to(15, kCount), (IterationRange{13, 23}));
  EXPECT_EQ(drag.moved_to(-50, kCount), (IterationRange{0, 10}));
  EXPECT_EQ(drag.moved_to(500, kCount), (IterationRange{89, 99}));
}

}  // namespace
}  // namespace dlview::ui
