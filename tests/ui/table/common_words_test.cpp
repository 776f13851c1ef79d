#include "ui/table/common_words.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using ::testing::HasSubstr;

// Every byte is one wide, an ellipsis too.
float measure(std::string_view text) {
  float width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) ++width;
  }
  return width;
}

std::vector<std::string> paths() {
  std::vector<std::string> paths;
  for (const char* layer : {"layer1/0", "layer1/1", "layer2/0", "layer3/0"}) {
    for (const char* op : {"conv1", "conv2", "bn1"}) {
      paths.push_back(std::string("/module/ResNet::forward/") + layer + "/Bottleneck::forward/" +
                      op);
    }
  }
  return paths;
}

TEST(CommonWords, LeavesANameThatFits) {
  const CommonWords words(paths());
  EXPECT_EQ(words.cut(paths()[0], 100, CutAt::front, measure), paths()[0]);
}

TEST(CommonWords, DropsWhatAllNamesContain) {
  const CommonWords words(paths());
  EXPECT_EQ(words.cut(paths()[0], 24, CutAt::front, measure), "…/layer1/0…/conv1");
}

TEST(CommonWords, KeepsWhatThereIsRoomFor) {
  const CommonWords words(paths());
  const std::string cut = words.cut(paths()[0], 40, CutAt::front, measure);
  EXPECT_LE(measure(cut), 40);
  EXPECT_THAT(cut, HasSubstr("/layer1/0/Bottleneck"));
}

// The plain cut hides the layer, in which half of the rows differ.
TEST(CommonWords, NamesStayDifferent) {
  const CommonWords words(paths());
  std::set<std::string> with, without;
  for (const std::string& path : paths()) {
    with.insert(words.cut(path, 24, CutAt::front, measure));
    without.insert(cut_text(path, 24, CutAt::front, measure));
  }
  EXPECT_EQ(with.size(), paths().size());
  EXPECT_LT(without.size(), paths().size());
}

TEST(CommonWords, CutsAsUsualWithoutAgreement) {
  const CommonWords words({"one two", "three four", "five six"});
  EXPECT_TRUE(words.empty());
  EXPECT_EQ(words.cut("three four", 5, CutAt::end, measure),
            cut_text("three four", 5, CutAt::end, measure));
  EXPECT_TRUE(CommonWords({"same", "same"}).empty());
  EXPECT_TRUE(CommonWords(std::vector<std::string>{}).empty());
}

TEST(CommonWords, ANameOfCommonWordsIsCutAsUsual) {
  const CommonWords words({"a/b", "a/b/c", "a/b/d"});
  EXPECT_EQ(words.cut("a/b", 2, CutAt::end, measure), cut_text("a/b", 2, CutAt::end, measure));
}

TEST(CommonWords, ManyGapsAreNoName) {
  const CommonWords words({"x1/a/y1/b/z1/c/w1", "x2/a/y2/b/z2/c/w2", "x3/a/y3/b/z3/c/w3"});
  EXPECT_EQ(words.cut("x1/a/y1/b/z1/c/w1", 14, CutAt::middle, measure),
            cut_text("x1/a/y1/b/z1/c/w1", 14, CutAt::middle, measure));
}

TEST(CommonWords, LeavesNoStubOfAWord) {
  const CommonWords words({"tensor/apply/one", "matrix/apply/two", "vector/apply/ten"});
  EXPECT_EQ(words.cut("tensor/apply/one", 7, CutAt::front, measure), "…/one");
}

TEST(CommonWords, KeepsTheClosingBracket) {
  const CommonWords words(
      {"/m/a/conv2d (backward)", "/m/b/conv2d (backward)", "/m/c/relu (forward)"});
  for (float width = 15; width < 22; ++width) {
    const std::string cut = words.cut("/m/a/conv2d (backward)", width, CutAt::middle, measure);
    EXPECT_TRUE(cut.ends_with("(backward)")) << cut;
  }
}

TEST(CommonWords, FitsHoweverNarrow) {
  const CommonWords words(paths());
  for (float width = 1; width < 50; ++width) {
    for (const std::string& path : paths()) {
      EXPECT_LE(measure(words.cut(path, width, CutAt::middle, measure)), width);
    }
  }
}

TEST(CommonWords, OfALongNameTheEndsCount) {
  std::string longest = "begin";
  while (longest.size() < 10'000) longest += "/é";
  longest += "/end";
  const CommonWords words({longest, longest + "2", "other/é"});
  const std::string cut = words.cut(longest, 60, CutAt::middle, measure);
  EXPECT_LE(measure(cut), 60);
  EXPECT_TRUE(cut.starts_with("begin")) << cut;
  EXPECT_TRUE(cut.ends_with("end")) << cut;
}

}  // namespace
}  // namespace dlview::ui
