// The palettes: dark or light, and both again for color-blind users. Every color on screen comes
// from here; a color is 0xAABBGGRR, as Dear ImGui and render::Rectangle have it.
//
// One color has one meaning in every view. color_pairs() lists which color is drawn on which
// surface; a test requires a contrast of 4.5:1 for texts and 3:1 for marks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

// The meaning of a bar's color.
enum class Tone : uint8_t {
  tensor_core_kernels,
  other_kernels,  // without Tensor Cores
  memory,         // memcpy and memset
  data_loader,
  io,
  cpu,            // CPU time of ops, CUDA API calls
  other,          // the rest of an iteration: mostly GPU idle time
  communication,  // NCCL kernels, which are also other kernels
  idle,           // no kernel runs
  busy,           // any kernel runs
  unknown,        // kernels whose use of Tensor Cores is unknown; hatched
};
inline constexpr std::size_t kToneCount = 11;
constexpr Tone tone_of(aggregate::Category category) {
  return static_cast<Tone>(category);
}
// Whether the tone is drawn with hatch(), so that it does not depend on color alone.
constexpr bool is_hatched(Tone tone) {
  return tone == Tone::unknown;
}

// Colors of ops and other names that have no category; the name is always next to the color.
inline constexpr std::size_t kHueCount = 12;

struct Palette {
  Color background, panel, raised;  // surfaces, from back to front
  Color line;                       // separates; carries no meaning
  Color text, dim, faint;           // values and names, their labels, disabled items
  Color accent;                     // links, selection, keyboard focus
  Color attention;                  // findings, warnings, outliers, missed Tensor Cores
  Color good;                       // a check mark
  Color outside;                    // iterations outside the range; hatched
  Color bound;                      // bounds of the range, edges of a selection
  std::array<Color, kToneCount> tones;
  std::array<Color, kHueCount> hues;

  Color tone(Tone which) const { return tones[static_cast<std::size_t>(which)]; }
};

// Lives as long as the program: its address identifies it.
const Palette& palette(ThemeKind theme, PaletteKind kind = PaletteKind::standard);

// The surfaces of rows, buttons and chips, which follow from the palette.
Color lit_surface(const Palette& palette);       // a control under the mouse
Color selected_surface(const Palette& palette);  // a selected row on a panel
Color chosen_surface(const Palette& palette);    // the lit item of a menu

// The area of the Timeline that shows how busy a GPU is, on the background; its upper edge has
// Tone::busy.
Color busy_area(const Palette& palette);

// A color on a surface, as some view draws it.
struct ColorPair {
  std::string name;  // "dim on panel"
  Color color, surface;
  double least_contrast;  // 4.5 for texts, 3 for marks
};
// All pairs in use. A new color or surface belongs here.
std::vector<ColorPair> color_pairs(const Palette& palette);

// WCAG contrast of two opaque colors, 1..21.
double contrast(Color a, Color b);

// Black or white, whichever reads better on `background`: at least 4.5:1 on every color.
Color text_on(Color background);

// The color of the lines of hatch() on a surface of `color`: away from that of its text.
Color hatch_color(Color color);

// A hue for each name, at most kHueCount of them, no two the same. It follows from the name itself,
// so that a name keeps it from one file to the next unless another one here has taken it.
std::vector<uint8_t> choose_hues(std::span<const std::string_view> names);

}  // namespace dlview::ui
