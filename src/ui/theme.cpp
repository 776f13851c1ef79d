#include "ui/theme.h"

#include <algorithm>
#include <bitset>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/fnv.h"

namespace dlview::ui {
namespace {

constexpr Palette kDark{
    .background = rgb(0x14171c),
    .panel = rgb(0x1b1f26),
    .raised = rgb(0x232832),
    .line = rgb(0x2c323d),
    .text = rgb(0xdfe4ec),
    .dim = rgb(0xa3adbb),
    .faint = rgb(0x8c96a5),
    .accent = rgb(0x6db1f2),
    .attention = rgb(0xf7b234),
    .good = rgb(0x79dcae),
    .outside = rgb(0x6b7482),
    .bound = rgb(0xffffff),
    .tones = {rgb(0x2f9e5b), rgb(0x9fd27a), rgb(0x4592e6), rgb(0xe3dd55), rgb(0x9a78d6),
              rgb(0xf07a3c), rgb(0xb98aa0), rgb(0x4fb8c4), rgb(0x6f7b8c), rgb(0xa3adbb),
              rgb(0x8a9a6f)},
    .hues = {rgb(0x4592e6), rgb(0xf07a3c), rgb(0x2f9e5b), rgb(0xe879a8), rgb(0xe3dd55),
             rgb(0x9a78d6), rgb(0x4fb8c4), rgb(0xe0675a), rgb(0x9fd27a), rgb(0xc09a72),
             rgb(0xa9b4f8), rgb(0xb4b83a)},
};

constexpr Palette kLight{
    .background = rgb(0xf4f6f9),
    .panel = rgb(0xffffff),
    .raised = rgb(0xeef1f5),
    .line = rgb(0xd9dfe7),
    .text = rgb(0x1d232c),
    .dim = rgb(0x4c5664),
    .faint = rgb(0x5a6471),
    .accent = rgb(0x0f5cab),
    .attention = rgb(0x874900),
    .good = rgb(0x0b6b4a),
    .outside = rgb(0x7f8896),
    .bound = rgb(0x000000),
    .tones = {rgb(0x1b6b3b), rgb(0x5f9a35), rgb(0x2a74cc), rgb(0x8c7f00), rgb(0x7d59c1),
              rgb(0xd9571a), rgb(0xa5718a), rgb(0x0f7f8c), rgb(0x76808e), rgb(0x4c5664),
              rgb(0x7f8b63)},
    .hues = {rgb(0x2a74cc), rgb(0xd9571a), rgb(0x1b6b3b), rgb(0xd0508a), rgb(0x8c7f00),
             rgb(0x7d59c1), rgb(0x0f7f8c), rgb(0xa82a20), rgb(0x5f9a35), rgb(0x7d5228),
             rgb(0x4a56c0), rgb(0x5e6410)},
};

using Tones = std::array<Color, kToneCount>;
using Hues = std::array<Color, kHueCount>;

constexpr Palette with_colors(Palette palette, const Tones& tones, const Hues& hues) {
  palette.tones = tones;
  palette.hues = hues;
  return palette;
}

// Neighbors in a stack also differ in lightness, so that they stay apart without red and green.
constexpr Palette kColorblindDark = with_colors(
    kDark,
    Tones{rgb(0x0f9b6c), rgb(0xaed878), rgb(0x2f74dc), rgb(0xfcf8b8), rgb(0xab8df0), rgb(0xea6a1e),
          rgb(0xbd9aac), rgb(0x86e0f7), rgb(0x6f7b8c), rgb(0xa3adbb), rgb(0x8a9a6f)},
    Hues{rgb(0x2f74dc), rgb(0xea6a1e), rgb(0x0f9b6c), rgb(0xffb3d2), rgb(0xfcf8b8), rgb(0xab8df0),
         rgb(0x86e0f7), rgb(0xc05a52), rgb(0xaed878), rgb(0xb08a58), rgb(0xd3d9ff), rgb(0x8a8f2a)});
constexpr Palette kColorblindLight = with_colors(
    kLight,
    Tones{rgb(0x00402c), rgb(0x62954a), rgb(0x1f5fd0), rgb(0x6b5a00), rgb(0x4b1a7a), rgb(0xe0560a),
          rgb(0x93667c), rgb(0x0b8fc0), rgb(0x76808e), rgb(0x4c5664), rgb(0x7f8b63)},
    Hues{rgb(0x1f5fd0), rgb(0xe0560a), rgb(0x00402c), rgb(0xc2407e), rgb(0x6b5a00), rgb(0x4b1a7a),
         rgb(0x0b8fc0), rgb(0x7a1d14), rgb(0x62954a), rgb(0x5a3a1c), rgb(0x2a2f86), rgb(0x8a8a40)});

constexpr Color kBlack = rgb(0x000000), kWhite = rgb(0xffffff);
constexpr float kHatchStrength = 0.4f;

double channel(Color color, int shift) {
  return ((color >> shift) & 0xffu) / 255.0;
}

// Relative luminance of sRGB, as WCAG 2 defines it.
double luminance(Color color) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(channel(color, 0)) + 0.7152 * linear(channel(color, 8)) +
         0.0722 * linear(channel(color, 16));
}

uint64_t hash_of(std::string_view name) {
  base::Fnv1a hash;
  hash.add(name);
  return hash.value();
}

}  // namespace

Color mix(Color from, Color to, float share_of_to) {
  Color result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto a = static_cast<float>((from >> shift) & 0xffu);
    const auto b = static_cast<float>((to >> shift) & 0xffu);
    result |= static_cast<Color>(a + (b - a) * share_of_to + 0.5f) << shift;
  }
  return result;
}

const Palette& palette(ThemeKind theme, PaletteKind kind) {
  const bool is_dark = theme == ThemeKind::dark;
  if (kind == PaletteKind::colorblind) return is_dark ? kColorblindDark : kColorblindLight;
  return is_dark ? kDark : kLight;
}

Color lit_surface(const Palette& palette) {
  return mix(palette.raised, palette.text, 0.08f);
}
Color selected_surface(const Palette& palette) {
  return mix(palette.panel, palette.accent, 0.22f);
}
Color chosen_surface(const Palette& palette) {
  return mix(palette.raised, palette.accent, 0.18f);
}
Color busy_area(const Palette& palette) {
  return mix(palette.background, palette.tone(Tone::busy), 0.65f);
}

std::vector<ColorPair> color_pairs(const Palette& palette) {
  constexpr double kText = 4.5, kMark = 3;
  struct Surface {
    std::string name;
    Color color;
  };
  const std::array surfaces{Surface{"background", palette.background},
                            Surface{"panel", palette.panel},
                            Surface{"raised", palette.raised}};  // tooltips and menus, too
  const std::array lit{Surface{"a lit control", lit_surface(palette)},
                       Surface{"a selected row", selected_surface(palette)},
                       Surface{"a chosen item", chosen_surface(palette)}};
  std::vector<ColorPair> pairs;
  const auto add = [&](std::string_view name, Color color, const auto& on, double least) {
    for (const Surface& surface : on) {
      pairs.push_back({fmt::format("{} on {}", name, surface.name), color, surface.color, least});
    }
  };
  add("text", palette.text, surfaces, kText);
  add("text", palette.text, lit, kText);
  add("dim", palette.dim, surfaces, kText);
  add("dim", palette.dim, lit, kText);
  add("faint", palette.faint, surfaces, kText);
  add("accent", palette.accent, surfaces, kText);
  add("accent", palette.accent, lit, kText);
  add("attention", palette.attention, surfaces, kText);
  add("attention", palette.attention, lit, kText);
  add("good", palette.good, surfaces, kMark);
  add("good", palette.good, lit, kMark);
  add("outside", palette.outside, surfaces, kMark);
  add("bound", palette.bound, surfaces, kMark);
  for (std::size_t i = 0; i < palette.tones.size(); ++i) {
    const Color tone = palette.tones[i];
    add(fmt::format("tone {}", i), tone, surfaces, kMark);
    const std::array bar{Surface{fmt::format("tone {}", i), tone}};
    add("a label", text_on(tone), bar, kText);
  }
  for (std::size_t i = 0; i < palette.hues.size(); ++i) {
    const Color hue = palette.hues[i];
    add(fmt::format("hue {}", i), hue, surfaces, kMark);
    const std::array bar{Surface{fmt::format("hue {}", i), hue}};
    add("a label", text_on(hue), bar, kText);
  }
  const std::array plot{Surface{"background", palette.background}};
  add("busy area", busy_area(palette), plot, kMark);
  for (const Tone tone : {Tone::unknown}) {
    const std::array lines{Surface{"the lines of a hatch", hatch_color(palette.tone(tone))}};
    add("a label", text_on(palette.tone(tone)), lines, kText);
  }
  return pairs;
}

double contrast(Color a, Color b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

Color text_on(Color background) {
  return contrast(kBlack, background) >= contrast(kWhite, background) ? kBlack : kWhite;
}

Color hatch_color(Color color) {
  return mix(color, text_on(color) == kBlack ? kWhite : kBlack, kHatchStrength);
}

std::vector<uint8_t> choose_hues(std::span<const std::string_view> names) {
  assert(names.size() <= kHueCount);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  // Who comes first takes the hue: not by rank, which changes.
  std::ranges::sort(order, {}, [&](std::size_t i) { return names[i]; });
  std::vector<uint8_t> chosen(names.size());
  std::bitset<kHueCount> taken;
  for (const std::size_t i : order) {
    std::size_t hue = hash_of(names[i]) % kHueCount;
    while (taken[hue]) hue = (hue + 1) % kHueCount;
    taken.set(hue);
    chosen[i] = static_cast<uint8_t>(hue);
  }
  return chosen;
}

}  // namespace dlview::ui
