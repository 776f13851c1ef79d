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

template <typename A, typename B>
concept Orders = requires(A a, B b) {
  a < b;
};
template <typename A, typename B>
concept Subtracts = requires(A a, B b) {
  a - b;
};
template <typename To, typename From>
concept Assigns = requires(To& to, const From& from) {
  to = from;
};
template <typename T>
concept Decides = requires(T value) {
  value ? 1 : 0;
};

TEST(Column, RejectsRowsOfOtherTables) {
  using Names = decltype(Kernels::name);
  EXPECT_FALSE((Indexes<decltype(GpuWork::start_ns), KernelIndex>));
  EXPECT_FALSE((Assigns<decltype(Kernels::launch), decltype(Kernels::instance)>));
  EXPECT_FALSE((std::is_convertible_v<decltype(Kernels::name), Ops::Column<StringId>>));
  EXPECT_TRUE((Assigns<Names, Column<StringId>>));
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
  EXPECT_FALSE((Orders<OpIndex, KernelIndex>));
  EXPECT_FALSE((Subtracts<OpIndex, KernelIndex>));
  EXPECT_FALSE(Decides<OpIndex>) << "row 0 exists";
  EXPECT_TRUE((std::is_same_v<decltype(OpIndex{2} + 1), OpIndex>));
  EXPECT_EQ(OpIndex{2} + 1, 3U);
  EXPECT_EQ(OpIndex(), kNoRow);
  EXPECT_EQ(sizeof(OpIndex), sizeof(Row));
}

}  // namespace
}  // namespace dlview::profile
