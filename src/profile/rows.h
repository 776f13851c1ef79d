// Row numbers: plain ones, and those that belong to one table.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace dlview::profile {

// The number of a row of any table, for loops, ranges and dictionaries.
using Row = uint32_t;
inline constexpr Row kNoRow = UINT32_MAX;

// The number of a row of one table, or kNoRow. It converts to Row, a Row only explicitly to it; the
// indexes of two tables neither convert to each other nor compare. The same size as Row.
template <typename Table>
class Index {
 public:
  constexpr Index() = default;
  explicit constexpr Index(Row row) : row_(row) {}
  template <typename Other>
  explicit Index(Index<Other>) = delete;
  constexpr operator Row() const { return row_; }  // NOLINT: an index counts and prints as a number

  // For loops over the rows of a table, or over a range of them.
  constexpr Index& operator++() {
    ++row_;
    return *this;
  }

 private:
  Row row_ = kNoRow;
};

template <typename A, typename B>
concept OtherTable = !std::is_same_v<A, B>;

template <typename A, OtherTable<A> B>
bool operator==(Index<A>, Index<B>) = delete;
template <typename A, OtherTable<A> B>
std::strong_ordering operator<=>(Index<A>, Index<B>) = delete;

struct Dim3 {
  int32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

}  // namespace dlview::profile
