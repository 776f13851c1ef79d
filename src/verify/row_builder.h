// Helpers for the rows and columns that DLProf's aggregated tables have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/value_table.h"

namespace dlview::verify {

using Columns = std::vector<std::string>;

// Appends the prefix with each of `parts`: "cpu_count", "cpu_max", ...
void append_columns(Columns& columns, std::string_view prefix,
                    std::initializer_list<const char*> parts);
void append_metric_columns(Columns& columns, std::string_view prefix);
void append_time_columns(Columns& columns);  // the five metrics of node_time_metrics
void append_category_columns(Columns& columns, std::string_view prefix);

// One row of a ValueTable, cell by cell.
class RowBuilder {
 public:
  RowBuilder& add(int64_t number) { return push(number); }
  RowBuilder& add(bool flag) { return push(int64_t{flag ? 1 : 0}); }
  RowBuilder& add(double number) { return push(number); }
  RowBuilder& add(const char*) = delete;  // would be taken for a bool
  RowBuilder& add(std::string_view text) { return push(std::string(text)); }
  RowBuilder& add(const aggregate::Stats& stats);
  RowBuilder& add(const aggregate::TimeStats& times);
  RowBuilder& add(const aggregate::CategorySummary& category);
  RowBuilder& add(const aggregate::KernelTotals& totals);

  std::vector<base::Value> take() { return std::move(row_); }

 private:
  template <typename T>
  RowBuilder& push(T value) {
    row_.emplace_back(std::in_place_type<T>, std::move(value));
    return *this;
  }
  std::vector<base::Value> row_;
};

}  // namespace dlview::verify
