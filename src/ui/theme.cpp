#include "ui/theme.h"

#include <algorithm>
#include <bitset>
#include <cassert>
#include <cmath>
#include <numeric>

#include "base/fnv.h"

namespace dlview::ui {
namespace {

constexpr Palette kDark{
    .background = rgb(0x14171c),
    .panel = rgb(0x1b1f26),
    .raised = rgb(0x232832),
    .line = rgb(0x2c323d),
    .text = rgb(0xdfe4ec),
    .dim = rgb(0x8e98a8),
    .faint = rgb(0x5d6675),
    .accent = rgb(0x4c9be8),
    .attention = rgb(0xf2c14e),
    .good = rgb(0x9fd27a),
    .outside = rgb(0x4a515d),
    .bound = rgb(0xffffff),
    .tones = {rgb(0x2f9e5b), rgb(0x9fd27a), rgb(0x4592e6), rgb(0xf2c14e), rgb(0x9a78d6),
              rgb(0xf08a3c), rgb(0xe879a8), rgb(0x4fb8c4), rgb(0x4a5362)},
};

constexpr Palette kLight{
    .background = rgb(0xf4f6f9),
    .panel = rgb(0xffffff),
    .raised = rgb(0xeef1f5),
    .line = rgb(0xd9dfe7),
    .text = rgb(0x1d232c),
    .dim = rgb(0x5b6675),
    .faint = rgb(0x8b95a3),
    .accent = rgb(0x1f6fc4),
    .attention = rgb(0x9a6200),
    .good = rgb(0x2b8a4e),
    .outside = rgb(0xb3bbc6),
    .bound = rgb(0x000000),
    .tones = {rgb(0x2b8a4e), rgb(0x93c766), rgb(0x2f7fd6), rgb(0xdba520), rgb(0x7d59c1),
              rgb(0xe07422), rgb(0xd8588e), rgb(0x2a9aa8), rgb(0xb9c2cd)},
};

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

constexpr std::array<Color, kHueCount> kHuesOnDark{
    rgb(0x4592e6), rgb(0xf08a3c), rgb(0x2f9e5b), rgb(0xe879a8), rgb(0xf2c14e), rgb(0x9a78d6),
    rgb(0x4fb8c4), rgb(0xd9574a), rgb(0x9fd27a), rgb(0xb98a5e), rgb(0x8f9df5), rgb(0xc9cc52)};
constexpr std::array<Color, kHueCount> kHuesOnLight{
    rgb(0x2f7fd6), rgb(0xe07422), rgb(0x2b8a4e), rgb(0xd8588e), rgb(0xc79012), rgb(0x7d59c1),
    rgb(0x2a9aa8), rgb(0xc23b30), rgb(0x74a843), rgb(0x94663a), rgb(0x5a67d8), rgb(0x8a9418)};

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

const Palette& palette(ThemeKind theme) {
  return theme == ThemeKind::dark ? kDark : kLight;
}

double contrast(Color a, Color b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

Color text_on(Color background) {
  constexpr Color kInk = rgb(0x10151b);
  constexpr Color kPaper = rgb(0xffffff);
  return contrast(kInk, background) >= contrast(kPaper, background) ? kInk : kPaper;
}

const std::array<Color, kHueCount>& hues(ThemeKind theme) {
  return theme == ThemeKind::dark ? kHuesOnDark : kHuesOnLight;
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
