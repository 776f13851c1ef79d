// A Profile as a list of columns and a string of bytes with all that is no column, and back.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "import/column_cache/format.h"
#include "profile/profile.h"

namespace dlview::import::column_cache {

template <typename T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  struct Column {
    std::span<const std::byte> bytes;
    std::size_t bytes_of_value;
  };

  template <typename T>
  void operator()(const profile::Column<T>& column) {
    columns_.push_back({std::as_bytes(column.span()), sizeof(T)});
  }
  void operator()(const profile::StringTable& strings) {
    (*this)(strings.bytes());
    (*this)(strings.offsets());
  }
  // Not cached.
  void operator()(const std::shared_ptr<const profile::KernelCounters>&) {}
  void operator()(const std::string& text) {
    (*this)(uint64_t{text.size()});
    facts_ += text;
  }
  template <Scalar T>
  void operator()(const T& value) {
    facts_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <typename Table>
  void operator()(profile::Index<Table> index) {
    (*this)(profile::Row{index});
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(uint64_t{values.size()});
    for (const T& value : values) (*this)(value);
  }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <base::Struct T>
  void operator()(const T& value) {
    using base::with_fields;
    with_fields(value, [this](const auto&... fields) { ((*this)(fields), ...); });
  }

  const std::vector<Column>& columns() const { return columns_; }
  const std::string& facts() const { return facts_; }

 private:
  std::vector<Column> columns_;
  std::string facts_;
};

// Reads what a Writer wrote, and stops at the first thing that does not fit.
class Reader {
 public:
  // `file` is the whole file, which `storage` keeps.
  Reader(std::shared_ptr<const void> storage, std::span<const std::byte> file,
         std::span<const Entry> directory, std::string_view facts)
      : storage_(std::move(storage)), file_(file), directory_(directory), facts_(facts) {}

  template <typename T>
  void operator()(profile::Column<T>& column) {
    const std::span<const std::byte> bytes = next_column(sizeof(T));
    column = {storage_, {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)}};
  }
  void operator()(profile::StringTable& strings) {
    profile::Column<char> bytes;
    profile::Column<uint64_t> offsets;
    (*this)(bytes);
    (*this)(offsets);
    if (!offsets.empty()) strings = {bytes, offsets};
  }
  void operator()(std::shared_ptr<const profile::KernelCounters>&) {}  // not cached
  void operator()(std::string& text) { text = next_facts(count(1)); }
  template <Scalar T>
  void operator()(T& value) {
    const std::string_view bytes = next_facts(sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&value));
  }
  template <typename Table>
  void operator()(profile::Index<Table>& index) {
    profile::Row row = 0;
    (*this)(row);
    index = profile::Index<Table>(row);
  }
  void operator()(bool& value) {
    uint8_t byte = 0;
    (*this)(byte);
    value = byte != 0;
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    values.resize(count(1));
    for (T& value : values) (*this)(value);
  }
  template <typename T>
  void operator()(std::optional<T>& value) {
    bool has_value = false;
    (*this)(has_value);
    if (has_value) (*this)(value.emplace());
  }
  template <base::Struct T>
  void operator()(T& value) {
    using base::with_fields;
    with_fields(value, [this](auto&... fields) { ((*this)(fields), ...); });
  }

  // Everything was there, and nothing is left.
  bool is_complete() const { return fits_ && directory_.empty() && facts_.empty(); }

 private:
  // Reads a count of items, each of which takes at least that many bytes of the facts.
  std::size_t count(std::size_t bytes_of_each);
  std::string_view next_facts(std::size_t bytes);
  std::span<const std::byte> next_column(std::size_t bytes_of_value);

  std::shared_ptr<const void> storage_;
  std::span<const std::byte> file_;
  std::span<const Entry> directory_;
  std::string_view facts_;
  bool fits_ = true;
};

// Returns a hash over the types of all fields in their order: files with another layout are
// ignored.
uint64_t layout_hash();

}  // namespace dlview::import::column_cache
