// PageCursor: walks the rows of one table, as the pages of the file hold them, from one rowid to
// another. Holds every rowid to the bounds that the inner pages set, which SQLite does not: it
// reads fewer rows of a table whose pages were mixed up, without a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "import/sqlite/page_file.h"

namespace dlview::import::sqlite {

// Reads a number of one to nine bytes, 7 bits each but the last; moves `at` after it. Returns false
// if it does not end before `end`.
inline bool read_varint(const uint8_t*& at, const uint8_t* end, uint64_t& value) {
  if (at < end && *at < 0x80) {
    value = *at++;
    return true;
  }
  value = 0;
  for (int i = 0; i < 8; ++i) {
    if (at >= end) return false;
    const uint8_t byte = *at++;
    value = value << 7U | (byte & 0x7fU);
    if (byte < 0x80) return true;
  }
  if (at >= end) return false;
  value = value << 8U | *at++;
  return true;
}

// Bytes that can be read after any record.
inline constexpr std::size_t kRecordPadding = sizeof(uint64_t);

// No row of a profile comes near it. SQLite refuses a longer one, too.
inline constexpr std::size_t kMostRowBytes = std::size_t{64} << 20;

class PageCursor {
 public:
  // Rows from `first` to `last`, both inclusive, of the table whose tree begins on page `root`.
  PageCursor(const PageFile& file, uint32_t root, int64_t first, int64_t last);

  // Moves to the next row. Damaged: what follows is not as SQLite writes it, or cannot be read.
  enum class Step { row, end, damaged };
  Step next();
  int64_t rowid() const { return rowid_; }
  // The record; valid until the next call of next(). Empty when it has more than kMostRowBytes.
  std::span<const uint8_t> payload() const { return payload_; }

 private:
  // The rowids that a page may hold, both inclusive.
  struct Bounds {
    int64_t least = std::numeric_limits<int64_t>::min();
    int64_t largest = std::numeric_limits<int64_t>::max();
  };
  struct Child {
    uint32_t page = 0;
    Bounds bounds;
  };
  // An inner page on the way from the root to the leaf.
  struct Level {
    std::vector<uint8_t> page;
    std::size_t cells = 0, next = 0;  // child `cells` is the rightmost one
    Bounds rest;                      // of the children from `next` on
  };

  const uint8_t* page(uint32_t number);
  // All are false when something is damaged.
  bool next_leaf();
  bool descend(Child child);
  bool begin_inner(const uint8_t* page, const Bounds& bounds);
  bool begin_leaf(const uint8_t* page, const Bounds& bounds);
  bool next_child(Level& level, Child& child) const;
  bool read_cell(std::size_t cell);
  bool read_overflow(const uint8_t* at, std::size_t local, std::size_t bytes);

  const PageFile& file_;
  const uint32_t root_;
  const int64_t first_, last_;
  bool has_begun_ = false;
  std::vector<Level> levels_;
  const uint8_t* leaf_ = nullptr;
  std::size_t cells_ = 0, cell_ = 0;  // of the leaf
  Bounds bounds_;                     // of the leaf
  int64_t rowid_ = 0;
  std::span<const uint8_t> payload_;
  std::vector<uint8_t> overflow_, overflow_page_;
  // Overflow pages read so far. Each belongs to one row, so more than the file has is damage.
  uint32_t overflow_pages_ = 0;
  // Pages that were read at once.
  std::vector<uint8_t> window_;
  uint32_t window_first_ = 0, window_pages_ = 0;
};

}  // namespace dlview::import::sqlite
