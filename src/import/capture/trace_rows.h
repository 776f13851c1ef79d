// Rows of a Trace: how many a thread takes at a time, values whose column the file may lack, and
// notes under the numbers that rows have in the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/quality_log.h"
#include "profile/column.h"

namespace dlview::import::capture {

// How many rows of a table a thread goes through at a time.
inline constexpr std::size_t kRowsAtOnce = std::size_t{1} << 16;

// `otherwise` where the file lacks the column.
template <typename T>
T value_or(const profile::Column<T>& column, std::size_t row, T otherwise) {
  return row < column.size() ? column[row] : otherwise;
}

// Rows of tables that could not be read, by their numbers from 1: they leave no gaps in the columns
// of the Trace.
class LeftOutRows {
 public:
  // Behind those of the table that were added before.
  void add(std::string_view table, int64_t number) {
    tables_[std::string(table)].push_back(number);
  }

  // The number of a row that is in the Trace; `row` counts those from 0.
  int64_t number_of(std::string_view table, std::size_t row) const {
    const int64_t number = static_cast<int64_t>(row) + 1;
    const auto found = tables_.find(table);
    if (found == tables_.end()) return number;
    const std::vector<int64_t>& left_out = found->second;
    const auto first_behind = std::ranges::partition_point(left_out, [&](const int64_t& other) {
      return other <= number + (&other - left_out.data());
    });
    return number + (first_behind - left_out.begin());
  }

 private:
  std::map<std::string, std::vector<int64_t>, std::less<>> tables_;
};

// The file's names of its tables of events and of GPUs.
struct TableNames {
  const char *kernels, *graph_launches, *memcpys, *memsets, *syncs, *api_calls, *ranges, *gpus;
};

struct TraceNotes {
  const TableNames& tables;
  const LeftOutRows& left_out;
  QualityLog& log;

  // `row` counts the rows that the Trace has of the table from 0.
  template <typename Describe>
  void add(std::string_view table, std::string_view reason, std::size_t row,
           Describe&& describe) const {
    log.add(table, reason, left_out.number_of(table, row), std::forward<Describe>(describe));
  }
};

}  // namespace dlview::import::capture
