#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "report/capture.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using profile::StoredAggregation;

}  // namespace

Table aggregations(const Input& input) {
  const std::vector<StoredAggregation>& stored = input.profile.stored_aggregations;
  Table table;
  table.row_count = stored.size();
  auto& columns = table.columns;
  const auto number = [&](ColumnId id, int64_t StoredAggregation::*member) {
    columns.push_back(
        column(id, [&stored, member](std::size_t row) { return stored[row].*member; }));
  };
  const auto text = [&](ColumnId id, std::string StoredAggregation::*member) {
    columns.push_back(column(
        id, [&stored, member](std::size_t row) { return std::string_view(stored[row].*member); }));
  };
  number("aggr_id", &StoredAggregation::id);
  number("iter_start", &StoredAggregation::first_iteration);
  number("iter_stop", &StoredAggregation::last_iteration);
  columns.push_back(column("iter_aggregated", [&stored](std::size_t row) {
    return stored[row].last_iteration - stored[row].first_iteration + 1;
  }));
  text("key_node_name", &StoredAggregation::key_op);
  text("user_name", &StoredAggregation::user);
  text("host_name", &StoredAggregation::host);
  text("aggr_start", &StoredAggregation::started);
  text("aggr_end", &StoredAggregation::ended);
  return table;
}

Table db_version(const Input& input) {
  const profile::SystemFacts& system = input.profile.system;
  Table table;
  table.row_count = 1;
  table.columns = {
      constant("current_version", system.database_version),
      constant("original_version", system.original_database_version),
  };
  return table;
}

Table domains(const Input& input) {
  Table table;
  table.row_count = 1;
  table.columns = {domain_column(input)};
  return table;
}

Table expert_systems(const Input& input) {
  const std::vector<aggregate::Advice>& advice = input.aggregation.advice;
  Table table;
  table.row_count = advice.size();
  table.columns = {aggregation_id_column(input)};
  const auto text = [&](ColumnId id, std::string aggregate::Advice::*member) {
    table.columns.push_back(column(
        id, [&advice, member](std::size_t row) { return std::string_view(advice[row].*member); }));
  };
  text("problem", &aggregate::Advice::problem);
  text("recommendation", &aggregate::Advice::recommendation);
  text("javascript_function", &aggregate::Advice::action);
  text("javascript_args", &aggregate::Advice::action_arguments);
  return table;
}

Table gpu_names(const Input& input) {
  std::vector<std::string_view> sorted;
  for (const profile::Device& device : input.profile.devices) sorted.push_back(device.name);
  std::sort(sorted.begin(), sorted.end());
  const auto names = std::make_shared<const std::vector<std::string_view>>(std::move(sorted));
  Table table;
  table.row_count = names->size();
  table.columns = {column("gpu_name", [names](std::size_t row) { return (*names)[row]; })};
  return table;
}

Table key_op_name(const Input& input) {
  Table table;
  table.row_count = 1;
  table.columns = {aggregation_id_column(input),
                   column("key_op", [&aggregation = input.aggregation](std::size_t) {
                     return std::string_view(aggregation.selection.cut.key_op);
                   })};
  return table;
}

Table system_config(const Input& input) {
  const profile::SystemFacts& system = input.profile.system;
  Table table;
  table.row_count = 1;
  table.columns = {
      // A file that says otherwise is not opened.
      column("is_valid", [](std::size_t) { return true; }),
      constant("num_gpus", gpu_count(input.profile)),
      constant("cpu_model", system.cpu_model),
      constant("driver_version", system.driver_version),
      constant("framework", system.framework),
      constant("cuda_version", system.cuda_version),
      constant("cudnn_version", system.cudnn_version),
      constant("nsys_version", system.nsys_version),
      constant("dlprof_version", system.dlprof_version),
      constant("dlprof_build", system.dlprof_build),
      constant("profile_name", system.profile_name),
      constant("mode_string", system.mode),
      constant("original_command", system.original_command),
  };
  return table;
}

}  // namespace dlview::report::view
