// Column<T>: an immutable array of plain values, a span over storage that it shares. The storage is
// a vector that the column was made from, or memory that someone else owns (a mapped cache file);
// the reader cannot tell and need not.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace dlview::profile {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>, "columns are mapped from files byte by byte");

 public:
  Column() = default;
  template <typename Allocator = std::allocator<T>>
  Column(std::vector<T, Allocator> values)  // NOLINT: a vector is a column
      : Column(std::make_shared<const std::vector<T, Allocator>>(std::move(values))) {}
  Column(std::shared_ptr<const void> storage, std::span<const T> values)
      : storage_(std::move(storage)), values_(values) {}

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t row) const { return values_[row]; }
  const T& back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::span<const T> span() const { return values_; }
  std::size_t bytes() const { return values_.size_bytes(); }

 private:
  template <typename Allocator>
  explicit Column(std::shared_ptr<const std::vector<T, Allocator>> values)
      : storage_(values), values_(*values) {}

  std::shared_ptr<const void> storage_;
  std::span<const T> values_;
};

}  // namespace dlview::profile
