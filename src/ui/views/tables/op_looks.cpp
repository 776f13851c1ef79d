#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "aggregate/range_sums.h"
#include "aggregate/self_time.h"
#include "profile/recorded.h"
#include "ui/views/limits/badges.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using report::Cell;
using report::ColumnId;
using report::SortDirection;
using report::Table;

constexpr const char* kNoOps = "No ops ran in this range.";
constexpr const char* kNoMatchingOps = "No ops match the filters. Clear filters.";

Tone tone_of_iteration_op(const Table& table, std::size_t row) {
  const Cell time = cell_in(table, row, "tc_gpu_time");
  if (number_of(time) > 0) return Tone::tensor_core_kernels;
  if (is_set(table, row, "communicates")) return Tone::communication;
  return time == Cell() ? Tone::unknown : Tone::other_kernels;
}

Tone longest_part(const Table& table, std::size_t row) {
  return std::ranges::max(gpu_time_parts(table, row), {}, &TonePart::ns).tone;
}

bool misses_tensor_cores(const Table& table, std::size_t row) {
  return is_set(table, row, "tc_eligible") && !is_set(table, row, "using_tc");
}

// A cross where an eligible op uses none.
ColumnLook use_by_ops() {
  ColumnLook look = number("using_tc");
  look.attention = misses_tensor_cores;
  return look;
}

bool is_group_row(const Table& table, std::size_t row) {
  return cell_in(table, row, "row_type") == Cell(report::kGroupRow);
}

// Nothing for a group: its ops may have both directions.
std::optional<Filter> op_direction_filter(const Table& table, std::size_t row) {
  if (is_group_row(table, row)) return std::nullopt;
  return filter_to(FilterKind::direction, cell_in(table, row, "direction"));
}

bool any_text(const profile::Profile& profile, const profile::Column<profile::StringId>& column) {
  return std::ranges::any_of(column,
                             [&](profile::StringId id) { return !profile.text(id).empty(); });
}

struct RecordedTexts {
  bool directions = false, stack_traces = false, data_types = false;
  bool namesakes = false;  // ops that differ only in their ids
};

bool has_namesakes(const profile::Profile& profile) {
  std::set<std::pair<profile::StringId, profile::StringId>> names;
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    if (!names.emplace(profile.ops.name[op], profile.ops.direction[op]).second) return true;
  }
  return false;
}

RecordedTexts recorded_texts(const profile::Profile& profile) {
  return {any_text(profile, profile.ops.direction), any_text(profile, profile.ops.stack_trace),
          any_text(profile, profile.ops.data_type), has_namesakes(profile)};
}

void add_op_texts(std::vector<ColumnLook>& columns, const RecordedTexts& recorded) {
  ColumnLook id = word("op_node_id");
  id.shown = recorded.namesakes;
  columns.push_back(std::move(id));
  if (recorded.directions) columns.push_back(word("direction"));
  columns.push_back(word("op_node_type"));
}

void add_stack_trace(std::vector<ColumnLook>& columns, const RecordedTexts& recorded) {
  if (recorded.stack_traces) columns.push_back(name("stack_trace", CutAt::middle));
}

// What is missing and how to record it; empty if any call of an op has shapes.
std::string no_input_shapes(const profile::Profile& profile) {
  std::optional<profile::StringId> last;  // calls in a row often have the same text
  const auto has_shapes = [&](profile::StringId id) {
    return std::exchange(last, id) != id && !aggregate::shapes_text(profile, id).empty();
  };
  const bool has_any = std::ranges::any_of(profile.instances.input_shapes, has_shapes);
  if (has_any) return "";
  return fmt::format("Input shapes not recorded: {}",
                     profile::is_pytorch_trace(profile)
                         ? "torch.profiler.profile(record_shapes=True)"
                         : "nsys profile --pytorch=autograd-shapes-nvtx");
}

// Sorts by GPU time if GPU activity was recorded.
report::TableQuery longest_first(const profile::Profile& profile, ColumnId gpu_time,
                                 ColumnId cpu_time) {
  const bool by_gpu = profile::tells_of(profile, profile::Evidence::gpu_work);
  return sorted_by(by_gpu ? gpu_time : cpu_time, SortDirection::descending);
}

}  // namespace

TableLook op_types_look(const profile::Profile& profile) {
  TableLook look{.id = "op_types",
                 .title = "Op types",
                 .noun = "op types",
                 .key = "op_node_type",
                 .when_none = kNoOps,
                 .when_filtered = kNoMatchingOps,
                 .first_query = longest_first(profile, "gpu_time_sum", "cpu_time_sum"),
                 .note = sum_note(profile),
                 .place = place_of_op_type,
                 .is_driving = selects_first(profile)};
  look.columns = {sized(word("op_node_type"), 150, 1),
                  with_bar(number("gpu_time_sum"), longest_part)};
  append_time_columns(look.columns, profile);
  append(look.columns,
         {with_bar(number("cpu_time_sum"), always(Tone::cpu)), number("num_nodes"),
          number("num_calls"), number("cpu_overhead_sum"), sized(number("gpu_idle_sum"), 76),
          hidden(number("gpu_time_avg")), hidden(number("gpu_time_min")),
          hidden(number("gpu_time_max")), hidden(number("cpu_time_avg")),
          hidden(number("cpu_time_min")), hidden(number("cpu_time_max")),
          hidden(number("cpu_overhead_avg")), hidden(number("cpu_overhead_min")),
          hidden(number("cpu_overhead_max")), hidden(number("gpu_idle_avg")),
          hidden(number("gpu_idle_min")), hidden(number("gpu_idle_max"))});
  return look;
}

TableLook ops_look(const profile::Profile& profile) {
  const RecordedTexts recorded = recorded_texts(profile);
  TableLook look{.id = "ops",
                 .title = "Ops",
                 .noun = "ops",
                 .key = "op_node_id",
                 .op = "op_node_id",
                 .when_none = kNoOps,
                 .when_filtered = kNoMatchingOps,
                 .first_query = longest_first(profile, "op_nodes.gpu_time", "cpu_time"),
                 .note = sum_note(profile),
                 .place = place_of_op,
                 .is_driving = selects_first(profile)};
  look.columns = {sized(name("op_node_name", CutAt::front), 166, 2),
                  with_bar(number("op_nodes.gpu_time"), tone_by_tensor_cores("using_tc"))};
  const bool has_self = aggregate::has_self_times(profile);
  if (has_self) {
    look.columns.back().title = "Self GPU time";
    look.columns.push_back(number("op_nodes.gpu_time_total"));
  }
  append_time_columns(look.columns, profile);
  look.columns.push_back(number("cpu_time"));
  if (has_self) look.columns.back().title = "Self CPU time";
  look.columns.push_back(number("num_calls"));
  look.columns.push_back(number("kernel_calls"));
  look.columns.push_back(use_by_ops());
  look.columns.push_back(number("tc_eligible"));
  add_op_texts(look.columns, recorded);
  if (recorded.data_types) {
    ColumnLook type = word("data_type");
    type.attention = [](const Table& table, std::size_t row) {
      return is_set(table, row, "is_bad_data_type");
    };
    look.columns.push_back(std::move(type));
  }
  look.columns.push_back(badge_column());
  add_stack_trace(look.columns, recorded);
  look.columns.push_back(hidden(word("is_bad_data_type")));
  return look;
}

TableLook op_shapes_look(const profile::Profile& profile) {
  TableLook look{.id = "op_shapes",
                 .title = "Ops by input shape",
                 .noun = "rows",
                 .key = "op_call",
                 .op = "op_node_id",
                 .when_none = kNoOps,
                 .when_filtered = kNoMatchingOps,
                 .first_query = longest_first(profile, "gpu_time_sum", "cpu_time_sum"),
                 .prompt = "Summing ops by input shape…",
                 .note = no_input_shapes(profile),
                 .place = place_of_op};
  if (look.note.empty()) look.note = sum_note(profile);
  look.columns = {sized(name("op_node_name", CutAt::front), 166, 1)};
  ColumnLook shapes = name("input_shapes", CutAt::middle);
  shapes.filter = {};
  look.columns.push_back(std::move(shapes));
  add_op_texts(look.columns, recorded_texts(profile));
  look.columns.push_back(with_bar(number("gpu_time_sum"), tone_by_tensor_cores("using_tc")));
  append_time_columns(look.columns, profile);
  append(look.columns,
         {number("num_calls"), hidden(number("gpu_time_avg")), hidden(number("gpu_time_min")),
          hidden(number("gpu_time_max")), number("cpu_time_sum"), number("kernel_calls"),
          use_by_ops(), hidden(number("tc_eligible")), hidden(name("op_call", CutAt::middle))});
  return look;
}

TableLook groups_look(const profile::Profile& profile) {
  ColumnLook tree = name("row_trimmed_name", CutAt::middle);
  tree.tree = true;
  tree.filter = group_or_op_filter;
  TableLook look{.id = "groups",
                 .title = "Groups and ops",
                 .noun = "rows",
                 .key = "row_full_id",
                 .when_none = kNoOps,
                 .when_filtered = kNoMatchingOps,
                 .columns = {std::move(tree), with_bar(number("gpu_time_sum"), longest_part)},
                 .first_query = longest_first(profile, "gpu_time_sum", "cpu_time_sum"),
                 .note = sum_note(profile),
                 .place = place_of_group_or_op};
  std::vector<ColumnLook>& columns = look.columns;
  ColumnLook cpu = with_bar(number("cpu_time_sum"), always(Tone::cpu));
  const bool has_self = aggregate::has_self_times(profile);
  if (has_self) {
    columns.back().title = "Total GPU time";
    cpu.title = "Total CPU time";
    columns.push_back(number("group_ops.gpu_time_self"));
  }
  append_time_columns(columns, profile);
  columns.push_back(std::move(cpu));
  if (has_self) columns.push_back(hidden(number("group_ops.cpu_time_self")));
  append(columns,
         {number("num_op_instances"), number("num_tc_leaf_ops"), number("num_supported_leaf_ops")});
  if (recorded_texts(profile).directions) {
    columns.push_back(word("group_ops.direction"));
    columns.back().filter = op_direction_filter;
  }
  columns.push_back(badge_column());
  append(columns,
         {hidden(number("cpu_overhead_sum")), hidden(number("group_ops.gpu_idle_sum")),
          hidden(number("level")), hidden(word("row_full_id")), hidden(word("row_full_name"))});
  return look;
}

std::optional<Filter> group_or_op_filter(const Table& table, std::size_t row) {
  const FilterKind kind = is_group_row(table, row) ? FilterKind::group : FilterKind::op;
  return filter_to(kind, cell_in(table, row, "row_full_id"));
}

TableLook iteration_ops_look(const profile::Profile& profile) {
  const RecordedTexts recorded = recorded_texts(profile);
  TableLook look{
      .id = "iteration_ops",
      .title = "Ops",
      .noun = "ops",
      .key = "op_node_id",
      .when_none = no_kernels(profile, "No ops launched kernels in this iteration."),
      .when_filtered =
          no_kernels(profile, "No ops of this iteration match the filters. Clear filters."),
      .first_query = sorted_by("iteration_ops.total_gpu_time", SortDirection::descending),
      .prompt = "Select an iteration above to see its ops.",
      .note = sum_note(profile),
      .place = place_of_op,
      .is_driving = selects_first(profile)};
  look.columns = {sized(name("op_node_name", CutAt::front), 166, 2),
                  with_bar(number("iteration_ops.total_gpu_time"), tone_of_iteration_op),
                  number("tc_gpu_time"), number("iteration_ops.total_count"), number("tc_count")};
  add_op_texts(look.columns, recorded);
  if (recorded.data_types) look.columns.push_back(word("data_type"));
  add_stack_trace(look.columns, recorded);
  return look;
}

}  // namespace dlview::ui
