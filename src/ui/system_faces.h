// Faces of the system for characters that the product's own faces lack: names of ops may be in any
// script. Only faces with a character of the open profiles are read, and of them only those
// characters. Letters are drawn one by one: no ligatures, no right-to-left order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imgui.h>

#include "profile/profile.h"

namespace dlview::ui {

struct SystemFace {
  std::shared_ptr<const std::vector<unsigned char>> file;
  int number = 0;                       // of the face in its file, as for GlyphFace
  std::vector<ImWchar> characters;      // to bake: pairs of first and last, then 0
  std::vector<char32_t> pictures = {};  // to draw as GlyphPicture, ascending
};

// The characters of the profile's texts that are not in all of the product's own faces, ascending;
// the first few thousand, so that the atlas stays small.
std::vector<char32_t> foreign_characters(const profile::Profile& profile);

// Faces with these characters: the product's own, then those of fontconfig in its order, those of
// color bitmaps last. Each has the characters that the ones before it lack.
std::vector<SystemFace> find_system_faces(std::span<const char32_t> characters);

}  // namespace dlview::ui
