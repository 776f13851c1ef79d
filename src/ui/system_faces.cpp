#include "ui/system_faces.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <filesystem>
#include <fontconfig/fontconfig.h>
#include <fstream>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "base/utf8.h"
#include "embedded/dlview_fonts.h"
#include "ui/fonts.h"
#include "ui/glyph_pictures.h"

namespace dlview::ui {
namespace {

constexpr std::size_t kMostCharacters = 4096;
constexpr std::size_t kCharacterCount = 0x110000;  // of Unicode
constexpr char32_t kLastBakeable = 0xffff;         // of a 16-bit ImWchar
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;

using Characters = std::bitset<kCharacterCount>;

// The character that the text begins with; the text is valid UTF-8 of that length.
char32_t decode(std::string_view text, std::size_t length) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  char32_t character = byte(0) & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3fu);
  return character;
}

// Adds characters that begin in bytes [begin, end). Skips the rest of a character that begins
// before.
void add_foreign_characters(std::string_view texts, std::size_t begin, std::size_t end,
                            Characters& found) {
  while (begin < end) {
    begin += base::ascii_length(texts.substr(begin, end - begin));
    if (begin == end) return;
    const std::string_view text = texts.substr(begin);
    const std::size_t length = base::utf8_length(text);
    if (length > 0) {
      const char32_t character = decode(text, length);
      if (!is_in_own_faces(character)) found.set(character);
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

// All fonts without color, then those with color; of both first those that have the characters and
// look most like a sans serif.
FontSet sorted_fonts(std::span<const char32_t> characters) {
  const CharSet wanted(FcCharSetCreate());
  for (const char32_t character : characters) FcCharSetAddChar(wanted.get(), character);
  const Pattern pattern(FcPatternCreate());
  FcPatternAddCharSet(pattern.get(), FC_CHARSET, wanted.get());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcPatternAddBool(pattern.get(), FC_COLOR, FcFalse);
  // A named instance of a variable font has the weight that is asked for.
  FcPatternAddBool(pattern.get(), FC_VARIABLE, FcFalse);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultMatch;
  return FontSet(FcFontSort(nullptr, pattern.get(), FcTrue, nullptr, &result));
}

// Takes from `missing` the characters that has() knows.
template <typename Has>
SystemFace take_characters(std::vector<char32_t>& missing, bool is_bakeable, const Has& has) {
  SystemFace face;
  std::vector<ImWchar>& ranges = face.characters;
  std::erase_if(missing, [&](char32_t character) {
    if (!has(character)) return false;
    if (!is_bakeable || character > kLastBakeable) {
      face.pictures.push_back(character);
    } else if (!ranges.empty() && ranges.back() + 1U == character) {
      ranges.back() = static_cast<ImWchar>(character);
    } else {
      ranges.insert(ranges.end(), 2, static_cast<ImWchar>(character));
    }
    return true;
  });
  if (!ranges.empty()) ranges.push_back(0);
  return face;
}

bool is_empty(const SystemFace& face) {
  return face.characters.empty() && face.pictures.empty();
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

// What only one of the product's faces has, for the others.
void add_own_faces(std::vector<char32_t>& missing, std::vector<SystemFace>& faces) {
  for (const auto file : {fonts::inter_regular(), fonts::jetbrains_mono()}) {
    const GlyphFace glyphs(file, 0);
    SystemFace face = take_characters(missing, true, [&](char32_t c) { return glyphs.has(c); });
    if (is_empty(face)) continue;
    face.file = std::make_shared<const std::vector<unsigned char>>(file.begin(), file.end());
    faces.push_back(std::move(face));
  }
}

// Nothing where the font has none of the characters or cannot be read.
std::optional<SystemFace> face_of(const FcPattern& font, std::vector<char32_t>& missing) {
  FcBool has_outline = FcFalse, has_color = FcFalse;
  FcPatternGetBool(&font, FC_OUTLINE, 0, &has_outline);
  FcPatternGetBool(&font, FC_COLOR, 0, &has_color);
  FcChar8* path = nullptr;
  FcCharSet* known = nullptr;
  int number = 0;
  if (FcPatternGetString(&font, FC_FILE, 0, &path) != FcResultMatch ||
      FcPatternGetInteger(&font, FC_INDEX, 0, &number) != FcResultMatch ||
      FcPatternGetCharSet(&font, FC_CHARSET, 0, &known) != FcResultMatch) {
    return std::nullopt;
  }
  std::vector<char32_t> rest = missing;
  const bool is_bakeable = has_outline != FcFalse && has_color == FcFalse;
  SystemFace face = take_characters(
      rest, is_bakeable, [known](char32_t c) { return FcCharSetHasChar(known, c) != FcFalse; });
  if (is_empty(face)) return std::nullopt;
  face.file = read_file(reinterpret_cast<const char*>(path));
  if (face.file == nullptr || face.file->empty()) return std::nullopt;
  // fontconfig numbers the variable font itself, of no instance, 0x8000.
  face.number = (number >> 16 & 0xffff) == 0x8000 ? number & 0xffff : number;
  if (!GlyphFace(*face.file, face.number).is_readable()) return std::nullopt;
  missing = std::move(rest);
  return face;
}

}  // namespace

std::vector<char32_t> foreign_characters(const profile::Profile& profile) {
  const auto found = std::make_unique<Characters>();
  std::mutex mutex;  // of found
  const auto bytes = profile.strings.bytes().span();
  const std::string_view texts(bytes.data(), bytes.size());
  base::parallel_for(texts.size(), kBytesAtOnce, [&](std::size_t begin, std::size_t end) {
    const auto here = std::make_unique<Characters>();
    add_foreign_characters(texts, begin, end, *here);
    const std::lock_guard lock(mutex);
    *found |= *here;
  });
  std::vector<char32_t> characters;
  if (found->none()) return characters;
  for (std::size_t c = 0; c < kCharacterCount && characters.size() < kMostCharacters; ++c) {
    if (found->test(c)) characters.push_back(static_cast<char32_t>(c));
  }
  return characters;
}

std::vector<SystemFace> find_system_faces(std::span<const char32_t> characters) {
  std::vector<SystemFace> faces;
  std::vector<char32_t> missing(characters.begin(), characters.end());
  if (!missing.empty()) add_own_faces(missing, faces);
  if (missing.empty()) return faces;
  const FontSet fonts = sorted_fonts(missing);
  for (int i = 0; fonts && i < fonts->nfont && !missing.empty(); ++i) {
    if (auto face = face_of(*fonts->fonts[i], missing)) faces.push_back(std::move(*face));
  }
  return faces;
}

}  // namespace dlview::ui
