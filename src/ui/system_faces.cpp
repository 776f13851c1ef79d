#include "ui/system_faces.h"

#include <algorithm>
#include <bitset>
#include <filesystem>
#include <fontconfig/fontconfig.h>
#include <fstream>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "base/utf8.h"
#include "ui/fonts.h"

namespace dlview::ui {
namespace {

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
    // FreeType gives Dear ImGui no bitmaps and no colours.
    FcBool has_outline = FcFalse, has_colour = FcFalse;
    FcPatternGetBool(&font, FC_OUTLINE, 0, &has_outline);
    FcPatternGetBool(&font, FC_COLOR, 0, &has_colour);
    if (has_outline == FcFalse || has_colour != FcFalse) continue;
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
