#include "report/query/sort_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/cell_text.h"
#include "report/query/pieces.h"
#include "report/query/stable_memo.h"

namespace dlview::report {
namespace {

// A row under a key whose order as an unsigned number is the order of the cells.
struct KeyedRow {
  uint64_t key = 0;
  uint32_t row = 0;
  bool is_recorded = false;
};

constexpr uint64_t kSignBit = uint64_t{1} << 63;

uint64_t directed(uint64_t key, SortDirection direction) {
  return direction == SortDirection::ascending ? key : ~key;
}

uint64_t number_key(int64_t number) {
  return static_cast<uint64_t>(number) ^ kSignBit;
}

uint64_t number_key(double number) {
  const auto bits = std::bit_cast<uint64_t>(number + 0.0);  // -0.0 is 0.0
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

// Nothing when the cell was not recorded.
std::optional<uint64_t> cell_key(const Cell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return number_key(*number);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? 1 : 0;
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || std::isnan(*number)) return std::nullopt;
  return number_key(*number);
}

// The different texts of a piece of rows, numbered in order of appearance.
class TextNumbers {
 public:
  uint32_t operator()(const Cell& cell) {
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      return memo_(*text, [this](std::string_view stable) { return number_of(stable); });
    }
    std::string text;
    append_full_text(text, cell);
    if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
    return number_of(own_.emplace_back(std::move(text)));
  }
  // By number; valid as long as this object.
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  uint32_t number_of(std::string_view text) {
    const auto [entry, is_new] = numbers_.emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return entry->second;
  }

  StableMemo<uint32_t> memo_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<std::string_view> texts_;
  std::deque<std::string> own_;
};

// For each piece, the rank of each of its texts among all.
std::vector<std::vector<uint32_t>> text_ranks(const std::vector<TextNumbers>& pieces) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::string_view> texts;
  std::vector<std::vector<uint32_t>> ranks(pieces.size());
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    for (const std::string_view text : pieces[piece].texts()) {
      const auto [entry, is_new] = numbers.emplace(text, static_cast<uint32_t>(texts.size()));
      if (is_new) texts.push_back(text);
      ranks[piece].push_back(entry->second);
    }
  }
  std::vector<uint32_t> order(texts.size()), rank_of(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&texts](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
  for (uint32_t rank = 0; rank < order.size(); ++rank) rank_of[order[rank]] = rank;
  for (auto& piece : ranks) {
    for (uint32_t& number : piece) number = rank_of[number];
  }
  return ranks;
}

void set_number_keys(const Column& column, SortDirection direction, std::vector<KeyedRow>& rows,
                     base::Progress& progress) {
  for_each_piece(rows.size(), progress, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<uint64_t> key = cell_key(column.cell(rows[i].row));
      if (!key) continue;
      rows[i].key = directed(*key, direction);
      rows[i].is_recorded = true;
    }
  });
}

void set_text_keys(const Column& column, SortDirection direction, std::vector<KeyedRow>& rows,
                   base::Progress& progress) {
  std::vector<TextNumbers> pieces(piece_count(rows.size()));
  for_each_piece(rows.size(), progress, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Cell cell = column.cell(rows[i].row);
      if (std::holds_alternative<std::monostate>(cell)) continue;
      rows[i].key = pieces[piece](cell);
      rows[i].is_recorded = true;
    }
  });
  if (progress.canceled()) return;
  const std::vector<std::vector<uint32_t>> ranks = text_ranks(pieces);
  for_each_piece(rows.size(), progress, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (rows[i].is_recorded) rows[i].key = directed(ranks[piece][rows[i].key], direction);
    }
  });
}

constexpr std::size_t kBytes = sizeof(uint64_t), kValues = 256;

// Least significant byte first; bytes that all keys have in common cost nothing, nor do rows that
// stand in order.
void radix_sort(std::vector<KeyedRow>& rows, const base::Progress& progress) {
  if (std::ranges::is_sorted(rows, {}, &KeyedRow::key)) return;
  const auto byte_of = [](uint64_t key, std::size_t byte) { return (key >> (8 * byte)) & 0xFF; };
  std::array<std::array<std::size_t, kValues>, kBytes> counts{};
  for (const KeyedRow& row : rows) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][byte_of(row.key, byte)];
  }
  std::vector<KeyedRow> sorted(rows.size());
  for (std::size_t byte = 0; byte < kBytes && !progress.canceled(); ++byte) {
    auto& count = counts[byte];
    if (std::ranges::find(count, rows.size()) != count.end()) continue;
    std::exclusive_scan(count.begin(), count.end(), count.begin(), std::size_t{0});
    for (const KeyedRow& row : rows) sorted[count[byte_of(row.key, byte)]++] = row;
    rows.swap(sorted);
  }
}

}  // namespace

void sort_rows(const Column& column, SortDirection direction, std::vector<uint32_t>& rows,
               base::Progress& progress) {
  std::vector<KeyedRow> keyed(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) keyed[i].row = rows[i];
  switch (column.kind) {
    case CellKind::integer:
    case CellKind::real:
    case CellKind::flag:
      set_number_keys(column, direction, keyed, progress);
      break;
    case CellKind::text:
    case CellKind::word:
    case CellKind::any:
      set_text_keys(column, direction, keyed, progress);
      break;
  }
  if (progress.canceled()) return;
  radix_sort(keyed, progress);
  std::stable_partition(keyed.begin(), keyed.end(),
                        [](const KeyedRow& row) { return row.is_recorded; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed[i].row;
}

}  // namespace dlview::report
