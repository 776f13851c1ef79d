#include "verify/row_builder.h"

namespace dlview::verify {

void append_columns(Columns& columns, std::string_view prefix,
                    std::initializer_list<const char*> parts) {
  for (const char* part : parts) columns.push_back(std::string(prefix) + "_" + part);
}

void append_metric_columns(Columns& columns, std::string_view prefix) {
  append_columns(columns, prefix, {"count", "max", "min", "sum", "avg"});
}

void append_time_columns(Columns& columns) {
  for (const char* prefix : {"cpu", "gpu", "api", "overhead", "idle"}) {
    append_metric_columns(columns, prefix);
  }
}

void append_category_columns(Columns& columns, std::string_view prefix) {
  append_columns(columns, prefix, {"cpu_time", "gpu_time", "cpu_overhead", "gpu_idle", "count"});
}

RowBuilder& RowBuilder::add(const aggregate::Stats& stats) {
  return add(stats.count).add(stats.max).add(stats.min).add(stats.sum).add(stats.average());
}

RowBuilder& RowBuilder::add(const aggregate::TimeStats& times) {
  return add(times.cpu).add(times.gpu).add(times.api).add(times.overhead).add(times.idle);
}

RowBuilder& RowBuilder::add(const aggregate::CategorySummary& category) {
  return add(category.cpu_ns)
      .add(category.gpu_ns)
      .add(category.overhead_ns)
      .add(category.idle_ns)
      .add(category.count);
}

RowBuilder& RowBuilder::add(const aggregate::KernelTotals& totals) {
  return add(totals.count)
      .add(totals.tensor_core_count)
      .add(totals.gpu_ns)
      .add(totals.tensor_core_gpu_ns);
}

}  // namespace dlview::verify
