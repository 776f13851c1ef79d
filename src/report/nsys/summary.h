// The shape of most reports: events gathered by name, with the share, sum and figures of their
// durations, the largest sum first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "base/saturated_sum.h"
#include "report/nsys/figures.h"
#include "report/nsys/groups.h"
#include "report/table.h"

namespace dlview::report::nsys {

template <std::size_t N>
struct Summary {
  struct Row {
    Key<N> key;
    Figures figures;
  };
  std::vector<Row> rows;
  int64_t total = 0;  // a base::saturated_sum() of all rows

  const Figures& figures(std::size_t row) const { return rows[row].figures; }
  Cell share(std::size_t row) const {
    if (total == 0) return {};
    return static_cast<double>(rows[row].figures.stats.sum) * 100.0 / static_cast<double>(total);
  }
};

// `value_of(row)` is what is summed up; `is_before(key, key)` puts rows of equal sums in order.
template <std::size_t N, typename KeyOf, typename ValueOf, typename IsBefore>
std::shared_ptr<const Summary<N>> summarize(std::span<const std::size_t> rows, const KeyOf& key_of,
                                            const ValueOf& value_of, const IsBefore& is_before) {
  const auto summary = std::make_shared<Summary<N>>();
  const Groups<N> groups = group_by<N>(rows, key_of);
  std::vector<int64_t> values;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    values.clear();
    for (const std::size_t row : groups.rows(group)) values.push_back(value_of(row));
    summary->rows.push_back({groups.keys[group], figures_of(values)});
    summary->total = base::saturated_sum(summary->total, summary->rows.back().figures.stats.sum);
  }
  std::stable_sort(summary->rows.begin(), summary->rows.end(),
                   [&is_before](const auto& a, const auto& b) {
                     const int64_t sum_a = a.figures.stats.sum, sum_b = b.figures.stats.sum;
                     return sum_a != sum_b ? sum_a > sum_b : is_before(a.key, b.key);
                   });
  return summary;
}

// "Time (%)", "Total Time (ns)", the count and the figures.
template <std::size_t N>
Table time_table(const std::shared_ptr<const Summary<N>>& summary, std::string_view count_id,
                 std::string_view count_title) {
  using aggregate::Unit;
  Table table;
  table.row_count = summary->rows.size();
  table.columns = {
      real_column("time_share", "Time", Unit::percent,
                  [summary](std::size_t row) { return summary->share(row); }),
      integer_column("total_time", "Total Time", Unit::ns,
                     [summary](std::size_t row) { return summary->figures(row).stats.sum; }),
      integer_column(std::string(count_id), std::string(count_title), Unit::count,
                     [summary](std::size_t row) { return summary->figures(row).stats.count; })};
  append_figures(table.columns, "", Unit::ns,
                 [summary](std::size_t row) -> const Figures& { return summary->figures(row); });
  return table;
}

}  // namespace dlview::report::nsys
