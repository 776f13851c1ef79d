// Glyphs as pixels, for characters that Dear ImGui does not bake: those beyond U+FFFF, and those
// that only a face of color bitmaps has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dlview::ui {

struct GlyphPicture {
  int width = 0, height = 0;     // pixels
  int left = 0, top = 0;         // from the pen to the left edge; from the base line up to the top
  int advance = 0;               // to the next pen
  bool is_colored = false;       // else white
  std::vector<uint32_t> pixels;  // rows from the top; 0xAABBGGRR, alpha not multiplied in
};

// A face of a font file, read by FreeType. The bytes outlive it.
class GlyphFace {
 public:
  // `number` as fontconfig has it: the face, and above 16 bits its named instance.
  GlyphFace(std::span<const unsigned char> file, int number);
  ~GlyphFace();
  GlyphFace(const GlyphFace&) = delete;
  GlyphFace& operator=(const GlyphFace&) = delete;

  bool is_readable() const;
  bool has(char32_t character) const;
  // At `em` pixels; a color bitmap is scaled to the height of a line of it. Nullopt when the face
  // lacks the character or FreeType cannot draw it.
  std::optional<GlyphPicture> picture(char32_t character, int em) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dlview::ui
