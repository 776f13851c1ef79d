#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {

using aggregate::Unit;

Table op_type_report(const profile::Profile& profile, const aggregate::Aggregation& aggregation) {
  const auto& types = aggregation.op_types;
  Table table{"op_type", "Op Type Summary Report", Layout::rows, {}, types.size()};
  table.columns.push_back(text_column(
      "op_type", "Op Type", [&](std::size_t row) { return profile.text(types[row].type); }));
  table.columns.push_back(integer_column(
      "ops", "# Ops", Unit::count, [&types](std::size_t row) { return types[row].op_count; }));
  table.columns.push_back(
      integer_column("calls", "# Calls", Unit::count,
                     [&types](std::size_t row) { return types[row].times.count(); }));
  append_time_columns(table.columns, [&types](std::size_t row) -> const aggregate::TimeStats& {
    return types[row].times;
  });
  return table;
}

}  // namespace dlview::report::dlprof
