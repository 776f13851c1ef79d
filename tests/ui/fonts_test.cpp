#include "ui/fonts.h"

#include <string_view>

#include <gtest/gtest.h>

#include "support/imgui_frames.h"
#include "ui/imgui_compat.h"

namespace dlview::ui {
namespace {

using testing::glyph_of;
using testing::shown_glyph_of;

float width_of(ImFont& font, std::string_view text) {
  return font.CalcTextSizeA(font_size(&font), 1e9f, 0, text.data(), text.data() + text.size()).x;
}

TEST(Fonts, AllDigitsOfAFaceHaveOneWidthAtEveryScale) {
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    ImFontAtlas atlas;
    const Fonts fonts = bake_fonts(atlas, scale);
    for (ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
      for (const std::string_view digit : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
        EXPECT_EQ(width_of(*font, digit), width_of(*font, "0")) << digit << " at " << scale;
      }
    }
  }
}

TEST(Fonts, TheThinSpaceIsThereAndNarrowerThanADigit) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
    EXPECT_GT(width_of(*font, "\u202f"), 0);
    EXPECT_LT(width_of(*font, "\u202f"), width_of(*font, "0") / 2);
  }
}

TEST(Fonts, SymbolsOfTheProductAreInTheirFaces) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImWchar symbol : {L'µ', L'σ', L'×', L'·', L'–', L'…', L'↗', L'›', L'»'}) {
    EXPECT_NE(glyph_of(*fonts.text, symbol), nullptr) << static_cast<int>(symbol);
    EXPECT_NE(glyph_of(*fonts.small, symbol), nullptr) << static_cast<int>(symbol);
  }
  EXPECT_NE(glyph_of(*fonts.figure, L'µ'), nullptr);
  EXPECT_NE(glyph_of(*fonts.figure, L'–'), nullptr);
}

TEST(Fonts, NamesReadTheSameInHeadingsAsInText) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImWchar letter : {L'é', L'ß', L'Ж', L'λ', L'→', L'≥'}) {
    EXPECT_NE(glyph_of(*fonts.text, letter), nullptr) << static_cast<int>(letter);
    EXPECT_NE(glyph_of(*fonts.strong, letter), nullptr) << static_cast<int>(letter);
  }
}

TEST(Fonts, WhatAFaceLacksShowsAsABox) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
    const ImFontGlyph* box = glyph_of(*font, 0x25a1);
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(shown_glyph_of(*font, 0x4e00), box);
  }
}

TEST(Fonts, DrawNothingForInvisibleCharacters) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
    EXPECT_EQ(width_of(*font, "a\u200d\ufe0fb"), width_of(*font, "ab"));
  }
}

}  // namespace
}  // namespace dlview::ui
