// The five faces of the product, baked into the font atlas by FreeType at one scale. Digits of a
// face have one width, so that changing numbers do not jitter.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imgui.h>

#include "profile/profile.h"

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

// Faces of the system for characters that the product's own faces lack: names of ops may be written
// in any script. Only faces that have a character of the open file are read, and of them only its
// characters. Letters stand as they are in the text: nothing is joined or turned round.

struct SystemFace {
  std::shared_ptr<const std::vector<unsigned char>> file;
  int number = 0;                   // of the face in its file
  std::vector<ImWchar> characters;  // pairs of first and last, then 0, as Dear ImGui has ranges
};

// The characters of the profile's texts that the product's own faces are not baked with, ascending;
// the first few thousand of them, so that the atlas stays small. Those that Dear ImGui has no place
// for, beyond U+FFFF, are left out: emoji among them.
std::vector<ImWchar> foreign_characters(const profile::Profile& profile);

// Faces that fontconfig knows, in its order, each with the characters that those before it lack.
std::vector<SystemFace> find_system_faces(std::span<const ImWchar> characters);

}  // namespace dlview::ui
