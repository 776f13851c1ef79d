// Shared parts of the writers of aggregated tables. Each function writes some tables for one
// aggregation. They are called in the order of their declarations, in which DLProf numbers shared
// rows.
#pragma once

#include "aggregate/aggregation.h"
#include "generate/dlprof/dictionary.h"
#include "generate/dlprof/row_order.h"
#include "generate/dlprof/value_tables.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

struct AggregatedWriter {
  const profile::Profile& profile;
  const RowOrder& order;
  Dictionary& dictionary;
  ValueTables& values;
  SqliteFile& file;
};

// The next free id of each table that several aggregations share.
struct NextIds {
  int64_t iteration = 1, profiled_iteration = 1, advice = 1, device = 1, op = 1, group = 1,
          kernel_summary = 1, kernel_iteration = 1, iteration_kernels = 1, op_type = 1;
};

// aggregations, expert_systems_feedback, iteration_key, iteration_list, iteration_aggregation_list
void write_iterations(const AggregatedWriter& to, const aggregate::Aggregation& from,
                      int64_t aggr_id, NextIds& next);
// model_summary, device_gpu_utilizations, kernel_summary_metrics, memory_summary_metrics
void write_model(const AggregatedWriter& to, const aggregate::Aggregation& from, int64_t aggr_id,
                 NextIds& next);
// op_nodes, group_ops, kernel_summaries, op_type_metrics
void write_ops(const AggregatedWriter& to, const aggregate::Aggregation& from, int64_t aggr_id,
               NextIds& next);
// kernel_iteration_stats, kernel_iteration_node
void write_iteration_kernels(const AggregatedWriter& to, const aggregate::Aggregation& from,
                             int64_t aggr_id, NextIds& next);

}  // namespace dlview::generate::dlprof
