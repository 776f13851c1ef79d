#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "report/capture.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::Unit;
using profile::StoredAggregation;

// A column of the only row of a table.
Column constant_text(std::string id, std::string title, std::string text) {
  return word_column(std::move(id), std::move(title),
                     [text = std::move(text)](std::size_t) { return text; });
}

}  // namespace

Table aggregations(const Input& input) {
  const std::vector<StoredAggregation>& stored = input.profile.stored_aggregations;
  Table table;
  table.row_count = stored.size();
  auto& columns = table.columns;
  const auto number = [&](const char* id, const char* title, int64_t StoredAggregation::*member) {
    columns.push_back(
        ascending(integer_column(id, title, Unit::none, [&stored, member](std::size_t row) {
          return stored[row].*member;
        })));
  };
  const auto text = [&](const char* id, const char* title, std::string StoredAggregation::*member) {
    columns.push_back(text_column(id, title, [&stored, member](std::size_t row) {
      return std::string_view(stored[row].*member);
    }));
  };
  number("aggr_id", "Aggregation", &StoredAggregation::id);
  number("iter_start", "Start Iteration", &StoredAggregation::first_iteration);
  number("iter_stop", "Stop Iteration", &StoredAggregation::last_iteration);
  columns.push_back(
      integer_column("iter_aggregated", "Iterations", Unit::count, [&stored](std::size_t row) {
        return stored[row].last_iteration - stored[row].first_iteration + 1;
      }));
  text("key_node_name", "Key Op", &StoredAggregation::key_op);
  text("user_name", "User", &StoredAggregation::user);
  text("host_name", "Host", &StoredAggregation::host);
  text("aggr_start", "Started", &StoredAggregation::started);
  text("aggr_end", "Ended", &StoredAggregation::ended);
  return table;
}

Table db_version(const Input& input) {
  const profile::SystemFacts& system = input.profile.system;
  Table table;
  table.row_count = 1;
  table.columns = {
      constant_text("current_version", "Version", system.database_version),
      constant_text("original_version", "Original Version", system.original_database_version),
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
  const auto text = [&](const char* id, const char* title, std::string aggregate::Advice::*member) {
    table.columns.push_back(text_column(id, title, [&advice, member](std::size_t row) {
      return std::string_view(advice[row].*member);
    }));
  };
  text("problem", "Problem", &aggregate::Advice::problem);
  text("recommendation", "Recommendation", &aggregate::Advice::recommendation);
  text("javascript_function", "Action", &aggregate::Advice::action);
  text("javascript_args", "Action's Arguments", &aggregate::Advice::action_arguments);
  return table;
}

Table gpu_names(const Input& input) {
  std::vector<std::string_view> sorted;
  for (const profile::Device& device : input.profile.devices) sorted.push_back(device.name);
  std::sort(sorted.begin(), sorted.end());
  const auto names = std::make_shared<const std::vector<std::string_view>>(std::move(sorted));
  Table table;
  table.row_count = names->size();
  table.columns = {
      text_column("gpu_name", "Name", [names](std::size_t row) { return (*names)[row]; })};
  return table;
}

Table key_op_name(const Input& input) {
  Table table;
  table.row_count = 1;
  table.columns = {aggregation_id_column(input),
                   text_column("key_op", "Key Op", [&aggregation = input.aggregation](std::size_t) {
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
      flag_column("is_valid", "Valid", [](std::size_t) { return true; }),
      constant_text("num_gpus", "GPUs", gpu_count(input.profile)),
      constant_text("cpu_model", "CPU Model", system.cpu_model),
      constant_text("driver_version", "GPU Driver Version", system.driver_version),
      constant_text("framework", "Framework", system.framework),
      constant_text("cuda_version", "CUDA Version", system.cuda_version),
      constant_text("cudnn_version", "cuDNN Version", system.cudnn_version),
      constant_text("nsys_version", "Nsight Systems Version", system.nsys_version),
      constant_text("dlprof_version", "DLProf Version", system.dlprof_version),
      constant_text("dlprof_build", "DLProf Build", system.dlprof_build),
      constant_text("profile_name", "Profile Name", system.profile_name),
      constant_text("mode_string", "Mode", system.mode),
      constant_text("original_command", "Command Line", system.original_command),
  };
  return table;
}

}  // namespace dlview::report::view
