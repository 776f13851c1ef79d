// The five faces of the product, baked into the font atlas by FreeType at one scale. Digits of a
// face have one width, so that changing numbers do not jitter.
#pragma once

#include <span>

#include <imgui.h>

#include "ui/system_faces.h"

namespace dlview::ui {

// Sizes at scale 1, in CSS pixels: text 13, strong 13, figure 25, small 12, mono 12.
struct Fonts {
  ImFont* text = nullptr;
  ImFont* strong = nullptr;  // semibold: headings, shares
  ImFont* figure = nullptr;  // semibold: key figures
  ImFont* small = nullptr;
  ImFont* mono = nullptr;  // names and code
};

// Replaces the contents of the atlas. System faces add their glyphs to the faces of names, and
// their stand-ins come into use. The renderer's texture has to be made again afterwards.
Fonts bake_fonts(ImFontAtlas& atlas, float scale, std::span<const SystemFace> more = {});

// Whether all faces of names have the character without system faces.
bool is_in_own_faces(char32_t character);

}  // namespace dlview::ui
