#include <type_traits>

#include <gtest/gtest.h>

#include "profile/profile.h"

namespace dlview::profile {
namespace {

template <typename Columns, typename RowNumber>
concept Indexes = requires(const Columns& columns, RowNumber row) {
  columns[row];
};
template <typename A, typename B>
concept Compares = requires(A a, B b) {
  a == b;
};

TEST(Column, RejectsRowsOfOtherTables) {
  using Names = decltype(Kernels::name);
  EXPECT_TRUE((Indexes<Names, KernelIndex>));
  EXPECT_TRUE((Indexes<Names, Row>));
  EXPECT_FALSE((Indexes<Names, OpIndex>));
  EXPECT_FALSE((Indexes<decltype(Kernels::launch), InstanceIndex>));
  EXPECT_TRUE((Indexes<decltype(Profile::devices), DeviceIndex>));
  EXPECT_FALSE((Indexes<decltype(Profile::devices), ThreadIndex>));
}

TEST(Column, RefersToRowsOfItsTarget) {
  Kernels kernels;
  kernels.instance = std::vector<Row>{4, 7};
  const auto instance = kernels.instance[KernelIndex{1}];
  EXPECT_TRUE((std::is_same_v<decltype(instance), const InstanceIndex>));
  EXPECT_EQ(instance, 7U);
  EXPECT_EQ(kernels.instance.back(), instance);
}

TEST(Index, DoesNotMixTables) {
  EXPECT_FALSE((std::is_convertible_v<OpIndex, KernelIndex>));
  EXPECT_FALSE((std::is_constructible_v<KernelIndex, OpIndex>));
  EXPECT_FALSE((std::is_convertible_v<Row, KernelIndex>));
  EXPECT_TRUE((std::is_convertible_v<KernelIndex, Row>));
  EXPECT_TRUE((Compares<OpIndex, OpIndex>));
  EXPECT_FALSE((Compares<OpIndex, KernelIndex>));
  EXPECT_EQ(OpIndex(), kNoRow);
}

}  // namespace
}  // namespace dlview::profile
