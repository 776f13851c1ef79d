// The rows of a table that pass a query's filters and its search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "report/query/cell_filter.h"
#include "report/query/text_pattern.h"
#include "report/table.h"

namespace dlview::report {

// A text that any cell contains, whatever the case: names as they are, numbers in full
// (append_full_text()); flags have no text.
class Search {
 public:
  static base::Result<Search> parse(std::string_view text);

  const TextPattern& pattern() const { return pattern_; }
  // Whether a number can contain the text at all, and whether this one does.
  bool is_numeric() const { return is_numeric_; }
  bool is_in_number(const Cell& number) const;

 private:
  Search(std::string text, TextPattern pattern);

  std::string text_;
  TextPattern pattern_;
  bool is_numeric_;
};

struct Conditions {
  std::vector<std::pair<const Column*, CellFilter>> columns;  // all of them
  std::optional<Search> search;                               // and this
  bool passes_all() const { return columns.empty() && !search; }
};

// In the table's order. Incomplete when `progress` is canceled.
std::vector<uint32_t> passing_rows(const Table& table, const Conditions& filter,
                                   base::Progress& progress);

}  // namespace dlview::report
