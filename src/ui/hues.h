// Hues for names that have no colour of their own: told apart by eye, and legible on the surfaces
// of both palettes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ui/theme.h"

namespace dlview::ui {

inline constexpr std::size_t kHueCount = 12;
const std::array<Colour, kHueCount>& hues(ThemeKind theme);

// A hue for each name, at most kHueCount of them, no two the same. It follows from the name itself,
// so that a name keeps it from one file to the next unless another one here has taken it.
std::vector<uint8_t> choose_hues(std::span<const std::string_view> names);

}  // namespace dlview::ui
