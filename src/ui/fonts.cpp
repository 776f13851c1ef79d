#include "ui/fonts.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include <imgui_freetype.h>

#include "embedded/dlview_fonts.h"
#include "ui/glyph_pictures.h"
#include "ui/imgui_compat.h"
#include "ui/stand_ins.h"

namespace dlview::ui {
namespace {

// Dear ImGui asks FreeType for ascender - descender = size; these turn an em into that height.
constexpr float kInterHeightPerEm = 1.2102f;
constexpr float kMonoHeightPerEm = 1.32f;
constexpr float kThinSpacePerEm = 0.22f;
constexpr ImWchar kThinSpace = 0x202f;

// Names can hold anything; the large figures are our own.
constexpr std::array<ImWchar, 21> kNames{0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff, 0x2000,
                                         0x206f, 0x2070, 0x209f, 0x20a0, 0x20bf, 0x2100, 0x214f,
                                         0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
constexpr std::array<ImWchar, 11> kFigures{0x0020, 0x017f, 0x0391, 0x03c9, 0x2010, 0x2044,
                                           0x2212, 0x2212, kBox,   kBox,   0};

// Joiners, marks of direction and variation selectors: they have no width, whatever a face says.
constexpr std::array<ImWchar, 11> kInvisible{0x200b, 0x200f, 0x202a, 0x202e, 0x2060, 0x206f,
                                             0xfe00, 0xfe0f, 0xfeff, 0xfeff, 0};

std::vector<ImWchar> invisible_characters() {
  std::vector<ImWchar> all;
  for (std::size_t i = 0; kInvisible[i] != 0; i += 2) {
    for (unsigned c = kInvisible[i]; c <= kInvisible[i + 1]; ++c) {
      all.push_back(static_cast<ImWchar>(c));
    }
  }
  return all;
}

// The steps of baking whose API Dear ImGui 1.92 changed. From then on a font is baked at each size
// that it is drawn in, at whole pixels, and a glyph when it is first asked for.
#if IMGUI_VERSION_NUM >= 19200

float bakeable(float height) {
  return std::round(height);
}

void use_freetype(ImFontAtlas& atlas) {
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
}

// A face of the system that FreeType cannot read was not added.
bool bake(ImFontAtlas&) {
  return true;
}

// With the digits, the thin space where the face has one, and what is invisible.
ImFontBaked& glyphs_of(ImFont& font) {
  ImFontBaked& baked = *font.GetFontBaked(font.LegacySize);
  for (ImWchar digit = '0'; digit <= '9'; ++digit) baked.FindGlyphNoFallback(digit);
  baked.FindGlyphNoFallback(kThinSpace);
  for (const ImWchar character : invisible_characters()) baked.FindGlyphNoFallback(character);
  return baked;
}

void add_blank(ImFont& font, ImWchar character, float advance) {
  font.ContainerAtlas->AddCustomRectFontGlyphForSize(&font, font.LegacySize, character, 1, 1,
                                                     advance);
  font.GetFontBaked(font.LegacySize)->FindGlyphNoFallback(character)->Visible = false;
}

// Glyphs that dlview draws itself. From 1.92 on there is a place in the texture at once.
class PictureGlyphs {
 public:
  explicit PictureGlyphs(ImFontAtlas& atlas) : atlas_(atlas) {}

  void add(ImFont& font, ImWchar character, GlyphPicture picture) {
    glyphs_.push_back({&font, character, std::move(picture)});
  }
  // After bake().
  void draw() {
    for (const Glyph& glyph : glyphs_) {
      ImFontBaked& baked = *glyph.font->GetFontBaked(glyph.font->LegacySize);
      const GlyphPicture& picture = glyph.picture;
      const ImVec2 offset{static_cast<float>(picture.left),
                          std::round(baked.Ascent) - static_cast<float>(picture.top)};
      const ImFontAtlasRectId id = atlas_.AddCustomRectFontGlyphForSize(
          glyph.font, glyph.font->LegacySize, glyph.character, picture.width, picture.height,
          static_cast<float>(picture.advance), offset);
      ImFontAtlasRect place;
      if (!atlas_.GetCustomRect(id, &place)) continue;
      for (int y = 0; y < picture.height; ++y) {
        std::memcpy(atlas_.TexData->GetPixelsAt(place.x, place.y + y),
                    &picture.pixels[static_cast<std::size_t>(y) * place.w],
                    place.w * sizeof(uint32_t));
      }
      baked.FindGlyphNoFallback(glyph.character)->Colored = picture.is_colored;
    }
  }

 private:
  struct Glyph {
    ImFont* font;
    ImWchar character;
    GlyphPicture picture;
  };
  ImFontAtlas& atlas_;
  std::vector<Glyph> glyphs_;
};

// Keeps the glyphs as they are now: without the flag Dear ImGui may bake them again.
void index_glyphs(ImFont& font) {
  ImFontBaked& baked = *font.GetFontBaked(font.LegacySize);
  for (const ImFontGlyph& glyph : baked.Glyphs) {
    baked.IndexAdvanceX[static_cast<int>(glyph.Codepoint)] = glyph.AdvanceX;
  }
  font.Flags |= ImFontFlags_LockBakedSizes;
}

#else

float bakeable(float height) {
  return height;
}

void use_freetype(ImFontAtlas& atlas) {
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
}

bool bake(ImFontAtlas& atlas) {
  return atlas.Build();
}

ImFont& glyphs_of(ImFont& font) {
  return font;
}

void add_blank(ImFont& font, ImWchar character, float advance) {
  font.AddGlyph(nullptr, character, 0, 0, 0, 0, 0, 0, 0, 0, advance);
}

void index_glyphs(ImFont& font) {
  font.BuildLookupTable();
}

// Glyphs that dlview draws itself. Their places in the texture are reserved before it is made.
class PictureGlyphs {
 public:
  explicit PictureGlyphs(ImFontAtlas& atlas) : atlas_(atlas) {}

  // Before bake().
  void add(ImFont& font, ImWchar character, GlyphPicture picture) {
    const int id = atlas_.AddCustomRectFontGlyph(&font, character, picture.width, picture.height,
                                                 static_cast<float>(picture.advance), {0, 0});
    glyphs_.push_back({&font, character, id, std::move(picture)});
  }
  // After it.
  void draw() {
    if (glyphs_.empty()) return;
    unsigned char* bytes = nullptr;
    int texture_width = 0, texture_height = 0;
    atlas_.GetTexDataAsRGBA32(&bytes, &texture_width, &texture_height);
    for (const Glyph& glyph : glyphs_) {
      const GlyphPicture& picture = glyph.picture;
      const ImFontAtlasCustomRect& place = *atlas_.GetCustomRectByIndex(glyph.id);
      for (int y = 0; y < picture.height; ++y) {
        const auto pixel =
            static_cast<std::size_t>(place.Y + y) * static_cast<std::size_t>(texture_width) +
            place.X;
        std::memcpy(bytes + pixel * sizeof(uint32_t),
                    &picture.pixels[static_cast<std::size_t>(y * picture.width)],
                    static_cast<std::size_t>(picture.width) * sizeof(uint32_t));
      }
      finish(glyph);
    }
  }

 private:
  struct Glyph {
    ImFont* font;
    ImWchar character;
    int id;
    GlyphPicture picture;
  };
  // The ascent is known only now.
  static void finish(const Glyph& glyph) {
    ImVector<ImFontGlyph>& glyphs = glyph.font->Glyphs;
    auto* added = std::find_if(glyphs.begin(), glyphs.end(), [&](const ImFontGlyph& other) {
      return other.Codepoint == glyph.character;
    });
    if (added == glyphs.end()) return;
    const float left = static_cast<float>(glyph.picture.left);
    const float top = std::round(glyph.font->Ascent) - static_cast<float>(glyph.picture.top);
    added->X0 += left;
    added->X1 += left;
    added->Y0 += top;
    added->Y1 += top;
    added->Colored = glyph.picture.is_colored;
  }

  ImFontAtlas& atlas_;
  std::vector<Glyph> glyphs_;
};

#endif

ImFont* add_face(ImFontAtlas& atlas, std::span<const unsigned char> file, float height,
                 const ImWchar* ranges) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.PixelSnapH = true;
  // Dear ImGui only reads from data that it does not own.
  auto* data = const_cast<unsigned char*>(file.data());
  return atlas.AddFontFromMemoryTTF(data, static_cast<int>(file.size()), bakeable(height), &config,
                                    ranges);
}

// Into the face that was added last.
void merge_face(ImFontAtlas& atlas, const SystemFace& face, float height) {
  if (face.characters.empty()) return;
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = true;
  config.PixelSnapH = true;
  config.FontNo = face.number;
  auto* data = const_cast<unsigned char*>(face.file->data());
  atlas.AddFontFromMemoryTTF(data, static_cast<int>(face.file->size()), bakeable(height), &config,
                             face.characters.data());
}

bool is_digit(const ImFontGlyph& glyph) {
  return glyph.Codepoint >= '0' && glyph.Codepoint <= '9';
}

// Gives the digits the widest digit's advance, each centered in it, and the thin space its width.
void even_out(ImFont& font, float em) {
  auto& glyphs = glyphs_of(font);
  float widest = 0;
  for (const ImFontGlyph& glyph : glyphs.Glyphs) {
    if (is_digit(glyph)) widest = std::max(widest, glyph.AdvanceX);
  }
  bool has_thin_space = false;
  const float thin_space = std::max(2.0f, std::round(em * kThinSpacePerEm));
  const std::vector<ImWchar> invisible = invisible_characters();
  for (ImFontGlyph& glyph : glyphs.Glyphs) {
    if (is_digit(glyph)) {
      const float shift = std::floor((widest - glyph.AdvanceX) / 2);
      glyph.X0 += shift;
      glyph.X1 += shift;
      glyph.AdvanceX = widest;
    } else if (glyph.Codepoint == kThinSpace) {
      glyph.AdvanceX = thin_space;
      has_thin_space = true;
    } else if (std::ranges::find(invisible, glyph.Codepoint) != invisible.end()) {
      glyph.AdvanceX = 0;
      glyph.Visible = 0;
    }
  }
  if (!has_thin_space) add_blank(font, kThinSpace, thin_space);
  for (const ImWchar character : invisible) {
    if (glyphs.FindGlyphNoFallback(character) == nullptr) add_blank(font, character, 0);
  }
  // What a face lacks shows as a box: a "?" would read as part of the name.
  if (glyphs.FindGlyphNoFallback(kBox) != nullptr) font.FallbackChar = kBox;
  index_glyphs(font);
}

// The stand-ins of the characters beyond U+FFFF: from the last private-use character down, without
// those that a face gives a glyph.
StandIns choose_stand_ins(std::span<const SystemFace> faces) {
  std::set<ImWchar> taken;
  for (const SystemFace& face : faces) {
    for (std::size_t i = 0; i + 1 < face.characters.size(); i += 2) {
      for (unsigned c = face.characters[i]; c <= face.characters[i + 1]; ++c) {
        if (c >= kFirstPrivate && c <= kLastPrivate) taken.insert(static_cast<ImWchar>(c));
      }
    }
  }
  StandIns stand_ins;
  char16_t next = kLastPrivate;
  for (const SystemFace& face : faces) {
    for (const char32_t character : face.pictures) {
      while (next >= kFirstPrivate && taken.contains(next)) --next;
      if (next < kFirstPrivate) return stand_ins;
      if (character > 0xffff) stand_ins.emplace(character, next--);
    }
  }
  return stand_ins;
}

constexpr std::size_t kPlaneSize = 0x10000;

// Those that bake_fonts() bakes into all faces of names.
std::bitset<kPlaneSize> characters_of_own_faces() {
  const GlyphFace regular(fonts::inter_regular(), 0), semibold(fonts::inter_semibold(), 0),
      mono(fonts::jetbrains_mono(), 0);
  std::bitset<kPlaneSize> found;
  for (std::size_t i = 0; kNames[i] != 0; i += 2) {
    for (char32_t c = kNames[i]; c <= kNames[i + 1]; ++c) {
      found[c] = regular.has(c) && semibold.has(c) && mono.has(c);
    }
  }
  found.set(kThinSpace);
  for (const ImWchar character : invisible_characters()) found.set(character);
  return found;
}

// Adds the pictures of all faces to the font, whose letters have `em` pixels.
void add_pictures(PictureGlyphs& glyphs, std::span<const SystemFace> faces,
                  const StandIns& stand_ins, ImFont& font, float em) {
  for (const SystemFace& face : faces) {
    if (face.pictures.empty()) continue;
    const GlyphFace drawn(*face.file, face.number);
    for (const char32_t character : face.pictures) {
      const auto stand_in = stand_ins.find(character);
      if (character > 0xffff && stand_in == stand_ins.end()) continue;
      auto picture = drawn.picture(character, static_cast<int>(std::lround(em)));
      if (!picture || picture->width == 0 || picture->height == 0) continue;
      const char32_t baked = character > 0xffff ? stand_in->second : character;
      glyphs.add(font, static_cast<ImWchar>(baked), std::move(*picture));
    }
  }
}

}  // namespace

Fonts bake_fonts(ImFontAtlas& atlas, float scale, std::span<const SystemFace> more) {
  atlas.Clear();
  use_freetype(atlas);
  atlas.TexGlyphPadding = 1;
  const auto of_names = [&](auto file, float height) {
    ImFont* font = add_face(atlas, file, height, kNames.data());
    for (const SystemFace& face : more) merge_face(atlas, face, height);
    return font;
  };
  const float inter = kInterHeightPerEm * scale;
  Fonts fonts;
  fonts.text = of_names(fonts::inter_regular(), 13 * inter);
  fonts.strong = of_names(fonts::inter_semibold(), 13 * inter);
  fonts.figure = add_face(atlas, fonts::inter_semibold(), 25 * inter, kFigures.data());
  fonts.small = of_names(fonts::inter_regular(), 12 * inter);
  fonts.mono = of_names(fonts::jetbrains_mono(), 12 * kMonoHeightPerEm * scale);
  StandIns stand_ins = choose_stand_ins(more);
  PictureGlyphs pictures(atlas);
  add_pictures(pictures, more, stand_ins, *fonts.text, 13 * scale);
  add_pictures(pictures, more, stand_ins, *fonts.strong, 13 * scale);
  add_pictures(pictures, more, stand_ins, *fonts.small, 12 * scale);
  add_pictures(pictures, more, stand_ins, *fonts.mono, 12 * scale);
  // A face of the system that FreeType cannot read is no reason to have none.
  if (!bake(atlas) && !more.empty()) return bake_fonts(atlas, scale);
  pictures.draw();
  use_stand_ins(std::move(stand_ins));
  even_out(*fonts.text, 13 * scale);
  even_out(*fonts.strong, 13 * scale);
  even_out(*fonts.figure, 25 * scale);
  even_out(*fonts.small, 12 * scale);
  even_out(*fonts.mono, 12 * scale);
  return fonts;
}

bool is_in_own_faces(char32_t character) {
  static const std::bitset<kPlaneSize> kOwn = characters_of_own_faces();
  return character < kPlaneSize && kOwn.test(character);
}

}  // namespace dlview::ui
