#include "ui/system_faces.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded/dlview_fonts.h"
#include "support/imgui_frames.h"
#include "support/sketch.h"
#include "ui/fonts.h"
#include "ui/glyph_pictures.h"
#include "ui/imgui_compat.h"
#include "ui/stand_ins.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<char32_t> characters_of(std::string_view name) {
  testing::Sketch sketch;
  sketch.op(name);
  return foreign_characters(*sketch.finish());
}

TEST(ForeignCharacters, AreThoseThatTheOwnFacesAreNotBakedWith) {
  EXPECT_THAT(characters_of("/net/forward"), IsEmpty());
  EXPECT_THAT(characters_of("é ß λ Ж → ≥ □ \u202f"), IsEmpty());
  EXPECT_THAT(characters_of("层/注意/层 ب"), ElementsAre(0x0628, 0x5c42, 0x610f, 0x6ce8));
}

TEST(ForeignCharacters, AreFoundBeyondTheFirstPlane) {
  EXPECT_THAT(characters_of("\U0001f525 \u4e2d \U00020000"), ElementsAre(0x4e2d, 0x1f525, 0x20000));
}

TEST(ForeignCharacters, LeaveOutWhatIsInvisible) {
  EXPECT_THAT(characters_of("a\u200db\ufe0fc\ufeff"), IsEmpty());
}

// Inter has many more symbols than JetBrains Mono, which draws names in tables.
TEST(ForeignCharacters, AreThoseThatOneOfTheFacesLacks) {
  const GlyphFace regular(fonts::inter_regular(), 0), mono(fonts::jetbrains_mono(), 0);
  for (char32_t c = 0x2190; c < 0x2300; ++c) {
    EXPECT_EQ(is_in_own_faces(c), regular.has(c) && mono.has(c)) << std::hex << uint32_t{c};
  }
}

// In texts so long that several threads look through them, each at a piece that begins anywhere.
TEST(ForeignCharacters, AreFoundWhereverTheyStand) {
  std::string name;
  for (char32_t c = 0x4e00; c < 0x4e00 + 4000; ++c) {
    name.append(c * 7 % 1031, 'a');
    name += static_cast<char>(0xe0 | c >> 12);
    name += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    name += static_cast<char>(0x80 | (c & 0x3f));
  }
  ASSERT_GT(name.size(), 2'000'000);
  const std::vector<char32_t> found = characters_of(name);
  ASSERT_EQ(found.size(), 4000);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 0x4e00 + i);
}

// Which scripts a system can show is its own matter; what it has is found whole.
TEST(SystemFaces, HaveEachCharacterOnceAndOnlyThoseAskedFor) {
  const std::vector<char32_t> wanted{0x0531, 0x0532, 0x0628, 0x10d0, 0x4e2d, 0xe000, 0x1f525};
  std::vector<char32_t> found;
  for (const SystemFace& face : find_system_faces(wanted)) {
    EXPECT_FALSE(face.file->empty());
    found.insert(found.end(), face.pictures.begin(), face.pictures.end());
    if (face.characters.empty()) continue;
    ASSERT_EQ(face.characters.size() % 2, 1U);
    EXPECT_EQ(face.characters.back(), 0);
    for (std::size_t i = 0; face.characters[i] != 0; i += 2) {
      for (unsigned c = face.characters[i]; c <= face.characters[i + 1]; ++c) {
        found.push_back(c);
      }
    }
  }
  std::ranges::sort(found);
  EXPECT_TRUE(std::ranges::includes(wanted, found));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  EXPECT_THAT(find_system_faces({}), IsEmpty());
}

TEST(SystemFaces, GiveTheFacesOfNamesTheirGlyphs) {
  const std::vector<char32_t> wanted{0x0531, 0x0628, 0x4e2d};
  const std::vector<SystemFace> faces = find_system_faces(wanted);
  if (faces.empty() || faces.front().characters.empty())
    GTEST_SKIP() << "no font of this system has these letters";
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1, faces);
  const ImWchar letter = faces.front().characters.front();
  for (ImFont* font : {fonts.text, fonts.strong, fonts.small, fonts.mono}) {
    EXPECT_NE(testing::glyph_of(*font, letter), nullptr);
#if IMGUI_VERSION_NUM < 19200  // later ones load what the face has
    EXPECT_EQ(testing::glyph_of(*font, 0x4e00), nullptr) << "it does not occur";
#endif
  }
  EXPECT_EQ(testing::glyph_of(*fonts.figure, letter), nullptr) << "figures are the product's own";
}

TEST(SystemFaces, ThatCannotBeReadAreNoReasonToHaveNone) {
  const SystemFace broken{
      std::make_shared<const std::vector<unsigned char>>(1000, 'x'), 0, {0x4e2d, 0x4e2d, 0}};
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 1, {&broken, 1});
  EXPECT_NE(testing::glyph_of(*fonts.text, 'a'), nullptr);
}

// A glyph that all systems have stands for a character that only some have.
SystemFace face_with_picture(char32_t character) {
  const auto mono = fonts::jetbrains_mono();
  return {std::make_shared<const std::vector<unsigned char>>(mono.begin(), mono.end()),
          0,
          {},
          {character}};
}

TEST(Pictures, GiveCharactersTheirGlyphs) {
  constexpr char32_t kBlock = 0x2588;  // as high as the line
  const SystemFace face = face_with_picture(kBlock);
  ASSERT_TRUE(GlyphFace(*face.file, 0).has(kBlock));
  ImFontAtlas atlas;
  const Fonts fonts = bake_fonts(atlas, 2, {&face, 1});
  const ImFontGlyph* glyph = testing::glyph_of(*fonts.small, kBlock);
  ASSERT_NE(glyph, nullptr);
  EXPECT_GT(glyph->X1 - glyph->X0, 10);
  EXPECT_GT(glyph->Y1 - glyph->Y0, 20);
  EXPECT_NEAR((glyph->Y0 + glyph->Y1) / 2, font_size(fonts.small) / 2, 3);
  EXPECT_EQ(testing::glyph_of(*fonts.figure, kBlock), nullptr);
}

TEST(Pictures, HaveTheInkOfTheirCharacter) {
  const GlyphFace face(fonts::jetbrains_mono(), 0);
  const auto dot = face.picture('.', 40), letter = face.picture('M', 40);
  ASSERT_TRUE(dot && letter);
  EXPECT_EQ(letter->pixels.size(),
            static_cast<std::size_t>(letter->width) * static_cast<std::size_t>(letter->height));
  EXPECT_FALSE(letter->is_colored);
  EXPECT_GT(letter->height, 2 * dot->height);
  EXPECT_EQ(letter->top, letter->height) << "it stands on the base line";
  EXPECT_TRUE(std::ranges::any_of(letter->pixels, [](uint32_t p) { return p == 0xffffffffu; }));
  EXPECT_FALSE(face.picture(0x4e2d, 40)) << "the face lacks it";
}

TEST(Pictures, NeedAReadableFace) {
  const std::vector<unsigned char> broken(1000, 'x');
  const GlyphFace face(broken, 0);
  EXPECT_FALSE(face.is_readable());
  EXPECT_FALSE(face.has('a'));
  EXPECT_FALSE(face.picture('a', 20));
}

TEST(StandIns, ReplaceCharactersOfFourBytes) {
  use_stand_ins({{0x1f525, 0xf8ff}, {0x20000, 0xf8fe}});
  std::string buffer;
  EXPECT_EQ(with_stand_ins("a \U0001f525 中\U00020000", buffer), "a \uf8ff 中\uf8fe");
  EXPECT_EQ(with_stand_ins("\U0001f4a9", buffer), "\U0001f4a9") << "no face has it";
  EXPECT_EQ(with_stand_ins("\xf0\x9f x", buffer), "\xf0\x9f x") << "no UTF-8";
  EXPECT_EQ(with_stand_ins("\uf8ff \ue000", buffer), "\u25a1 \ue000")
      << "its own, unlike the flame";
  const std::string_view plain = "net/层";
  EXPECT_EQ(with_stand_ins(plain, buffer).data(), plain.data()) << "nothing is copied";
  use_stand_ins({});
}

TEST(StandIns, FollowTheFontsBakedLast) {
  SystemFace face = face_with_picture(0x1f525);
  face.characters = {0xf8ff, 0xf8ff, 0};  // a private-use character of the texts
  ImFontAtlas atlas;
  bake_fonts(atlas, 1, {&face, 1});
  std::string buffer;
  EXPECT_EQ(with_stand_ins("\U0001f525", buffer), "\uf8fe");
  bake_fonts(atlas, 1);
  EXPECT_EQ(with_stand_ins("\U0001f525", buffer), "\U0001f525");
}

}  // namespace
}  // namespace dlview::ui
