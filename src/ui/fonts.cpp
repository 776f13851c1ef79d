#include "ui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <imgui.h>
#include <imgui_freetype.h>

#include "embedded/dlview_fonts.h"

namespace dlview::ui {
namespace {

// Dear ImGui asks FreeType for ascender - descender = size; these turn an em into that height.
constexpr float kInterHeightPerEm = 1.2102f;
constexpr float kMonoHeightPerEm = 1.32f;
constexpr float kThinSpacePerEm = 0.22f;
constexpr ImWchar kThinSpace = 0x202f;
constexpr ImWchar kBox = 0x25a1;

// Names can hold anything; the large figures are our own.
constexpr std::array<ImWchar, 21> kNames{0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff, 0x2000,
                                         0x206f, 0x2070, 0x209f, 0x20a0, 0x20bf, 0x2100, 0x214f,
                                         0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
constexpr std::array<ImWchar, 9> kFigures{0x0020, 0x017f, 0x0391, 0x03c9, 0x2010,
                                          0x2044, kBox,   kBox,   0};

ImFont* add_face(ImFontAtlas& atlas, std::span<const unsigned char> file, float height,
                 const ImWchar* ranges) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.PixelSnapH = true;
  // Dear ImGui only reads from data that it does not own.
  auto* data = const_cast<unsigned char*>(file.data());
  return atlas.AddFontFromMemoryTTF(data, static_cast<int>(file.size()), height, &config, ranges);
}

bool is_digit(const ImFontGlyph& glyph) {
  return glyph.Codepoint >= '0' && glyph.Codepoint <= '9';
}

// Gives the digits the widest digit's advance, each centred in it, and the thin space its width.
void even_out(ImFont& font, float em) {
  float widest = 0;
  for (const ImFontGlyph& glyph : font.Glyphs) {
    if (is_digit(glyph)) widest = std::max(widest, glyph.AdvanceX);
  }
  bool has_thin_space = false;
  const float thin_space = std::max(2.0f, std::round(em * kThinSpacePerEm));
  for (ImFontGlyph& glyph : font.Glyphs) {
    if (is_digit(glyph)) {
      const float shift = std::floor((widest - glyph.AdvanceX) / 2);
      glyph.X0 += shift;
      glyph.X1 += shift;
      glyph.AdvanceX = widest;
    } else if (glyph.Codepoint == kThinSpace) {
      glyph.AdvanceX = thin_space;
      has_thin_space = true;
    }
  }
  if (!has_thin_space) font.AddGlyph(nullptr, kThinSpace, 0, 0, 0, 0, 0, 0, 0, 0, thin_space);
  // What a face lacks shows as a box: a "?" would read as part of the name.
  if (font.FindGlyphNoFallback(kBox) != nullptr) font.FallbackChar = kBox;
  font.BuildLookupTable();
}

}  // namespace

Fonts bake_fonts(ImFontAtlas& atlas, float scale) {
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas.TexGlyphPadding = 1;
  const auto inter = [&](auto file, float em, const ImWchar* ranges) {
    return add_face(atlas, file, em * kInterHeightPerEm * scale, ranges);
  };
  Fonts fonts;
  fonts.text = inter(fonts::inter_regular(), 13, kNames.data());
  fonts.strong = inter(fonts::inter_semibold(), 13, kNames.data());
  fonts.figure = inter(fonts::inter_semibold(), 25, kFigures.data());
  fonts.small = inter(fonts::inter_regular(), 12, kNames.data());
  fonts.mono =
      add_face(atlas, fonts::jetbrains_mono(), 12 * kMonoHeightPerEm * scale, kNames.data());
  atlas.Build();
  even_out(*fonts.text, 13 * scale);
  even_out(*fonts.strong, 13 * scale);
  even_out(*fonts.figure, 25 * scale);
  even_out(*fonts.small, 12 * scale);
  even_out(*fonts.mono, 12 * scale);
  return fonts;
}

}  // namespace dlview::ui
