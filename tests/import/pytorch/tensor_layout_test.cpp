#include "import/pytorch/tensor_layout.h"

#include <gtest/gtest.h>

namespace dlview::import::pytorch {
namespace {

TEST(TensorLayout, IsThatOfTheStrides) {
  const auto layout = [](const char* dims, const char* strides) {
    return layout_of(dims, strides);
  };
  EXPECT_EQ(layout("[[32,3,224,224],[64,3,7,7]]", "[[150528,50176,224,1],[147,49,7,1]]"),
            "N,C,H,W");
  EXPECT_EQ(layout("[[32,3,224,224],[64,3,7,7]]", "[[150528,1,672,3],[147,1,21,3]]"), "N,H,W,C");
  EXPECT_EQ(layout("[[2,4,5,6,7]]", "[[840,210,42,7,1]]"), "N,C,D,H,W");
  EXPECT_EQ(layout("[[2,4,5,6,7]]", "[[840,1,168,28,4]]"), "N,D,H,W,C");
  EXPECT_EQ(layout("[[1,8,4,4]]", "[[7,1,32,8]]"), "N,H,W,C") << "a size of 1 has any stride";
}

TEST(TensorLayout, IsUnknownWhereStridesDoNotTell) {
  const auto is_unknown = [](const char* dims, const char* strides) {
    return layout_of(dims, strides).empty();
  };
  EXPECT_TRUE(is_unknown("[[32,1,28,28]]", "[[784,784,28,1]]")) << "one channel";
  EXPECT_TRUE(is_unknown("[[32,64,1,1]]", "[[64,1,1,1]]")) << "one pixel";
  EXPECT_TRUE(is_unknown("[[32,3,224,224]]", "[[150528,50176,225,1]]")) << "gaps";
  EXPECT_TRUE(is_unknown("[[32,8]]", "[[8,1]]"));
  EXPECT_TRUE(is_unknown("[[2,2,2,2,2,2]]", "[[32,16,8,4,2,1]]"));
  EXPECT_TRUE(is_unknown("[[32,3,224,224]]", "[]"));
  EXPECT_TRUE(is_unknown("[[32,3,224,224]]", "[[]]"));
  EXPECT_TRUE(is_unknown("[[32,3,x]]", "[[9,3,1]]"));
  EXPECT_TRUE(is_unknown("[[2,3,2,2", "[[12,4,2,1"));
  EXPECT_TRUE(is_unknown("[[4,9223372036854775807,2,2]]", "[[4,1,2,1]]"));
  EXPECT_TRUE(is_unknown("", ""));
}

TEST(TensorLayout, IsOfConvolutions) {
  for (const char* const type : {"conv2d", "_convolution", "cudnn_convolution", "conv_transpose3d",
                                 "miopen_convolution", "convolution_backward"}) {
    EXPECT_TRUE(is_convolution(type)) << type;
  }
  for (const char* const type : {"mm", "batch_norm", "convert_element_type", "_convert_weight"}) {
    EXPECT_FALSE(is_convolution(type)) << type;
  }
}

}  // namespace
}  // namespace dlview::import::pytorch
