#include "ui/chart/navigation.h"

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

using aggregate::IterationRange;

TEST(ChartNavigation, ZoomsAroundTheIterationUnderTheCursor) {
  const Span span = zoomed({0, 1000}, 250, 0.5, 1000);
  EXPECT_DOUBLE_EQ(span.size(), 500);
  EXPECT_DOUBLE_EQ((250 - span.first) / span.size(), 0.25);
}

TEST(ChartNavigation, ZoomingStopsAtAFewIterationsAndAtTheWholeRun) {
  EXPECT_DOUBLE_EQ(zoomed({10, 16}, 12, 0.1, 1000).size(), kSmallestSpan);
  EXPECT_EQ(zoomed({10, 900}, 500, 100, 1000), (Span{0, 1000}));
  EXPECT_EQ(zoomed({0, 2}, 1, 0.1, 2), (Span{0, 2}));
}

TEST(ChartNavigation, PanningStopsAtTheEndsOfTheRun) {
  EXPECT_EQ(panned({10, 20}, -50, 100), (Span{0, 10}));
  EXPECT_EQ(panned({10, 20}, 500, 100), (Span{90, 100}));
  EXPECT_EQ(panned({10, 20}, 2.5, 100), (Span{12.5, 22.5}));
}

TEST(ChartNavigation, ABoundStopsAtTheOtherBoundAndAtTheRunsEnd) {
  EXPECT_EQ(with_first({10, 20}, 15, 100), (IterationRange{15, 20}));
  EXPECT_EQ(with_first({10, 20}, 25, 100), (IterationRange{20, 20}));
  EXPECT_EQ(with_first({10, 20}, -3, 100), (IterationRange{0, 20}));
  EXPECT_EQ(with_last({10, 20}, 5, 100), (IterationRange{10, 10}));
  EXPECT_EQ(with_last({10, 20}, 500, 100), (IterationRange{10, 99}));
}

TEST(ChartNavigation, AShiftedRangeKeepsItsSize) {
  EXPECT_EQ(shifted({10, 20}, 5, 100), (IterationRange{15, 25}));
  EXPECT_EQ(shifted({10, 20}, -50, 100), (IterationRange{0, 10}));
  EXPECT_EQ(shifted({10, 20}, 1000, 100), (IterationRange{89, 99}));
}

TEST(Navigation, ATypedEndTakesTheOtherOneAlong) {
  EXPECT_EQ(from_first({2, 5}, 9, 20), (aggregate::IterationRange{9, 9}));
  EXPECT_EQ(from_first({2, 5}, 4, 20), (aggregate::IterationRange{4, 5}));
  EXPECT_EQ(from_first({2, 5}, 99, 20), (aggregate::IterationRange{19, 19}));
  EXPECT_EQ(to_last({8, 12}, 3, 20), (aggregate::IterationRange{3, 3}));
  EXPECT_EQ(to_last({8, 12}, 99, 20), (aggregate::IterationRange{8, 19}));
}

}  // namespace
}  // namespace dlview::ui
