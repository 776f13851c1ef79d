#include "verify/row_comparison.h"

#include <algorithm>
#include <numeric>

#include "verify/wording.h"

namespace dlview::verify {
namespace {

using base::Value;
using CellRow = RowComparison::Row;
using Places = std::vector<std::size_t>;

constexpr const char* kNoRow = "no such row";
constexpr const char* kRow = "a row";

int order_of(const CellRow& left, const Places& left_keys, const CellRow& right,
             const Places& right_keys) {
  for (std::size_t k = 0; k < left_keys.size(); ++k) {
    const Value& a = left[left_keys[k]];
    const Value& b = right[right_keys[k]];
    if (a < b) return -1;
    if (b < a) return 1;
  }
  return 0;
}

Places sorted(const std::vector<CellRow>& rows, const Places& keys) {
  Places indices(rows.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
    return order_of(rows[a], keys, rows[b], keys) < 0;
  });
  return indices;
}

std::string key_text(const CellRow& row, const Places& keys) {
  std::string text;
  for (const std::size_t place : keys) {
    if (!text.empty()) text += ", ";
    text += base::to_text(row[place]);
  }
  return text;
}

}  // namespace

RowComparison::RowComparison(const base::ValueTable& stored, const base::ValueTable& recomputed,
                             std::span<const std::string_view> prose) {
  check_.name = recomputed.name;
  for (std::size_t i = 0; i < recomputed.columns.size(); ++i) {
    const auto found =
        std::find(stored.columns.begin(), stored.columns.end(), recomputed.columns[i]);
    if (found == stored.columns.end()) continue;
    const bool is_key = i < recomputed.key_columns;
    (is_key ? recomputed_keys_ : recomputed_values_).push_back(i);
    (is_key ? stored_keys_ : stored_values_)
        .push_back(static_cast<std::size_t>(found - stored.columns.begin()));
    if (!is_key) {
      value_columns_.push_back({*found, std::ranges::find(prose, *found) != prose.end()});
    }
  }
}

int RowComparison::order(const CellRow& stored, const CellRow& recomputed) const {
  return order_of(stored, stored_keys_, recomputed, recomputed_keys_);
}

Places RowComparison::sorted_stored(const std::vector<CellRow>& rows) const {
  return sorted(rows, stored_keys_);
}

Places RowComparison::sorted_recomputed(const std::vector<CellRow>& rows) const {
  return sorted(rows, recomputed_keys_);
}

void RowComparison::add_pair(const CellRow& stored, const CellRow& recomputed) {
  ++check_.rows;
  bool same = true;
  for (std::size_t i = 0; i < value_columns_.size(); ++i) {
    const Value& a = stored[stored_values_[i]];
    const Value& b = recomputed[recomputed_values_[i]];
    if (equal(a, b)) continue;
    const ValueColumn& column = value_columns_[i];
    Difference difference{key_text(stored, stored_keys_), column.name, base::to_text(a),
                          base::to_text(b)};
    if (column.is_prose && has_content(difference.stored) &&
        have_same_content(difference.stored, difference.recomputed)) {
      check_.add_wording(std::move(difference));
      continue;
    }
    same = false;
    check_.add(std::move(difference));
  }
  if (same) ++check_.matched;
}

void RowComparison::add_stored_only(const CellRow& stored) {
  ++check_.rows;
  check_.add({key_text(stored, stored_keys_), "", kRow, kNoRow});
}

void RowComparison::add_recomputed_only(const CellRow& recomputed) {
  ++check_.rows;
  check_.add({key_text(recomputed, recomputed_keys_), "", kNoRow, kRow});
}

}  // namespace dlview::verify
