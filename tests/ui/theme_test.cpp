#include "ui/theme.h"

#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/color_vision.h"
#include "support/file_contents.h"

namespace dlview::ui {
namespace {

using testing::color_difference;
using testing::ColorVision;
using testing::kColorVisions;

struct Colors {
  ThemeKind theme;
  PaletteKind kind;
};
void PrintTo(const Colors& colors, std::ostream* out) {
  *out << (colors.theme == ThemeKind::dark ? "dark" : "light")
       << (colors.kind == PaletteKind::colorblind ? ", colorblind" : "");
}

class EachPalette : public ::testing::TestWithParam<Colors> {
 protected:
  const Palette& colors() const { return palette(GetParam().theme, GetParam().kind); }
};

constexpr Colors kAllColors[] = {{ThemeKind::dark, PaletteKind::standard},
                                 {ThemeKind::light, PaletteKind::standard},
                                 {ThemeKind::dark, PaletteKind::colorblind},
                                 {ThemeKind::light, PaletteKind::colorblind}};
INSTANTIATE_TEST_SUITE_P(Palettes, EachPalette, ::testing::ValuesIn(kAllColors));

TEST_P(EachPalette, HasContrastInEveryPair) {
  for (const ColorPair& pair : color_pairs(colors())) {
    EXPECT_GE(contrast(pair.color, pair.surface), pair.least_contrast) << pair.name;
  }
}

// Text, dim, faint, accent, attention, good, outside and bound; then all tones and hues.
TEST_P(EachPalette, ListsAPairForEachColor) {
  std::set<Color> listed, surfaces;
  for (const ColorPair& pair : color_pairs(colors())) {
    listed.insert(pair.color);
    surfaces.insert(pair.surface);
  }
  const Palette& all = colors();
  for (const Color color : {all.text, all.dim, all.faint, all.accent, all.attention, all.good,
                            all.outside, all.bound}) {
    EXPECT_TRUE(listed.contains(color)) << std::hex << color;
  }
  for (const Color surface : {all.background, all.panel, all.raised}) {
    EXPECT_TRUE(surfaces.contains(surface)) << std::hex << surface;
  }
  for (const Color tone : all.tones) {
    EXPECT_TRUE(listed.contains(tone) && surfaces.contains(tone)) << std::hex << tone;
  }
  for (const Color hue : all.hues) {
    EXPECT_TRUE(listed.contains(hue) && surfaces.contains(hue)) << std::hex << hue;
  }
  constexpr std::size_t kSizeOfListed = 12;  // colors beside tones and hues, with line
  static_assert(sizeof(Palette) == sizeof(Color) * (kSizeOfListed + kToneCount + kHueCount),
                "list the new color in color_pairs() and here");
}

TEST_P(EachPalette, KeepsNeighborsOfAStackApart) {
  const auto& tones = colors().tones;
  for (std::size_t i = 0; i < aggregate::kCategoryCount - 1; ++i) {
    for (const ColorVision vision : kColorVisions) {
      EXPECT_GE(color_difference(tones[i], tones[i + 1], vision), 12)
          << "tones " << i << " and " << i + 1 << ", vision " << static_cast<int>(vision);
    }
  }
}

TEST_P(EachPalette, KeepsAttentionApartFromCategories) {
  for (const Color tone : colors().tones) {
    EXPECT_GE(color_difference(colors().attention, tone, ColorVision::normal), 12)
        << std::hex << tone;
  }
}

TEST_P(EachPalette, KeepsHuesApart) {
  const auto& hues = colors().hues;
  for (std::size_t i = 0; i < kHueCount; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE(color_difference(hues[i], hues[j], ColorVision::normal), 8) << i << ", " << j;
    }
  }
}

// Parts of zero are left out of a stack, so any two categories can touch.
TEST(ColorblindPalette, KeepsAllCategoriesApart) {
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    const auto& tones = palette(theme, PaletteKind::colorblind).tones;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Tone::communication); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const ColorVision vision : kColorVisions) {
          EXPECT_GE(color_difference(tones[i], tones[j], vision), 8)
              << i << ", " << j << ", vision " << static_cast<int>(vision);
        }
      }
    }
  }
}

TEST(Theme, ContrastFollowsWcag) {
  EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21.0, 1e-9);
  EXPECT_NEAR(contrast(rgb(0x777777), rgb(0x777777)), 1.0, 1e-9);
}

TEST(Theme, TextIsReadableOnAnyColor) {
  for (uint32_t gray = 0; gray < 256; ++gray) {
    const Color surface = rgb(gray << 16 | gray << 8 | gray);
    EXPECT_GE(contrast(text_on(surface), surface), 4.5) << gray;
    EXPECT_GE(contrast(text_on(surface), hatch_color(surface)), 4.5) << gray;
  }
}

// "--memory: #2a74cc;" of the style of pages.
std::map<std::string, Color> page_colors(std::string_view style) {
  static const std::regex kVariable(R"(--([a-z_]+): #([0-9a-f]{6});)");
  const std::string text(style);
  std::map<std::string, Color> colors;
  for (std::sregex_iterator at(text.begin(), text.end(), kVariable), end; at != end; ++at) {
    colors[(*at)[1]] = rgb(static_cast<uint32_t>(std::stoul((*at)[2], nullptr, 16)));
  }
  return colors;
}

TEST(Theme, ColorsPagesLikeTheWindow) {
  const std::string style = testing::contents_of(DLVIEW_SOURCE_DIR "/assets/report/page.css");
  const std::size_t dark = style.find("prefers-color-scheme: dark");
  ASSERT_NE(dark, std::string::npos);
  for (const ThemeKind theme : {ThemeKind::light, ThemeKind::dark}) {
    const std::size_t first = theme == ThemeKind::light ? 0 : dark,
                      last = theme == ThemeKind::light ? dark : style.find("\n* {");
    const auto colors = page_colors(std::string_view(style).substr(first, last - first));
    const Palette& window = palette(theme);
    const std::map<std::string, Color> expected{
        {"background", window.background},
        {"panel", window.panel},
        {"raised", window.raised},
        {"line", window.line},
        {"text", window.text},
        {"dim", window.dim},
        {"faint", window.faint},
        {"accent", window.accent},
        {"attention", window.attention},
        {"good", window.good},
        {"outside", window.outside},
        {"bound", window.bound},
        {"tensor_core_kernels", window.tone(Tone::tensor_core_kernels)},
        {"other_kernels", window.tone(Tone::other_kernels)},
        {"memory", window.tone(Tone::memory)},
        {"data_loader", window.tone(Tone::data_loader)},
        {"io", window.tone(Tone::io)},
        {"cpu", window.tone(Tone::cpu)},
        {"other", window.tone(Tone::other)},
        {"communication", window.tone(Tone::communication)}};
    EXPECT_EQ(colors, expected);
  }
}

TEST(Theme, PacksColorsLikeDearImGui) {
  EXPECT_EQ(rgb(0x112233), 0xff332211u);
  EXPECT_EQ(with_opacity(rgb(0x112233), 0), 0x00332211u);
  EXPECT_EQ(mix(rgb(0x000000), rgb(0xffffff), 0.5f), rgb(0x808080));
}

// Figures of Sharma, Wu, Dalal (2005), whose colors are given in CIE Lab.
TEST(ColorDifference, FollowsCiede2000) {
  EXPECT_NEAR(testing::ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(testing::ciede2000({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
  EXPECT_NEAR(testing::ciede2000({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}), 0.9082,
              1e-4);
}

TEST(ColorDifference, ShrinksForRedAndGreenWithoutCones) {
  const Color red = rgb(0xc03030), green = rgb(0x607818);
  EXPECT_GT(color_difference(red, green, ColorVision::normal), 40);
  EXPECT_LT(color_difference(red, green, ColorVision::deuteranopia), 20);
}

}  // namespace
}  // namespace dlview::ui
