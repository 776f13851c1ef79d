#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/imgui_frames.h"
#include "support/sketch.h"
#include "ui/fonts.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<ImWchar> characters_of(std::string_view name) {
  testing::Sketch sketch;
  sketch.op(name);
  return foreign_characters(*sketch.finish());
}

TEST(ForeignCharacters, AreThoseThatTheOwnFacesAreNotBakedWith) {
  EXPECT_THAT(characters_of("/net/forward"), IsEmpty());
  EXPECT_THAT(characters_of("é ß λ Ж → ≥ □ \u202f"), IsEmpty());
  EXPECT_THAT(characters_of("层/注意/层 ب"), ElementsAre(0x0628, 0x5c42, 0x610f, 0x6ce8));
}

TEST(ForeignCharacters, LeaveOutWhatHasNoPlaceInTheAtlas) {
  EXPECT_THAT(characters_of("\U0001f525 \u4e2d"), ElementsAre(0x4e2d));
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
  const std::vector<ImWchar> found = characters_of(name);
  ASSERT_EQ(found.size(), 4000);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 0x4e00 + i);
}

// Which scripts a system can show is its own matter; what it has is found whole.
TEST(SystemFaces, HaveEachCharacterOnceAndOnlyThoseAskedFor) {
  const std::vector<ImWchar> wanted{0x0531, 0x0532, 0x0628, 0x10d0, 0x4e2d, 0xe000};
  std::vector<ImWchar> found;
  for (const SystemFace& face : find_system_faces(wanted)) {
    ASSERT_EQ(face.characters.size() % 2, 1U);
    EXPECT_EQ(face.characters.back(), 0);
    EXPECT_FALSE(face.file->empty());
    for (std::size_t i = 0; face.characters[i] != 0; i += 2) {
      for (unsigned c = face.characters[i]; c <= face.characters[i + 1]; ++c) {
        found.push_back(static_cast<ImWchar>(c));
      }
    }
  }
  std::ranges::sort(found);
  EXPECT_TRUE(std::ranges::includes(wanted, found));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  EXPECT_THAT(find_system_faces({}), IsEmpty());
}

TEST(SystemFaces, GiveTheFacesOfNamesTheirGlyphs) {
  const std::vector<ImWchar> wanted{0x0531, 0x0628, 0x4e2d};
  const std::vector<SystemFace> faces = find_system_faces(wanted);
  if (faces.empty()) GTEST_SKIP() << "no font of this system has these letters";
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

}  // namespace
}  // namespace dlview::ui
