#include <gtest/gtest.h>

#include "ui/chart/cut_bars.h"

namespace dlview::ui {
namespace {

TEST(OutsideBlocks, TellTimeAndShareOfTheKernels) {
  aggregate::Outside outside;
  outside.before = {2'000'000'000, 250, 30'000};
  outside.kernels = 1000;
  outside.kernel_ns = 120'000;
  const OutsideText text = prepare_outside(outside.before, outside, "Before iteration 0");
  EXPECT_EQ(text.heading, "Before iteration 0 · 2.00\u202fs");
  ASSERT_EQ(text.rows.size(), 2u);
  EXPECT_EQ(text.rows[0].value, "250");
  EXPECT_EQ(text.rows[0].share, "25.0%");
  EXPECT_EQ(text.rows[1].value, "30.0\u202fµs");
  EXPECT_EQ(text.rows[1].share, "25.0%");
}

}  // namespace
}  // namespace dlview::ui
