// The value tables that aggregated rows share: `metric` (each set of values once in the whole
// table), node_time_metrics, kernel_time_metrics and category_summary. Each call returns an id.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "aggregate/aggregation.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

class ValueTables {
 public:
  explicit ValueTables(SqliteFile& file);

  int64_t metric(const aggregate::Stats& stats);
  int64_t node_times(const aggregate::TimeStats& times);
  int64_t kernel_times(const aggregate::Stats& api, const aggregate::Stats& gpu);
  int64_t category(const aggregate::CategorySummary& summary);

 private:
  Insert metric_, node_times_, kernel_times_, category_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int64_t> metric_ids_;
  int64_t last_node_times_id_ = 0, last_kernel_times_id_ = 0, last_category_id_ = 0;
};

}  // namespace dlview::generate::dlprof
