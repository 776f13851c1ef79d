// The five faces of the product, baked into the font atlas by FreeType at one scale. Digits of a
// face have one width, so that changing numbers do not jitter.
#pragma once

#include <span>

struct ImFont;
struct ImFontAtlas;

namespace dlview::ui {

// Sizes at scale 1, in CSS pixels: text 13, strong 13, figure 25, small 12, mono 12.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* strong = nullptr;  // semibold: headings, shares
  ImFont* figure = nullptr;  // semibold: key figures
  ImFont* small = nullptr;
  ImFont* mono = nullptr;  // names and code
};

struct SystemFace;

// Replaces whatever the atlas holds; faces of the system give the faces of names what these lack.
// The renderer's texture has to be remade afterwards.
Fonts bake_fonts(ImFontAtlas& atlas, float scale, std::span<const SystemFace> more = {});

// Whether the faces of names are baked with the character without faces of the system.
bool has_own_glyph(char32_t character);

}  // namespace dlview::ui
