#include "report/dlprof/shapes.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::report::dlprof {
namespace {

TEST(ShapeText, PutsTheFormatsLettersBeforeTheSizes) {
  EXPECT_EQ(shape_text("[[1,3,32,32],[6,3,3,3],[6]]\n", "N,C,H,W;K,C,R,S"),
            "<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>");
  EXPECT_EQ(shape_text("[[1,1],[0,0],[1,1],1]", "SH,SW;PH,PW;DH,DW;G"),
            "<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>");
}

TEST(ShapeText, IsPlainWithoutAFormatThatFits) {
  EXPECT_EQ(shape_text("[[32,16,5,5]]\n", ""), "<32, 16, 5, 5>");
  EXPECT_EQ(shape_text("[[32,16,5]]\n", "N,C,H,W"), "<32, 16, 5>");
  EXPECT_EQ(shape_text("[[]]", "N"), "<>");
}

TEST(ShapeText, IsEmptyForNullAndForWhatIsNoShape) {
  EXPECT_EQ(shape_text("null\n", "N,C"), "");
  EXPECT_EQ(shape_text("", ""), "");
  EXPECT_EQ(shape_text("[1,2", ""), "");
  EXPECT_EQ(shape_text("7", ""), "");
  EXPECT_EQ(shape_text("[]", ""), "");
}

TEST(ShapeText, IsEmptyWhenASizeIsNoInteger) {
  for (const char* text : {"[[1,[2]]]", "[[1,{}]]", "[{}]", "[{\"a\":[1]}]", "{\"a\":1}",
                           "[[1,null]]", "[null]", "[[1.5]]", "[[\"1\"]]", "[[true]]"}) {
    EXPECT_EQ(shape_text(text, "N"), "") << text;
  }
  EXPECT_EQ(shape_text("[[-9223372036854775808,18446744073709551615]]", ""),
            "<-9223372036854775808, 18446744073709551615>");
}

// A file may hold any text; each of these would exhaust the stack of a parser that recurses.
TEST(ShapeText, IsEmptyForTextsOfAnyDepth) {
  const std::size_t depth = 1'000'000;
  const std::string lists = std::string(depth, '[') + std::string(depth, ']');
  EXPECT_EQ(shape_text(lists, ""), "");
  EXPECT_EQ(shape_text("[[1," + lists + "]]", "N,C"), "");
  EXPECT_EQ(shape_text(std::string(depth, '['), ""), "");
  std::string objects = "1";
  for (int i = 0; i < 10'000; ++i) objects = "{\"a\":" + objects + "}";
  EXPECT_EQ(shape_text("[[" + objects + "]]", ""), "");
}

}  // namespace
}  // namespace dlview::report::dlprof
