// Row numbers, plain ones and those of one table, and dimensions.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace dlview::profile {

// A row number of any table.
using Row = uint32_t;
inline constexpr Row kNoRow = UINT32_MAX;

template <typename T>
concept SmallInteger = std::integral<T> && sizeof(T) <= sizeof(Row);
template <typename A, typename B>
concept OtherTable = !std::is_same_v<A, B>;

// A row number of one table, or kNoRow. Converts to Row implicitly; a Row converts to it only
// explicitly. Those of two tables neither convert to each other nor compare. Since it begins as
// kNoRow, arrays that must not be touched before they are filled hold Rows, and so do importers,
// whose rows have no final order yet.
template <typename Table>
class Index {
 public:
  constexpr Index() = default;
  explicit constexpr Index(Row row) : row_(row) {}
  template <typename Other>
  explicit Index(Index<Other>) = delete;
  constexpr operator Row() const { return row_; }  // NOLINT: counts and prints as a number
  explicit operator bool() const = delete;         // row 0 exists

  constexpr Index& operator++() {
    ++row_;
    return *this;
  }
  // Further down the same table.
  template <SmallInteger Number>
  friend constexpr Index operator+(Index index, Number rows) {
    return Index(index.row_ + static_cast<Row>(rows));
  }

 private:
  Row row_ = kNoRow;
};

template <typename A, OtherTable<A> B>
bool operator==(Index<A>, Index<B>) = delete;
template <typename A, OtherTable<A> B>
std::strong_ordering operator<=>(Index<A>, Index<B>) = delete;
template <typename A, OtherTable<A> B>
Row operator-(Index<A>, Index<B>) = delete;

struct Ops;
struct OpInstances;
struct Kernels;
struct Launches;
struct MemoryOps;
struct Syncs;
struct ApiCalls;
struct UserRanges;
struct Device;
struct Thread;
using OpIndex = Index<Ops>;
using InstanceIndex = Index<OpInstances>;
using KernelIndex = Index<Kernels>;
using LaunchIndex = Index<Launches>;
using MemoryOpIndex = Index<MemoryOps>;
using SyncIndex = Index<Syncs>;
using ApiCallIndex = Index<ApiCalls>;
using UserRangeIndex = Index<UserRanges>;
using DeviceIndex = Index<Device>;  // a row of Profile::devices
using ThreadIndex = Index<Thread>;  // a row of Profile::threads

struct Dim3 {
  int32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

}  // namespace dlview::profile
