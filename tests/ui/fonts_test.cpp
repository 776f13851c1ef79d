#include "ui/fonts.h"

#include <string_view>

#include <gtest/gtest.h>
#include <imgui.h>

namespace dlview::ui {
namespace {

float width_of(const ImFont& font, std::string_view text) {
  return font.CalcTextSizeA(font.FontSize, 1e9f, 0, text.data(), text.data() + text.size()).x;
}

TEST(Fonts, AllDigitsOfAFaceHaveOneWidthAtEveryScale) {
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    ImFontAtlas atlas;
    const Fonts fonts = bake_fonts(atlas, scale);
    for (const ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
      for (const std::string_view digit : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
        EXPECT_EQ(width_of(*font, digit), width_of(*font, "0")) << digit << " at " << scale;
      }
    }
  }
}

TEST(Fonts, TheThinSpaceIsThereAndNarrowerThanADigit) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
    EXPECT_GT(width_of(*font, "\u202f"), 0);
    EXPECT_LT(width_of(*font, "\u202f"), width_of(*font, "0") / 2);
  }
}

TEST(Fonts, SymbolsOfTheProductAreInTheirFaces) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImWchar symbol : {L'µ', L'σ', L'×', L'·', L'–', L'…', L'↗', L'›', L'»'}) {
    EXPECT_NE(fonts.text->FindGlyphNoFallback(symbol), nullptr) << static_cast<int>(symbol);
    EXPECT_NE(fonts.small->FindGlyphNoFallback(symbol), nullptr) << static_cast<int>(symbol);
  }
  EXPECT_NE(fonts.figure->FindGlyphNoFallback(L'µ'), nullptr);
  EXPECT_NE(fonts.figure->FindGlyphNoFallback(L'–'), nullptr);
}

TEST(Fonts, NamesReadTheSameInHeadingsAsInText) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImWchar letter : {L'é', L'ß', L'Ж', L'λ', L'→', L'≥'}) {
    EXPECT_NE(fonts.text->FindGlyphNoFallback(letter), nullptr) << static_cast<int>(letter);
    EXPECT_NE(fonts.strong->FindGlyphNoFallback(letter), nullptr) << static_cast<int>(letter);
  }
}

TEST(Fonts, WhatAFaceLacksShowsAsABox) {
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1);
  for (const ImFont* font : {fonts.text, fonts.strong, fonts.figure, fonts.small, fonts.mono}) {
    const ImFontGlyph* box = font->FindGlyphNoFallback(0x25a1);
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(font->FindGlyph(0x4e00), box);
  }
}

}  // namespace
}  // namespace dlview::ui
