#include "report/query/conditions.h"

#include <numeric>

#include "report/cell_text.h"
#include "report/query/pieces.h"
#include "report/query/stable_memo.h"

namespace dlview::report {
namespace {

using PatternMemo = StableMemo<bool>;

bool contains(const TextPattern& pattern, const Cell& cell, PatternMemo& memo) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    return memo(*text, [&pattern](std::string_view part) { return pattern.is_in(part); });
  }
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr && pattern.is_in(*text);
}

// One thread's filter; remembers the texts that it has looked at.
class RowTest {
 public:
  RowTest(const Table& table, const Conditions& filter)
      : filter_(filter), column_memos_(filter.columns.size()) {
    if (!filter.search) return;
    for (const Column& column : table.columns) {
      const bool has_numbers = column.kind == CellKind::integer || column.kind == CellKind::real;
      if (column.kind == CellKind::flag) continue;
      if (has_numbers && !filter.search->is_numeric()) continue;
      searched_.push_back(&column);
    }
  }

  bool passes(std::size_t row) {
    for (std::size_t i = 0; i < filter_.columns.size(); ++i) {
      const CellFilter& filter = filter_.columns[i].second;
      const Cell cell = filter_.columns[i].first->cell(row);
      const auto test = [&](std::string_view) { return filter.passes(cell); };
      const auto* text = std::get_if<std::string_view>(&cell);
      const bool passed = text == nullptr ? filter.passes(cell) : column_memos_[i](*text, test);
      if (!passed) return false;
    }
    return !filter_.search || found(row);
  }

 private:
  bool found(std::size_t row) {
    const Search& search = *filter_.search;
    for (const Column* column : searched_) {
      const Cell cell = column->cell(row);
      if (contains(search.pattern(), cell, search_memo_)) return true;
      if (search.is_numeric() && search.is_in_number(cell)) return true;
    }
    return false;
  }

  const Conditions& filter_;
  std::vector<PatternMemo> column_memos_;
  std::vector<const Column*> searched_;
  PatternMemo search_memo_;
};

std::vector<uint32_t> all_rows(std::size_t count) {
  std::vector<uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

Search::Search(std::string text, TextPattern pattern)
    : text_(std::move(text)),
      pattern_(std::move(pattern)),
      is_numeric_(text_.find_first_not_of("0123456789.-") == std::string::npos) {}

base::Result<Search> Search::parse(std::string_view text) {
  base::Result<TextPattern> pattern = TextPattern::literal(text);
  if (!pattern) return std::move(pattern).error();
  return Search(std::string(text), *std::move(pattern));
}

bool Search::is_in_number(const Cell& number) const {
  if (!std::holds_alternative<int64_t>(number) && !std::holds_alternative<double>(number)) {
    return false;
  }
  std::string digits;
  append_full_text(digits, number);
  return digits.find(text_) != std::string::npos;
}

std::vector<uint32_t> passing_rows(const Table& table, const Conditions& filter,
                                   base::Progress& progress) {
  if (filter.passes_all()) return all_rows(table.row_count);
  std::vector<std::vector<uint32_t>> found(piece_count(table.row_count));
  for_each_piece(table.row_count, progress,
                 [&](std::size_t piece, std::size_t begin, std::size_t end) {
                   RowTest test(table, filter);
                   for (std::size_t row = begin; row < end; ++row) {
                     if (test.passes(row)) found[piece].push_back(static_cast<uint32_t>(row));
                   }
                 });
  std::size_t count = 0;
  for (const auto& rows : found) count += rows.size();
  std::vector<uint32_t> passing;
  passing.reserve(count);
  for (const auto& rows : found) passing.insert(passing.end(), rows.begin(), rows.end());
  return passing;
}

}  // namespace dlview::report
