// The two palettes. Every colour on screen comes from here; a colour is 0xAABBGGRR, as Dear ImGui
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

using Colour = uint32_t;

// 0xRRGGBB -> opaque 0xAABBGGRR.
constexpr Colour rgb(uint32_t value) {
  return 0xff000000u | ((value & 0xffu) << 16) | (value & 0xff00u) | ((value >> 16) & 0xffu);
}
// The same colour with another opacity, 0..1.
constexpr Colour with_opacity(Colour colour, float opacity) {
  return (colour & 0x00ffffffu) | (static_cast<uint32_t>(opacity * 255.0f) << 24);
}
Colour mix(Colour from, Colour to, float share_of_to);

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
  Colour background, panel, raised, line;  // surfaces, from back to front
  Colour text, dim, faint, accent;         // faint is for decoration and what is disabled
  Colour attention, good;
  Colour outside, bound;  // iterations outside the range, and the range's bounds
  std::array<Colour, kToneCount> tones;

  Colour tone(Tone which) const { return tones[static_cast<std::size_t>(which)]; }
};

const Palette& palette(ThemeKind theme);

// WCAG contrast of two opaque colours, 1..21.
double contrast(Colour a, Colour b);

// Near-black or near-white, whichever reads better on `background`.
Colour text_on(Colour background);

// Hues for names that have no colour of their own: told apart by eye, and legible on the surfaces
// of both palettes.

inline constexpr std::size_t kHueCount = 12;
const std::array<Colour, kHueCount>& hues(ThemeKind theme);

// A hue for each name, at most kHueCount of them, no two the same. It follows from the name itself,
// so that a name keeps it from one file to the next unless another one here has taken it.
std::vector<uint8_t> choose_hues(std::span<const std::string_view> names);

}  // namespace dlview::ui
