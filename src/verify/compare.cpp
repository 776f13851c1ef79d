#include "verify/compare.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "verify/row_comparison.h"

namespace dlview::verify {

using base::Value;
using base::ValueTable;

void Check::add(Difference difference) {
  ++difference_count;
  if (first_differences.size() < kDifferencesKept) {
    first_differences.push_back(std::move(difference));
  }
}

void Check::add_wording(Difference difference) {
  ++wording_count;
  if (wordings.size() < kDifferencesKept) wordings.push_back(std::move(difference));
}

bool equal(const Value& stored, const Value& recomputed) {
  if (stored == recomputed) return true;
  const double* const a = std::get_if<double>(&stored);
  const double* const b = std::get_if<double>(&recomputed);
  return a != nullptr && b != nullptr && fmt::format("{:.6f}", *a) == fmt::format("{:.6f}", *b);
}

Check compare(const ValueTable& stored, const ValueTable& recomputed,
              std::span<const std::string_view> prose) {
  RowComparison comparison(stored, recomputed, prose);
  const auto left = comparison.sorted_stored(stored.rows);
  const auto right = comparison.sorted_recomputed(recomputed.rows);
  auto l = left.begin();
  auto r = right.begin();
  while (l != left.end() || r != right.end()) {
    const int order = l == left.end()    ? 1
                      : r == right.end() ? -1
                                         : comparison.order(stored.rows[*l], recomputed.rows[*r]);
    if (order < 0) {
      comparison.add_stored_only(stored.rows[*l++]);
    } else if (order > 0) {
      comparison.add_recomputed_only(recomputed.rows[*r++]);
    } else {
      comparison.add_pair(stored.rows[*l++], recomputed.rows[*r++]);
    }
  }
  return comparison.take();
}

void add_absent_columns(const ValueTable& stored, const ValueTable& recomputed, Check& check) {
  for (const std::string& column : recomputed.columns) {
    const bool absent =
        std::find(stored.columns.begin(), stored.columns.end(), column) == stored.columns.end();
    if (absent) check.add({"column", column, "no such column", "a column"});
  }
}

}  // namespace dlview::verify
