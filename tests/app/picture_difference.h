// Compares pictures of the program so that another rasteriser or another version of FreeType does
// not count, but a moved panel or a missing word does.
//
// A pixel differs when one of its channels lies beyond all that the nine pixels around its place in
// the other picture show, by more than a tolerance: edges may be softer, harder, or off by a pixel.
// The share of such pixels is taken tile by tile, for a word is nothing beside a whole picture.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "render/image.h"

namespace dlview::testing {

inline constexpr int kTile = 32;              // pixels
inline constexpr int kChannelTolerance = 28;  // of 255
inline constexpr double kMostDiffering = 0.03;

struct PictureDifference {
  double share = 0;  // of the pixels of the worst tile; 1 when the sizes differ
  int x = 0, y = 0;  // of that tile
  bool is_much() const { return share > kMostDiffering; }
};

// Whether the pixel of `a` is unlike everything around its place in `b`.
inline bool differs(const render::Image& a, const render::Image& b, int x, int y) {
  for (int channel = 0; channel < 3; ++channel) {
    const auto value = [&](const render::Image& image, int at_x, int at_y) -> int {
      return image.rgb[static_cast<std::size_t>((at_y * image.width + at_x) * 3 + channel)];
    };
    const int own = value(a, x, y);
    if (std::abs(own - value(b, x, y)) <= kChannelTolerance) continue;  // most pixels, and quick
    int least = 255;
    int most = 0;
    for (int near_y = std::max(0, y - 1); near_y <= std::min(b.height - 1, y + 1); ++near_y) {
      for (int near_x = std::max(0, x - 1); near_x <= std::min(b.width - 1, x + 1); ++near_x) {
        least = std::min(least, value(b, near_x, near_y));
        most = std::max(most, value(b, near_x, near_y));
      }
    }
    if (own < least - kChannelTolerance || own > most + kChannelTolerance) return true;
  }
  return false;
}

// Of the tile where the pictures differ most.
inline PictureDifference difference(const render::Image& a, const render::Image& b) {
  if (a.width != b.width || a.height != b.height) return {1, 0, 0};
  PictureDifference worst;
  for (int top = 0; top < a.height; top += kTile) {
    for (int left = 0; left < a.width; left += kTile) {
      const int right = std::min(left + kTile, a.width);
      const int bottom = std::min(top + kTile, a.height);
      int count = 0;
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) count += differs(a, b, x, y) || differs(b, a, x, y);
      }
      const double share = static_cast<double>(count) / (kTile * kTile);
      if (share > worst.share) worst = {share, left, top};
    }
  }
  return worst;
}

// Every pixel the mean of two by two.
inline render::Image halved(const render::Image& image) {
  render::Image half(image.width / 2, image.height / 2);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      for (int channel = 0; channel < 3; ++channel) {
        const auto value = [&](int dx, int dy) -> int {
          const int at = (2 * y + dy) * image.width + 2 * x + dx;
          return image.rgb[static_cast<std::size_t>(at * 3 + channel)];
        };
        const int sum = value(0, 0) + value(1, 0) + value(0, 1) + value(1, 1);
        half.rgb[static_cast<std::size_t>((y * half.width + x) * 3 + channel)] =
            static_cast<uint8_t>((sum + 2) / 4);
      }
    }
  }
  return half;
}

}  // namespace dlview::testing
