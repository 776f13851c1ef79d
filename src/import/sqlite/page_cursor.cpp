#include "import/sqlite/page_cursor.h"

#include <algorithm>
#include <utility>

namespace dlview::import::sqlite {
namespace {

// Of a page of a table's tree, https://www.sqlite.org/fileformat2.html#b_tree_pages
constexpr uint8_t kInnerPage = 0x05, kLeafPage = 0x0d;
constexpr std::size_t kCellCountAt = 3, kRightmostAt = 8, kInnerHeader = 12, kLeafHeader = 8;
constexpr uint32_t kSchemaRoot = 1;      // no table of the user's begins there
constexpr std::size_t kMostLevels = 20;  // as in SQLite
// Leaves of one table mostly lie one behind the other: then many are read at once.
constexpr std::size_t kMostWindowBytes = std::size_t{1} << 18;

std::size_t two_bytes(const uint8_t* at) {
  return static_cast<std::size_t>(at[0]) << 8U | at[1];
}

uint32_t four_bytes(const uint8_t* at) {
  return uint32_t{at[0]} << 24U | uint32_t{at[1]} << 16U | uint32_t{at[2]} << 8U | at[3];
}

}  // namespace

PageCursor::PageCursor(const PageFile& file, uint32_t root, int64_t first, int64_t last)
    : file_(file), root_(root), first_(first), last_(last) {}

const uint8_t* PageCursor::page(uint32_t number) {
  const uint32_t window_end = window_first_ + window_pages_;
  if (number < window_first_ || number >= window_end) {
    if (number == 0 || number > file_.page_count()) return nullptr;
    const auto most =
        static_cast<uint32_t>(std::max<std::size_t>(1, kMostWindowBytes / file_.page_bytes()));
    const uint32_t wanted = number == window_end ? std::min(2 * window_pages_, most) : 1;
    window_pages_ = std::min(std::max(wanted, 1U), file_.page_count() - number + 1);
    window_first_ = number;
    window_.resize(std::max(window_.size(), window_pages_ * file_.page_bytes() + kRecordPadding));
    if (!file_.read(number, std::span(window_).first(window_pages_ * file_.page_bytes()))) {
      window_pages_ = 0;
      return nullptr;
    }
  }
  return window_.data() + (number - window_first_) * file_.page_bytes();
}

bool PageCursor::begin_inner(const uint8_t* page, const Bounds& bounds) {
  if (levels_.size() == kMostLevels) return false;
  Level level;
  level.rest = bounds;
  level.page.assign(page, page + file_.page_bytes());
  level.cells = two_bytes(page + kCellCountAt);
  if (kInnerHeader + 2 * level.cells > file_.usable_bytes()) return false;
  levels_.push_back(std::move(level));
  return true;
}

// Only a table without rows has a leaf without any.
bool PageCursor::begin_leaf(const uint8_t* page, const Bounds& bounds) {
  leaf_ = page;
  bounds_ = bounds;
  cells_ = two_bytes(page + kCellCountAt);
  cell_ = 0;
  return kLeafHeader + 2 * cells_ <= file_.usable_bytes() && (cells_ > 0 || levels_.empty());
}

bool PageCursor::next_child(Level& level, Child& child) const {
  const uint8_t* const inner = level.page.data();
  const std::size_t index = level.next++;
  child.bounds = level.rest;
  if (index == level.cells) {
    child.page = four_bytes(inner + kRightmostAt);
    return true;
  }
  const std::size_t place = two_bytes(inner + kInnerHeader + 2 * index);
  if (place + sizeof(uint32_t) >= file_.usable_bytes()) return false;
  child.page = four_bytes(inner + place);
  const uint8_t* at = inner + place + sizeof(uint32_t);
  uint64_t key = 0;
  if (!read_varint(at, inner + file_.usable_bytes(), key)) return false;
  child.bounds.largest = static_cast<int64_t>(key);
  // There is a child behind it, for which rowids must be left.
  if (child.bounds.largest < level.rest.least || child.bounds.largest >= level.rest.largest) {
    return false;
  }
  level.rest.least = child.bounds.largest + 1;
  return true;
}

// To the first leaf below this page that can hold a row from first_ on.
bool PageCursor::descend(Child child) {
  for (;;) {
    const uint8_t* const found = page(child.page);
    if (found == nullptr || child.page == kSchemaRoot) return false;
    if (found[0] == kLeafPage) return begin_leaf(found, child.bounds);
    if (found[0] != kInnerPage || !begin_inner(found, child.bounds)) return false;
    do {
      if (!next_child(levels_.back(), child)) return false;
    } while (child.bounds.largest < first_);
  }
}

// Leaves none of the cells behind the last leaf.
bool PageCursor::next_leaf() {
  cells_ = cell_ = 0;
  while (!levels_.empty() && levels_.back().next > levels_.back().cells) levels_.pop_back();
  if (levels_.empty()) return true;
  Child child;
  return next_child(levels_.back(), child) && descend(child);
}

bool PageCursor::read_overflow(const uint8_t* at, std::size_t local, std::size_t bytes) {
  overflow_.assign(at, at + local);
  overflow_page_.resize(file_.page_bytes());
  const std::size_t room = file_.usable_bytes() - sizeof(uint32_t);
  uint32_t next = four_bytes(at + local);
  while (overflow_.size() < bytes) {
    if (++overflow_pages_ > file_.page_count() || next > file_.page_count()) return false;
    if (!file_.read(next, overflow_page_)) return false;
    next = four_bytes(overflow_page_.data());
    const auto begin = overflow_page_.begin() + sizeof(uint32_t);
    const std::size_t part = std::min(room, bytes - overflow_.size());
    overflow_.insert(overflow_.end(), begin, begin + static_cast<std::ptrdiff_t>(part));
  }
  overflow_.resize(bytes + kRecordPadding);
  payload_ = std::span(overflow_).first(bytes);
  return true;
}

bool PageCursor::read_cell(std::size_t cell) {
  const std::size_t usable = file_.usable_bytes();
  const std::size_t place = two_bytes(leaf_ + kLeafHeader + 2 * cell);
  if (place >= usable) return false;
  const uint8_t* at = leaf_ + place;
  const uint8_t* const end = leaf_ + usable;
  uint64_t bytes = 0, rowid = 0;
  if (!read_varint(at, end, bytes) || !read_varint(at, end, rowid)) return false;
  rowid_ = static_cast<int64_t>(rowid);
  if (rowid_ < bounds_.least || rowid_ > bounds_.largest) return false;
  // Behind the largest one no rowid is left.
  bounds_ = rowid_ == bounds_.largest ? Bounds{1, 0} : Bounds{rowid_ + 1, bounds_.largest};

  // How much of a long record stands on the leaf: "Cell payload overflow pages" in the document.
  const auto left = static_cast<std::size_t>(end - at);
  if (bytes <= usable - 35) {
    payload_ = {at, static_cast<std::size_t>(bytes)};
    return bytes <= left;
  }
  if (bytes > uint64_t{file_.page_count()} * usable) return false;
  if (bytes > kMostRowBytes) {
    payload_ = {};
    return true;
  }
  const std::size_t least = (usable - 12) * 32 / 255 - 23;
  const std::size_t fitting = least + (bytes - least) % (usable - sizeof(uint32_t));
  const std::size_t local = fitting <= usable - 35 ? fitting : least;
  return local + sizeof(uint32_t) <= left && read_overflow(at, local, bytes);
}

PageCursor::Step PageCursor::next() {
  if (!std::exchange(has_begun_, true) && !descend({root_, {}})) return Step::damaged;
  for (;;) {
    while (cell_ == cells_) {
      if (!next_leaf()) return Step::damaged;
      if (levels_.empty() && cells_ == 0) return Step::end;
    }
    if (!read_cell(cell_++)) return Step::damaged;
    if (rowid_ > last_) return Step::end;
    if (rowid_ >= first_) return Step::row;
  }
}

}  // namespace dlview::import::sqlite
