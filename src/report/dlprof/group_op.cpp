#include <memory>
#include <string_view>

#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::GroupAggregate;
using aggregate::Unit;
using profile::Profile;

// The row that DLProf calls _CompleteModel_: all ops as if they were one group.
GroupAggregate complete_model(const Profile& profile, const Aggregation& aggregation) {
  GroupAggregate model;
  model.group = profile::kNoRow;
  model.times = aggregation.model_times;
  for (const aggregate::OpAggregate& op : aggregation.ops) {
    model.instance_count += op.times.count();
    model.eligible_ops += profile.is_eligible(op.op) ? 1 : 0;
    model.tensor_core_ops += op.uses_tensor_cores() ? 1 : 0;
  }
  return model;
}

}  // namespace

Table group_op_report(const Profile& profile, const Aggregation& aggregation) {
  const auto model = std::make_shared<const GroupAggregate>(complete_model(profile, aggregation));
  const auto group = [&aggregation, model](std::size_t row) -> const GroupAggregate& {
    return row < aggregation.groups.size() ? aggregation.groups[row] : *model;
  };

  Table table{"group_op", "Group Op Report", Layout::rows, {}, aggregation.groups.size() + 1};
  table.columns.push_back(
      text_column("name", "Name", [&profile, &aggregation, group](std::size_t row) {
        const GroupAggregate& found = group(row);
        if (found.group == profile::kNoRow) return std::string_view("_CompleteModel_");
        return aggregate::group_name(profile, aggregation.group_tree->groups[found.group]);
      }));
  table.columns.push_back(
      integer_column("instances", "Num Calls Aggregated", Unit::count,
                     [group](std::size_t row) { return group(row).instance_count; }));
  table.columns.push_back(
      integer_column("eligible_ops", "Num TC Eligible Ops", Unit::count,
                     [group](std::size_t row) { return group(row).eligible_ops; }));
  table.columns.push_back(
      integer_column("tc_ops", "Num Ops Using TC", Unit::count,
                     [group](std::size_t row) { return group(row).tensor_core_ops; }));
  append_time_columns(table.columns, [group](std::size_t row) -> const aggregate::TimeStats& {
    return group(row).times;
  });
  return table;
}

}  // namespace dlview::report::dlprof
