#include "import/sqlite/record.h"

#include <array>
#include <bit>
#include <cstring>

#include "import/sqlite/page_cursor.h"

namespace dlview::import::sqlite {
namespace {

// Types of values, https://www.sqlite.org/fileformat2.html#record_format
constexpr uint64_t kNull = 0, kLargestInteger = 6, kZero = 8, kOne = 9, kBlob = 12;
constexpr std::array<uint8_t, 10> kBytes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

// Of 1 to 8 bytes, the highest first. Looks at eight, which costs less than to ask how many.
int64_t integer_of(const uint8_t* at, std::size_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<int64_t>(__builtin_bswap64(value)) >> (64 - 8 * bytes);
}

}  // namespace

Record::Record(const TableLayout& layout, const std::vector<RowColumn>& columns)
    : cells_(columns.size()), texts_(columns.size()) {
  for (std::size_t column = 0; column < columns.size(); ++column) {
    kinds_.push_back(columns[column].kind);
    cells_[column].is_null = true;
    const int place = layout.places[column];
    if (place == TableLayout::kIsRowId) rowids_.push_back(column);
    if (place < 0) continue;
    const auto at = static_cast<std::size_t>(place);
    if (at >= column_at_.size()) column_at_.resize(at + 1, kUnwanted);
    column_at_[at] = static_cast<int>(column);
  }
}

bool Record::read_value(uint64_t type, const uint8_t* at, std::size_t bytes, std::size_t column) {
  Statement::Cell& cell = cells_[column];
  if (type == kNull) {
    cell = {.is_null = true};
    return true;
  }
  if (kinds_[column] == RowColumn::Kind::text) {
    cell = {};
    texts_[column] = {reinterpret_cast<const char*>(at), bytes};
    return type > kBlob && type % 2 == 1;
  }
  if (type == kZero || type == kOne) {
    cell = {.integer = type == kOne ? 1 : 0, .is_integer = true};
    return true;
  }
  if (type > kLargestInteger) return false;
  cell = {.integer = integer_of(at, bytes), .is_integer = true};
  return true;
}

bool Record::read(std::span<const uint8_t> payload, int64_t rowid) {
  const uint8_t* at = payload.data();
  const uint8_t* const end = at + payload.size();
  uint64_t header_bytes = 0;
  if (!read_varint(at, end, header_bytes) || header_bytes > payload.size() ||
      header_bytes < static_cast<uint64_t>(at - payload.data())) {
    return false;
  }
  const uint8_t* const header_end = payload.data() + header_bytes;
  const uint8_t* value = header_end;
  for (const int column : column_at_) {
    uint64_t type = 0;
    if (!read_varint(at, header_end, type)) return false;
    if (type > kOne && type < kBlob) return false;
    const uint64_t bytes = type < kBytes.size() ? kBytes[type] : (type - kBlob) / 2;
    if (bytes > static_cast<uint64_t>(end - value)) return false;
    if (column != kUnwanted && !read_value(type, value, bytes, static_cast<std::size_t>(column))) {
      return false;
    }
    value += bytes;
  }
  // The last value ends with the record.
  if (at == header_end && value != end) return false;
  for (const std::size_t column : rowids_) cells_[column] = {.integer = rowid, .is_integer = true};
  return true;
}

}  // namespace dlview::import::sqlite
