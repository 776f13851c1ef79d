#include "ui/theme.h"

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

class EachTheme : public ::testing::TestWithParam<ThemeKind> {};

TEST_P(EachTheme, TextIsReadableOnEverySurface) {
  const Palette& colors = palette(GetParam());
  for (const Color surface : {colors.background, colors.panel, colors.raised}) {
    EXPECT_GE(contrast(colors.text, surface), 7.0);
    EXPECT_GE(contrast(colors.dim, surface), 4.5);
  }
  EXPECT_GE(contrast(colors.accent, colors.panel), 4.5);
  EXPECT_GE(contrast(colors.attention, colors.panel), 4.5);
}

TEST_P(EachTheme, SharesAreReadableInsideBars) {
  for (const Color tone : palette(GetParam()).tones) {
    EXPECT_GE(contrast(text_on(tone), tone), 4.0);
  }
}

TEST_P(EachTheme, BarsStandOutFromThePanel) {
  const Palette& colors = palette(GetParam());
  for (std::size_t i = 0; i + 1 < kToneCount; ++i) {
    EXPECT_GE(contrast(colors.tones[i], colors.panel), 1.8) << i;
  }
  EXPECT_GE(contrast(colors.bound, colors.background), 7.0);
}

INSTANTIATE_TEST_SUITE_P(Themes, EachTheme, ::testing::Values(ThemeKind::dark, ThemeKind::light));

TEST(Theme, ContrastIsWcags) {
  EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21.0, 1e-9);
  EXPECT_NEAR(contrast(rgb(0x777777), rgb(0x777777)), 1.0, 1e-9);
}

TEST(Theme, ColorsArePackedAsDearImGuiHasThem) {
  EXPECT_EQ(rgb(0x112233), 0xff332211u);
  EXPECT_EQ(with_opacity(rgb(0x112233), 0), 0x00332211u);
  EXPECT_EQ(mix(rgb(0x000000), rgb(0xffffff), 0.5f), rgb(0x808080));
}

}  // namespace
}  // namespace dlview::ui
