#include "report/dlprof/shapes.h"

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

}  // namespace
}  // namespace dlview::report::dlprof
