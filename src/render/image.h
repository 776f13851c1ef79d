// A picture in memory: 8-bit RGB, rows from the top, no padding. Also reading and writing it as a
// PNG file whose bytes depend on the pixels alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace dlview::render {

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // width * height * 3

  Image() = default;
  Image(int image_width, int image_height)
      : width(image_width),
        height(image_height),
        rgb(static_cast<std::size_t>(image_width) * static_cast<std::size_t>(image_height) * 3) {}

  // 0xRRGGBB.
  uint32_t pixel(int x, int y) const {
    const std::size_t at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                            static_cast<std::size_t>(x)) *
                           3;
    return uint32_t{rgb[at]} << 16 | uint32_t{rgb[at + 1]} << 8 | uint32_t{rgb[at + 2]};
  }
  bool operator==(const Image&) const = default;
};

// The pixels from (left, top) to before (right, bottom), as far as the image has them.
Image crop(const Image& image, int left, int top, int right, int bottom);

// No half-written picture is ever seen under `path` (base/unfinished_file.h).
base::Status write_png(const Image& image, const std::filesystem::path& path);
base::Result<Image> read_png(const std::filesystem::path& path);

}  // namespace dlview::render
