#include <random>

#include <gtest/gtest.h>

#include "ui/table/scrolling.h"

namespace dlview::ui {
namespace {

TEST(RowPositions, RowsLieBelowEachOther) {
  const RowPositions rows(10, 20);
  EXPECT_EQ(rows.top_of(0), 0);
  EXPECT_EQ(rows.top_of(3), 60);
  EXPECT_EQ(rows.total(), 200);
  EXPECT_EQ(rows.row_at(59.9), 2u);
  EXPECT_EQ(rows.row_at(60), 3u);
}

TEST(RowPositions, WhatLiesOutsideIsTheFirstOrLastRow) {
  const RowPositions rows(10, 20);
  EXPECT_EQ(rows.row_at(-5), 0u);
  EXPECT_EQ(rows.row_at(1e9), 9u);
}

TEST(RowPositions, RowsThatAreOpenedPushTheOthersDown) {
  // The slow twin: heights added up one by one.
  std::mt19937 random(7);
  RowPositions rows(50, 20);
  std::vector<float> heights(50, 20.0f);
  for (int i = 0; i < 12; ++i) {
    const std::size_t row = random() % 50;
    const auto extra = static_cast<float>(random() % 90);
    rows.set_extra(row, extra);
    heights[row] = 20 + extra;
  }
  double top = 0;
  for (std::size_t row = 0; row < heights.size(); ++row) {
    EXPECT_EQ(rows.top_of(row), top) << row;
    EXPECT_EQ(rows.height_of(row), heights[row]);
    EXPECT_EQ(rows.row_at(top), row);
    top += static_cast<double>(heights[row]);
    EXPECT_EQ(rows.row_at(top - 0.5), row);
  }
  EXPECT_EQ(rows.total(), top);
}

TEST(RowPositions, TenMillionRowsKeepTheirPixels) {
  const RowPositions rows(10'000'000, 27);
  for (const std::size_t row : {9'999'998u, 7'654'321u, 4'000'001u}) {
    EXPECT_EQ(rows.row_at(rows.top_of(row)), row);
    EXPECT_EQ(rows.row_at(rows.top_of(row) + 26), row);
  }
}

TEST(Scrolling, MovesAsLittleAsItTakesToShowARow) {
  const RowPositions rows(100, 20);
  EXPECT_EQ(scrolled_to_row(rows, 5, 0, 200), 0);     // in view already
  EXPECT_EQ(scrolled_to_row(rows, 12, 0, 200), 60);   // at the lower edge
  EXPECT_EQ(scrolled_to_row(rows, 3, 500, 200), 60);  // at the upper edge
  EXPECT_EQ(scrolled_to_row(rows, 99, 0, 200), 1800);
}

TEST(Scrolling, TheThumbTellsPartAndPlace) {
  const Thumb thumb = place_thumb(1800, 2000, 200, 100, 5);
  EXPECT_FLOAT_EQ(thumb.length, 10);
  EXPECT_FLOAT_EQ(thumb.offset, 90);
  EXPECT_EQ(place_thumb(0, 150, 200, 100, 5).length, 0) << "everything is in view";
  EXPECT_FLOAT_EQ(place_thumb(0, 1e9, 200, 100, 28).length, 28) << "it can still be held";
}

TEST(Scrolling, DraggingTheThumbIsTheInverseOfPlacingIt) {
  for (const double scroll : {0.0, 123'456.0, 269'999'000.0}) {
    const Thumb thumb = place_thumb(scroll, 270e6, 800, 700, 28);
    EXPECT_NEAR(scroll_of_thumb(thumb.offset, 270e6, 800, 700, thumb.length), scroll, 400);
  }
}

}  // namespace
}  // namespace dlview::ui
