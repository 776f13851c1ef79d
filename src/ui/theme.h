// The two palettes. Every color on screen comes from here; a color is 0xAABBGGRR, as Dear ImGui
// and render::Rectangle have it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aggregate/breakdown.h"
#include "ui/model.h"

namespace dlview::ui {

using Color = uint32_t;

// 0xRRGGBB -> opaque 0xAABBGGRR.
constexpr Color rgb(uint32_t value) {
  return 0xff000000u | ((value & 0xffu) << 16) | (value & 0xff00u) | ((value >> 16) & 0xffu);
}
// The same color with another opacity, 0..1.
constexpr Color with_opacity(Color color, float opacity) {
  return (color & 0x00ffffffu) | (static_cast<uint32_t>(opacity * 255.0f) << 24);
}
Color mix(Color from, Color to, float share_of_to);

// What a bar stands for: the seven categories of the breakdown in their order, what stands beside
// them, then idle time.
enum class Tone : uint8_t {
  tensor_core_kernels,
  other_kernels,
  memory,
  data_loader,
  io,
  cpu,
  other,
  communication,
  idle,
};
inline constexpr std::size_t kToneCount = 9;
constexpr Tone tone_of(aggregate::Category category) {
  return static_cast<Tone>(category);
}

struct Palette {
  Color background, panel, raised, line;  // surfaces, from back to front
  Color text, dim, faint, accent;         // faint is for decoration and what is disabled
  Color attention, good;
  Color outside, bound;  // iterations outside the range, and the range's bounds
  std::array<Color, kToneCount> tones;

  Color tone(Tone which) const { return tones[static_cast<std::size_t>(which)]; }
};

const Palette& palette(ThemeKind theme);

// WCAG contrast of two opaque colors, 1..21.
double contrast(Color a, Color b);

// Near-black or near-white, whichever reads better on `background`.
Color text_on(Color background);

// Hues for names that have no color of their own: told apart by eye, and legible on the surfaces
// of both palettes.

inline constexpr std::size_t kHueCount = 12;
const std::array<Color, kHueCount>& hues(ThemeKind theme);

// A hue for each name, at most kHueCount of them, no two the same. It follows from the name itself,
// so that a name keeps it from one file to the next unless another one here has taken it.
std::vector<uint8_t> choose_hues(std::span<const std::string_view> names);

}  // namespace dlview::ui
