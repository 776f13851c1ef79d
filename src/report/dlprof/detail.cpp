#include <algorithm>
#include <memory>
#include <vector>

#include "profile/recorded.h"
#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::OpAggregate;
using aggregate::Unit;
using profile::Profile;
using profile::Row;

// Indices into Aggregation::ops in byte order of the op id: the order of DLProf's op_nodes.
std::vector<Row> ops_by_id(const Profile& profile, const Aggregation& aggregation) {
  std::vector<Row> order(aggregation.ops.size());
  for (Row i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](Row a, Row b) {
    return profile.text(profile.ops.id[aggregation.ops[a].op]) <
           profile.text(profile.ops.id[aggregation.ops[b].op]);
  });
  return order;
}

}  // namespace

Table detail_report(const Profile& profile, const Aggregation& aggregation) {
  const auto order = std::make_shared<const std::vector<Row>>(ops_by_id(profile, aggregation));
  const auto aggregate = [&aggregation, order](std::size_t row) -> const OpAggregate& {
    return aggregation.ops[(*order)[row]];
  };
  const auto op = [aggregate](std::size_t row) { return aggregate(row).op; };

  // "All Iterations" is DLProf's title for any range.
  Table table{"detail", "All Iterations", Layout::rows, {}, order->size()};
  append_op_columns(table.columns, profile, op);
  append_op_type_column(table.columns, profile, op);
  table.columns.push_back(
      integer_column("calls", "No. Calls", Unit::count,
                     [aggregate](std::size_t row) { return aggregate(row).times.count(); }));
  table.columns.push_back(
      flag_column("tc_eligible", "TC Eligible", [&profile, op](std::size_t row) {
        return profile::tells_eligibility(profile, op(row)) ? Cell(profile.is_eligible(op(row)))
                                                            : Cell();
      }));
  table.columns.push_back(flag_column("using_tc", "Using TC", [aggregate](std::size_t row) {
    return aggregate(row).uses_tensor_cores();
  }));
  append_time_columns(table.columns, [aggregate](std::size_t row) -> const aggregate::TimeStats& {
    return aggregate(row).times;
  });
  table.columns.push_back(word_column("data_type", "Data Type", [&profile, op](std::size_t row) {
    return profile.text(profile.ops.data_type[op(row)]);
  }));
  table.columns.push_back(text_column(
      "stack_trace", "Stack Trace",
      [&profile, op](std::size_t row) { return profile.text(profile.ops.stack_trace[op(row)]); }));
  return table;
}

}  // namespace dlview::report::dlprof
