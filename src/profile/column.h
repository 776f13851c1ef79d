// Column<T>: an immutable array of plain values, a span over storage that it shares. The storage is
// a vector that the column was made from, or memory that someone else owns (a mapped cache file);
// readers need not know which. TableColumn<Table, T>: a column that belongs to a table, so
// that a row of another table does not index it.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "profile/rows.h"

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

// Tables name it Column: `template <typename T> using Column = TableColumn<Ops, T>`. Functions that
// work on the columns of any table take a profile::Column<T>. A column of another table does not
// convert to it, a plain Column<T> does.
template <typename Table, typename T>
class TableColumn : public Column<T> {
 public:
  using Column<T>::Column;
  template <std::same_as<Column<T>> Plain>
  TableColumn(Plain column) : Column<T>(std::move(column)) {}  // NOLINT: becomes the table's

  const T& operator[](std::size_t row) const { return Column<T>::operator[](row); }
  const T& operator[](Index<Table> row) const { return Column<T>::operator[](row); }
  template <OtherTable<Table> Other>
  const T& operator[](Index<Other>) const = delete;
};

// A column that refers to rows of another table. It is stored, spanned and iterated as a
// Column<Row>.
template <typename Table, typename Target>
class TableColumn<Table, Index<Target>> : public Column<Row> {
 public:
  using Column<Row>::Column;
  template <std::same_as<Column<Row>> Plain>
  TableColumn(Plain column) : Column<Row>(std::move(column)) {}  // NOLINT: becomes the table's

  Index<Target> operator[](std::size_t row) const {
    return Index<Target>(Column<Row>::operator[](row));
  }
  Index<Target> operator[](Index<Table> row) const { return (*this)[std::size_t{row}]; }
  template <OtherTable<Table> Other>
  Index<Target> operator[](Index<Other>) const = delete;
  Index<Target> back() const { return Index<Target>(Column<Row>::back()); }
};

// A table whose rows are structs, such as threads or devices.
template <typename T>
class StructTable : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  StructTable(std::vector<T> rows) : std::vector<T>(std::move(rows)) {}  // NOLINT: is a table

  const T& operator[](std::size_t row) const { return std::vector<T>::operator[](row); }
  T& operator[](std::size_t row) { return std::vector<T>::operator[](row); }
  template <OtherTable<T> Other>
  const T& operator[](Index<Other>) const = delete;
  template <OtherTable<T> Other>
  T& operator[](Index<Other>) = delete;
};

}  // namespace dlview::profile
