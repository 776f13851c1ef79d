#include "verify/compare.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace dlview::verify {
namespace {

using base::Value;
using base::ValueTable;
using Rows = std::vector<std::size_t>;

constexpr const char* kNoRow = "no such row";
constexpr const char* kRow = "a row";

// Columns of the recomputed table, each with its place in the stored one.
struct SharedColumns {
  SharedColumns(const ValueTable& stored, const ValueTable& recomputed) {
    for (std::size_t i = 0; i < recomputed.columns.size(); ++i) {
      const auto found =
          std::find(stored.columns.begin(), stored.columns.end(), recomputed.columns[i]);
      if (found == stored.columns.end()) continue;
      const auto place = static_cast<std::size_t>(found - stored.columns.begin());
      (i < recomputed.key_columns ? keys : values).emplace_back(place, i);
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> keys, values;  // (stored, recomputed)
};

class TableComparison {
 public:
  TableComparison(const ValueTable& stored, const ValueTable& recomputed)
      : stored_(stored), recomputed_(recomputed), columns_(stored, recomputed) {
    check_.name = recomputed.name;
  }

  Check run() {
    const auto stored_key = [this](std::size_t row, std::size_t k) -> const Value& {
      return stored_.rows[row][columns_.keys[k].first];
    };
    const auto recomputed_key = [this](std::size_t row, std::size_t k) -> const Value& {
      return recomputed_.rows[row][columns_.keys[k].second];
    };
    const Rows left = sorted(stored_.rows.size(), stored_key);
    const Rows right = sorted(recomputed_.rows.size(), recomputed_key);
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
      ++check_.rows;
      const int order = l == left.end()    ? 1
                        : r == right.end() ? -1
                                           : order_of(*l, stored_key, *r, recomputed_key);
      if (order < 0) check_.add({key_text(*l++, stored_key), "", kRow, kNoRow});
      if (order > 0) check_.add({key_text(*r++, recomputed_key), "", kNoRow, kRow});
      if (order == 0) compare_rows(*l++, *r++, stored_key);
    }
    return std::move(check_);
  }

 private:
  template <typename LeftKey, typename RightKey>
  int order_of(std::size_t left, const LeftKey& left_key, std::size_t right,
               const RightKey& right_key) const {
    for (std::size_t k = 0; k < columns_.keys.size(); ++k) {
      const Value& a = left_key(left, k);
      const Value& b = right_key(right, k);
      if (a < b) return -1;
      if (b < a) return 1;
    }
    return 0;
  }

  template <typename Key>
  Rows sorted(std::size_t count, const Key& key) const {
    Rows rows(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = i;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return order_of(a, key, b, key) < 0; });
    return rows;
  }

  template <typename Key>
  std::string key_text(std::size_t row, const Key& key) const {
    std::string text;
    for (std::size_t k = 0; k < columns_.keys.size(); ++k) {
      if (k > 0) text += ", ";
      text += base::to_text(key(row, k));
    }
    return text;
  }

  template <typename Key>
  void compare_rows(std::size_t left, std::size_t right, const Key& key) {
    bool same = true;
    for (const auto& [stored_column, column] : columns_.values) {
      const Value& a = stored_.rows[left][stored_column];
      const Value& b = recomputed_.rows[right][column];
      if (equal(a, b)) continue;
      same = false;
      check_.add(
          {key_text(left, key), recomputed_.columns[column], base::to_text(a), base::to_text(b)});
    }
    if (same) ++check_.matched;
  }

  const ValueTable& stored_;
  const ValueTable& recomputed_;
  SharedColumns columns_;
  Check check_;
};

}  // namespace

void Check::add(Difference difference) {
  ++difference_count;
  if (first_differences.size() < kDifferencesKept) {
    first_differences.push_back(std::move(difference));
  }
}

bool equal(const Value& stored, const Value& recomputed) {
  if (stored == recomputed) return true;
  const double* const a = std::get_if<double>(&stored);
  const double* const b = std::get_if<double>(&recomputed);
  return a != nullptr && b != nullptr && fmt::format("{:.6f}", *a) == fmt::format("{:.6f}", *b);
}

Check compare(const ValueTable& stored, const ValueTable& recomputed) {
  return TableComparison(stored, recomputed).run();
}

}  // namespace dlview::verify
