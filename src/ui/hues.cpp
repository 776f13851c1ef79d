#include "ui/hues.h"

#include <algorithm>
#include <bitset>
#include <cassert>
#include <numeric>

#include "base/fnv.h"

namespace dlview::ui {
namespace {

constexpr std::array<Colour, kHueCount> kHuesOnDark{
    rgb(0x4592e6), rgb(0xf08a3c), rgb(0x2f9e5b), rgb(0xe879a8), rgb(0xf2c14e), rgb(0x9a78d6),
    rgb(0x4fb8c4), rgb(0xd9574a), rgb(0x9fd27a), rgb(0xb98a5e), rgb(0x8f9df5), rgb(0xc9cc52)};
constexpr std::array<Colour, kHueCount> kHuesOnLight{
    rgb(0x2f7fd6), rgb(0xe07422), rgb(0x2b8a4e), rgb(0xd8588e), rgb(0xc79012), rgb(0x7d59c1),
    rgb(0x2a9aa8), rgb(0xc23b30), rgb(0x74a843), rgb(0x94663a), rgb(0x5a67d8), rgb(0x8a9418)};

uint64_t hash_of(std::string_view name) {
  base::Fnv1a hash;
  hash.add(name);
  return hash.value();
}

}  // namespace

const std::array<Colour, kHueCount>& hues(ThemeKind theme) {
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
