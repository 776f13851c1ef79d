#include "ui/glyph_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <ft2build.h>
#include FT_FREETYPE_H

namespace dlview::ui {
namespace {

// Of color bitmaps, in em: as large as a capital letter with a margin, centered on it.
constexpr double kBitmapHeight = 1.15, kCapitalHeight = 0.73;

uint8_t rounded(double value) {
  return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

std::vector<uint32_t> pixels_of_gray(const FT_Bitmap& bitmap) {
  std::vector<uint32_t> pixels;
  for (unsigned y = 0; y < bitmap.rows; ++y) {
    const unsigned char* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (unsigned x = 0; x < bitmap.width; ++x) {
      const bool is_gray = bitmap.pixel_mode == FT_PIXEL_MODE_GRAY;
      const uint32_t alpha = is_gray ? row[x] : (row[x / 8] >> (7 - x % 8) & 1u) * 255u;
      pixels.push_back(0x00ffffffu | alpha << 24);
    }
  }
  return pixels;
}

// One pixel of the scaled bitmap: the mean of what it covers, [left, right) x [top, bottom).
uint32_t mean_pixel(const FT_Bitmap& bitmap, double left, double top, double right, double bottom) {
  std::array<double, 4> sums{};  // blue, green, red, alpha; colors are multiplied by alpha
  double area = 0;
  const auto end = [](double edge, unsigned size) {
    return std::min(size, static_cast<unsigned>(std::ceil(edge)));
  };
  for (auto y = static_cast<unsigned>(top); y < end(bottom, bitmap.rows); ++y) {
    const unsigned char* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    const double height = std::min(bottom, y + 1.0) - std::max(top, double{1} * y);
    for (auto x = static_cast<unsigned>(left); x < end(right, bitmap.width); ++x) {
      const double covered = height * (std::min(right, x + 1.0) - std::max(left, double{1} * x));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += covered * row[4 * x + i];
      area += covered;
    }
  }
  if (sums[3] <= 0 || area <= 0) return 0;
  const auto color = [&](std::size_t i) { return uint32_t{rounded(255 * sums[i] / sums[3])}; };
  return color(2) | color(1) << 8 | color(0) << 16 | uint32_t{rounded(sums[3] / area)} << 24;
}

GlyphPicture scaled_bitmap(const FT_Bitmap& bitmap, int em) {
  GlyphPicture picture;
  picture.height = std::max(1, static_cast<int>(std::lround(em * kBitmapHeight)));
  const double step = static_cast<double>(bitmap.rows) / picture.height;
  picture.width = std::max(1, static_cast<int>(std::lround(bitmap.width / step)));
  picture.top = static_cast<int>(std::lround(em * (kBitmapHeight + kCapitalHeight) / 2));
  picture.advance = picture.width + std::max(1, em / 12);
  picture.is_colored = true;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      picture.pixels.push_back(
          mean_pixel(bitmap, x * step, y * step, (x + 1) * step, (y + 1) * step));
    }
  }
  return picture;
}

// The smallest strike of bitmaps of at least `em` pixels, or else the largest.
int best_strike(const FT_Face face, int em) {
  int best = 0;
  for (int i = 1; i < face->num_fixed_sizes; ++i) {
    const int height = face->available_sizes[i].height, so_far = face->available_sizes[best].height;
    const bool is_better = so_far < em ? height > so_far : height >= em && height < so_far;
    if (is_better) best = i;
  }
  return best;
}

}  // namespace

struct GlyphFace::State {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  State() = default;
  ~State() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

GlyphFace::GlyphFace(std::span<const unsigned char> file, int number)
    : state_(std::make_unique<State>()) {
  if (FT_Init_FreeType(&state_->library) != 0) return;
  if (FT_New_Memory_Face(state_->library, file.data(), static_cast<FT_Long>(file.size()), number,
                         &state_->face) != 0) {
    state_->face = nullptr;
  }
}
GlyphFace::~GlyphFace() = default;

bool GlyphFace::is_readable() const {
  return state_->face != nullptr;
}

bool GlyphFace::has(char32_t character) const {
  return is_readable() && FT_Get_Char_Index(state_->face, character) != 0;
}

std::optional<GlyphPicture> GlyphFace::picture(char32_t character, int em) const {
  if (!has(character) || em < 1) return std::nullopt;
  const FT_Face face = state_->face;
  const bool is_scalable = FT_IS_SCALABLE(face);
  if (!is_scalable && face->num_fixed_sizes == 0) return std::nullopt;
  const FT_Error unsized = is_scalable ? FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(em))
                                       : FT_Select_Size(face, best_strike(face, em));
  const FT_Int32 how = FT_LOAD_RENDER | FT_LOAD_COLOR | FT_LOAD_TARGET_LIGHT;
  if (unsized != 0 || FT_Load_Glyph(face, FT_Get_Char_Index(face, character), how) != 0) {
    return std::nullopt;
  }
  const FT_GlyphSlot glyph = face->glyph;
  const FT_Bitmap& bitmap = glyph->bitmap;
  if (bitmap.rows == 0 || bitmap.width == 0) return std::nullopt;
  if (bitmap.pixel_mode == FT_PIXEL_MODE_BGRA) return scaled_bitmap(bitmap, em);
  if (bitmap.pixel_mode != FT_PIXEL_MODE_GRAY && bitmap.pixel_mode != FT_PIXEL_MODE_MONO) {
    return std::nullopt;
  }
  GlyphPicture picture;
  picture.width = static_cast<int>(bitmap.width);
  picture.height = static_cast<int>(bitmap.rows);
  picture.left = glyph->bitmap_left;
  picture.top = glyph->bitmap_top;
  picture.advance = static_cast<int>((glyph->advance.x + 32) / 64);
  picture.pixels = pixels_of_gray(bitmap);
  return picture;
}

}  // namespace dlview::ui
