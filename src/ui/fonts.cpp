#include "ui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <imgui.h>
#include <imgui_freetype.h>

#include "embedded/dlview_fonts.h"
#include "ui/system_faces.h"

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

// Into the face that was added last.
void merge_face(ImFontAtlas& atlas, const SystemFace& face, float height) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = true;
  config.PixelSnapH = true;
  config.FontNo = face.number;
  auto* data = const_cast<unsigned char*>(face.file->data());
  atlas.AddFontFromMemoryTTF(data, static_cast<int>(face.file->size()), height, &config,
                             face.characters.data());
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

bool has_own_glyph(char32_t character) {
  for (std::size_t i = 0; kNames[i] != 0; i += 2) {
    if (kNames[i] <= character && character <= kNames[i + 1]) return true;
  }
  return false;
}

Fonts bake_fonts(ImFontAtlas& atlas, float scale, std::span<const SystemFace> more) {
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas.TexGlyphPadding = 1;
  const auto of_names = [&](auto file, float height) {
    ImFont* font = add_face(atlas, file, height, kNames.data());
    for (const SystemFace& face : more) merge_face(atlas, face, height);
    return font;
  };
  const float inter = kInterHeightPerEm * scale;
  Fonts fonts;
  fonts.text = of_names(fonts::inter_regular(), 13 * inter);
  fonts.strong = of_names(fonts::inter_semibold(), 13 * inter);
  fonts.figure = add_face(atlas, fonts::inter_semibold(), 25 * inter, kFigures.data());
  fonts.small = of_names(fonts::inter_regular(), 12 * inter);
  fonts.mono = of_names(fonts::jetbrains_mono(), 12 * kMonoHeightPerEm * scale);
  // A face of the system that FreeType cannot read is no reason to have none.
  if (!atlas.Build() && !more.empty()) return bake_fonts(atlas, scale);
  even_out(*fonts.text, 13 * scale);
  even_out(*fonts.strong, 13 * scale);
  even_out(*fonts.figure, 25 * scale);
  even_out(*fonts.small, 12 * scale);
  even_out(*fonts.mono, 12 * scale);
  return fonts;
}

}  // namespace dlview::ui
