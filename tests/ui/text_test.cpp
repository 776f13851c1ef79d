#include "ui/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;

// Every character is one unit wide.
float characters(std::string_view text) {
  float count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1.0f : 0.0f;
  return count;
}

TEST(CutText, LeavesTextThatFits) {
  EXPECT_EQ(cut_text("conv2d", 6, CutAt::front, characters), "conv2d");
}

TEST(CutText, CutsAPathAtItsFrontAndANameInItsMiddle) {
  EXPECT_EQ(cut_text("/module/net/conv2d", 8, CutAt::front, characters), "…/conv2d");
  EXPECT_EQ(cut_text("sm80_xmma_gemm_nn", 9, CutAt::middle, characters), "sm80…m_nn");
}

TEST(CutText, KeepsAsMuchAsFitsAtEveryWidth) {
  const std::string text = "abcdefghijklmnop";
  for (int width = 1; width < 16; ++width) {
    EXPECT_EQ(characters(cut_text(text, static_cast<float>(width), CutAt::middle, characters)),
              width);
  }
}

TEST(CutText, ShowsAtLeastTheEllipsis) {
  EXPECT_EQ(cut_text("conv2d", 0, CutAt::front, characters), "…");
}

TEST(CutText, KeepsCharactersOfSeveralBytesWhole) {
  EXPECT_EQ(cut_text("ÄÖÜäöüß", 4, CutAt::middle, characters), "ÄÖ…ß");
  EXPECT_EQ(cut_text("ÄÖÜäöüß", 4, CutAt::front, characters), "…öüß");
}

TEST(FindLinks, SplitsProseAtAddresses) {
  EXPECT_THAT(find_links("See https://a.example/x?y=1. Then rest"),
              ElementsAre(TextSpan{"See ", ""},
                          TextSpan{"https://a.example/x?y=1", "https://a.example/x?y=1"},
                          TextSpan{". Then rest", ""}));
}

TEST(FindLinks, LeavesTextWithoutAddressesWhole) {
  EXPECT_THAT(find_links("no link"), ElementsAre(TextSpan{"no link", ""}));
  EXPECT_TRUE(find_links("").empty());
}

}  // namespace
}  // namespace dlview::ui
