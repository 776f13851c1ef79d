#include "ui/fonts.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <filesystem>
#include <fontconfig/fontconfig.h>
#include <fstream>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include <imgui_freetype.h>

#include "base/parallel.h"
#include "base/utf8.h"
#include "embedded/dlview_fonts.h"
#include "ui/imgui_compat.h"

namespace dlview::ui {
namespace {

// Dear ImGui asks FreeType for ascender - descender = size; these turn an em into that height.
constexpr float kInterHeightPerEm = 1.2102f;
constexpr float kMonoHeightPerEm = 1.32f;
constexpr float kThinSpacePerEm = 0.22f;
constexpr ImWchar kThinSpace = 0x202f;
constexpr ImWchar kBox = 0x25a1;

// Names can hold anything; the large figures are our own.
constexpr std::array<ImWchar, 21> kNames{0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff, 0x2000,
                                         0x206f, 0x2070, 0x209f, 0x20a0, 0x20bf, 0x2100, 0x214f,
                                         0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
constexpr std::array<ImWchar, 9> kFigures{0x0020, 0x017f, 0x0391, 0x03c9, 0x2010,
                                          0x2044, kBox,   kBox,   0};

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

// With the digits, and the thin space where the face has one.
ImFontBaked& glyphs_of(ImFont& font) {
  ImFontBaked& baked = *font.GetFontBaked(font.LegacySize);
  for (ImWchar digit = '0'; digit <= '9'; ++digit) baked.FindGlyphNoFallback(digit);
  baked.FindGlyphNoFallback(kThinSpace);
  return baked;
}

void add_blank(ImFont& font, ImWchar character, float advance) {
  font.ContainerAtlas->AddCustomRectFontGlyphForSize(&font, font.LegacySize, character, 1, 1,
                                                     advance);
  font.GetFontBaked(font.LegacySize)->FindGlyphNoFallback(character)->Visible = false;
}

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
  for (ImFontGlyph& glyph : glyphs.Glyphs) {
    if (is_digit(glyph)) {
      const float shift = std::floor((widest - glyph.AdvanceX) / 2);
      glyph.X0 += shift;
      glyph.X1 += shift;
      glyph.AdvanceX = widest;
    } else if (glyph.Codepoint == kThinSpace) {
      glyph.AdvanceX = thin_space;
      has_thin_space = true;
    }
  }
  if (!has_thin_space) add_blank(font, kThinSpace, thin_space);
  // What a face lacks shows as a box: a "?" would read as part of the name.
  if (glyphs.FindGlyphNoFallback(kBox) != nullptr) font.FallbackChar = kBox;
  index_glyphs(font);
}

constexpr std::size_t kMostCharacters = 4096;
constexpr std::size_t kPlaneSize = 0x10000;
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;

// The character that the text begins with; the text is valid UTF-8 of that length.
char32_t decode(std::string_view text, std::size_t length) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  char32_t character = byte(0) & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3fu);
  return character;
}

// Whether the faces of names are baked with the character without faces of the system.
bool has_own_glyph(char32_t character) {
  for (std::size_t i = 0; kNames[i] != 0; i += 2) {
    if (kNames[i] <= character && character <= kNames[i + 1]) return true;
  }
  return false;
}

// Those that begin in bytes [begin, end): what a piece begins in the middle of, it passes over.
void add_foreign_characters(std::string_view texts, std::size_t begin, std::size_t end,
                            std::bitset<kPlaneSize>& found) {
  while (begin < end) {
    begin += base::ascii_length(texts.substr(begin, end - begin));
    if (begin == end) return;
    const std::string_view text = texts.substr(begin);
    const std::size_t length = base::utf8_length(text);
    if (length > 0) {
      const char32_t character = decode(text, length);
      if (character < kPlaneSize && !has_own_glyph(character)) found.set(character);
    }
    begin += std::max<std::size_t>(length, 1);
  }
}

template <auto destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using CharSet = std::unique_ptr<FcCharSet, Destroyer<FcCharSetDestroy>>;
using Pattern = std::unique_ptr<FcPattern, Destroyer<FcPatternDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Destroyer<FcFontSetDestroy>>;

// All fonts, those first that have the characters and look most like a sans serif.
FontSet sorted_fonts(std::span<const ImWchar> characters) {
  const CharSet wanted(FcCharSetCreate());
  for (const ImWchar character : characters) FcCharSetAddChar(wanted.get(), character);
  const Pattern pattern(FcPatternCreate());
  FcPatternAddCharSet(pattern.get(), FC_CHARSET, wanted.get());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultMatch;
  return FontSet(FcFontSort(nullptr, pattern.get(), FcTrue, nullptr, &result));
}

// Takes the characters that the font has from `missing`, as ranges.
std::vector<ImWchar> take_characters(const FcPattern& font, std::vector<ImWchar>& missing) {
  FcCharSet* known = nullptr;
  if (FcPatternGetCharSet(&font, FC_CHARSET, 0, &known) != FcResultMatch) return {};
  std::vector<ImWchar> ranges;
  std::erase_if(missing, [&](ImWchar character) {
    if (FcCharSetHasChar(known, character) == FcFalse) return false;
    if (!ranges.empty() && ranges.back() + 1 == character) {
      ranges.back() = character;
    } else {
      ranges.insert(ranges.end(), {character, character});
    }
    return true;
  });
  if (!ranges.empty()) ranges.push_back(0);
  return ranges;
}

std::shared_ptr<const std::vector<unsigned char>> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (!in || unknown) return nullptr;
  std::vector<unsigned char> bytes(size);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in) return nullptr;
  return std::make_shared<const std::vector<unsigned char>>(std::move(bytes));
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
  // A face of the system that FreeType cannot read is no reason to have none.
  if (!bake(atlas) && !more.empty()) return bake_fonts(atlas, scale);
  even_out(*fonts.text, 13 * scale);
  even_out(*fonts.strong, 13 * scale);
  even_out(*fonts.figure, 25 * scale);
  even_out(*fonts.small, 12 * scale);
  even_out(*fonts.mono, 12 * scale);
  return fonts;
}

std::vector<ImWchar> foreign_characters(const profile::Profile& profile) {
  std::bitset<kPlaneSize> found;
  std::mutex mutex;  // of found
  const auto bytes = profile.strings.bytes().span();
  const std::string_view texts(bytes.data(), bytes.size());
  base::parallel_for(texts.size(), kBytesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::bitset<kPlaneSize> here;
    add_foreign_characters(texts, begin, end, here);
    const std::lock_guard lock(mutex);
    found |= here;
  });
  std::vector<ImWchar> characters;
  for (std::size_t c = 0; c < kPlaneSize && characters.size() < kMostCharacters; ++c) {
    if (found.test(c)) characters.push_back(static_cast<ImWchar>(c));
  }
  return characters;
}

std::vector<SystemFace> find_system_faces(std::span<const ImWchar> characters) {
  std::vector<SystemFace> faces;
  if (characters.empty()) return faces;
  const FontSet fonts = sorted_fonts(characters);
  std::vector<ImWchar> missing(characters.begin(), characters.end());
  for (int i = 0; fonts && i < fonts->nfont && !missing.empty(); ++i) {
    const FcPattern& font = *fonts->fonts[i];
    // FreeType gives Dear ImGui no bitmaps and no colors.
    FcBool has_outline = FcFalse, has_color = FcFalse;
    FcPatternGetBool(&font, FC_OUTLINE, 0, &has_outline);
    FcPatternGetBool(&font, FC_COLOR, 0, &has_color);
    if (has_outline == FcFalse || has_color != FcFalse) continue;
    FcChar8* path = nullptr;
    SystemFace face;
    if (FcPatternGetString(&font, FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetInteger(&font, FC_INDEX, 0, &face.number) != FcResultMatch) {
      continue;
    }
    std::vector<ImWchar> before = missing;
    face.characters = take_characters(font, missing);
    if (face.characters.empty()) continue;
    face.file = read_file(reinterpret_cast<const char*>(path));
    if (face.file == nullptr || face.file->empty()) {
      missing = std::move(before);
      continue;
    }
    faces.push_back(std::move(face));
  }
  return faces;
}

}  // namespace dlview::ui
