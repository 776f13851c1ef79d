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
  EXPECT_EQ(cut_text("GPU 0, in read, then add", 15, CutAt::end, characters), "GPU 0, in read…");
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
  EXPECT_EQ(cut_text("conv2d", 0, CutAt::end, characters), "…");
}

TEST(CutText, KeepsCharactersOfSeveralBytesWhole) {
  EXPECT_EQ(cut_text("ÄÖÜäöüß", 4, CutAt::middle, characters), "ÄÖ…ß");
  EXPECT_EQ(cut_text("ÄÖÜäöüß", 4, CutAt::front, characters), "…öüß");
}

TEST(CutTexts, LeavesThemAsTheyAreCutAlone) {
  EXPECT_THAT(
      cut_texts({"/module/net/conv2d", "relu", "/module/net/linear"}, 8, CutAt::front, characters),
      ElementsAre("…/conv2d", "relu", "…/linear"));
}

TEST(CutTexts, TellsNamesOfOneEndApart) {
  EXPECT_THAT(cut_texts({"forward/copy aligned", "same", "same", "backward/copy aligned"}, 10,
                        CutAt::front, characters),
              ElementsAre("forwa…gned", "same", "same", "backw…gned"));
  // Both ends are the same, and so is the middle of two.
  EXPECT_THAT(cut_texts({"begin/long/alpha1/long/end", "begin/long/alpha2/long/end",
                         "begin/long/beta/long/end"},
                        9, CutAt::front, characters),
              ElementsAre("…pha1/lo…", "…pha2/lo…", "…ng/beta…"));
}

TEST(CutAlike, KeepsTheDifferenceAndTheEnd) {
  EXPECT_THAT(cut_alike({"/step/CpuToGpu_label/H2D", "/step/CpuToGpu_image/H2D"}, 12, characters),
              ElementsAre("…pu_la…l/H2D", "…pu_im…e/H2D"));
  // No room for the end.
  EXPECT_THAT(cut_alike({"/step/CpuToGpu_1/H2D", "/step/CpuToGpu_2/H2D"}, 6, characters),
              ElementsAre("…pu_1…", "…pu_2…"));
}

TEST(CutAlike, BeginsWithAPartOfThePathThatFits) {
  EXPECT_THAT(cut_alike({"/net/layer/block1/conv", "/net/layer/block2/conv"}, 14, characters),
              ElementsAre("…/block1/conv", "…/block2/conv"));
}

TEST(CutTexts, IsTheEllipsisWhereThereIsNoRoom) {
  EXPECT_THAT(cut_texts({"alpha", "beta"}, 1, CutAt::front, characters), ElementsAre("…", "…"));
}

TEST(WrapProse, KeepsNumbersWhole) {
  EXPECT_THAT(wrap_prose("regular to 5.8% here", 13, characters),
              ElementsAre("regular to", "5.8% here"));
  EXPECT_THAT(wrap_prose("regular to 58% here", 13, characters),
              ElementsAre("regular to", "58% here"));
}

TEST(WrapName, BreaksBehindSlashesAndColons) {
  const MeasureText measure = [](std::string_view text) { return static_cast<float>(text.size()); };
  EXPECT_EQ(wrap_name("a/b::c", 6, 8, measure), (std::vector<std::string>{"a/b::c"}));
  EXPECT_EQ(wrap_name("net/layer::fwd", 9, 8, measure),
            (std::vector<std::string>{"net/", "layer::", "fwd"}));
  EXPECT_EQ(wrap_name("python train.py", 9, 8, measure),
            (std::vector<std::string>{"python ", "train.py"}));
  EXPECT_EQ(wrap_name("abcdefg", 3, 8, measure), (std::vector<std::string>{"abc", "def", "g"}));
}

TEST(WrapName, LeavesOutTheMiddleOfALongName) {
  const MeasureText measure = [](std::string_view text) { return static_cast<float>(text.size()); };
  EXPECT_EQ(wrap_name("1/2/3/4/5/6/", 2, 5, measure),
            (std::vector<std::string>{"1/", "2/", "…", "5/", "6/"}));
}

TEST(WrapProse, BreaksAtSpacesAndNewlinesAndLeavesNumbersWhole) {
  EXPECT_THAT(wrap_prose("about 0.6 ms of it", 9, characters),
              ElementsAre("about 0.6", "ms of it"));
  EXPECT_THAT(wrap_prose("one\n\ntwo", 9, characters), ElementsAre("one", "", "two"));
  EXPECT_THAT(wrap_prose("", 9, characters), ElementsAre(""));
}

TEST(WrapProse, BreaksAWordLongerThanALine) {
  EXPECT_THAT(wrap_prose("in net/layer/conv2d now", 10, characters),
              ElementsAre("in", "net/layer/", "conv2d now"));
}

TEST(WrapProse, CutsWhatNeedsMoreLines) {
  EXPECT_THAT(wrap_prose("one two three four", 9, 2, characters),
              ElementsAre("one two", "three fo…"));
  EXPECT_THAT(wrap_prose("one two", 9, 2, characters), ElementsAre("one two"));
}

TEST(WrapAroundName, ShortensTheNameFirst) {
  const std::string_view said = "Largest: /net/layer/conv +6% at run8.";
  EXPECT_THAT(wrap_around_name(said, "/net/layer/conv", 80, 1, 4, characters), ElementsAre(said));
  const auto lines = wrap_around_name(said, "/net/layer/conv", 30, 1, 4, characters);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines.front().ends_with("nv +6% at run8.")) << lines.front();
  EXPECT_LE(characters(lines.front()), 30);
  // At least so much of the name stays.
  EXPECT_TRUE(
      wrap_around_name(said, "/net/layer/conv", 26, 1, 9, characters).front().ends_with("…"));
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
