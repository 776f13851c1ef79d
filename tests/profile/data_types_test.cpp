// Names of data types in all spellings.

#include "profile/data_types.h"

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

TEST(DataTypes, AreThoseOfTheFirstFloats) {
  EXPECT_EQ(data_type_of(R"(["long int","","c10::BFloat16","float"])"), "bfloat16");
  EXPECT_EQ(data_type_of(R"(["Scalar","long int","int"])"), "int64");
  EXPECT_EQ(data_type_of(R"(["c10::Float4_e2m1fn_x2","float"])"), "float4_e2m1fn_x2");
  EXPECT_EQ(data_type_of(R"(["unsigned char","c10::Float8_e8m0fnu"])"), "float8_e8m0fnu");
  EXPECT_EQ(data_type_of(R"(["unsigned short","c10::quint8"])"), "uint16");
  EXPECT_EQ(data_type_of(R"(["c10::quint8","Double"])"), "quint8") << "Double is no tensor";
  EXPECT_EQ(data_type_of(R"(["TensorList",""])"), "");
  EXPECT_EQ(data_type_of(""), "");
}

TEST(DataTypes, ElementsHaveTheirBytes) {
  EXPECT_EQ(bytes_of_data_type("bfloat16"), 2);
  EXPECT_EQ(bytes_of_data_type("BFloat16"), 2);
  EXPECT_EQ(bytes_of_data_type("c10::BFloat16"), 2);
  EXPECT_EQ(bytes_of_data_type("float"), 4);
  EXPECT_EQ(bytes_of_data_type("long int"), 8);
  EXPECT_EQ(bytes_of_data_type("complex<float>"), 8);
  EXPECT_EQ(bytes_of_data_type("Mystery"), std::nullopt);
  EXPECT_EQ(bytes_of_data_type(""), std::nullopt);
}

}  // namespace
}  // namespace dlview::profile
