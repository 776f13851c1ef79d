#include "ui/views/tables/looks.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "aggregate/self_time.h"
#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/table/table_data.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/row_places.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using report::Cell;
using report::ColumnId;
using report::SortDirection;
using report::Table;

constexpr float kBarColumn = 138;
constexpr const char* kNoOps = "No ops ran in this range.";
constexpr const char* kNoMatchingOps = "No ops match the filters. Clear filters.";

bool is_set(const Table& table, std::size_t row, ColumnId column) {
  const Cell cell = cell_in(table, row, column);
  const bool* flag = std::get_if<bool>(&cell);
  return flag != nullptr && *flag;
}

// The color of a row's time: by its Tensor Core use if it has kernels, else that of memory.
std::function<Tone(const Table&, std::size_t)> tone_by_tensor_cores(ColumnId uses) {
  return [uses](const Table& table, std::size_t row) {
    if (is_set(table, row, uses)) return Tone::tensor_core_kernels;
    const std::size_t kernels = find_column(table, "kernel_calls");
    const bool copies_only = kernels != kNoColumn && number_of(table.cell(row, kernels)) == 0;
    if (copies_only) return Tone::memory;
    const bool is_unknown = cell_in(table, row, uses) == Cell();
    return is_unknown ? Tone::unknown : Tone::other_kernels;
  };
}

Tone tone_of_iteration_op(const Table& table, std::size_t row) {
  const bool uses = number_of(cell_in(table, row, "tc_gpu_time")) > 0;
  return uses ? Tone::tensor_core_kernels : Tone::other_kernels;
}

Tone longest_part(const Table& table, std::size_t row) {
  return std::ranges::max(gpu_time_parts(table, row), {}, &TonePart::ns).tone;
}

std::function<Tone(const Table&, std::size_t)> always(Tone tone) {
  return [tone](const Table&, std::size_t) { return tone; };
}

bool misses_tensor_cores(const Table& table, std::size_t row) {
  return is_set(table, row, "tc_eligible") && !is_set(table, row, "using_tc");
}

std::optional<Filter> filter_to(FilterKind kind, const Cell& cell) {
  const bool* flag = std::get_if<bool>(&cell);
  const std::string value = flag == nullptr ? report::to_text(cell) : *flag ? "1" : "0";
  const auto filter = aggregate::parse_filter(aggregate::to_text(kind), value);
  return filter ? std::optional(*filter) : std::nullopt;
}

// Several ops may have the same name, so filters to an op use its id.
std::function<std::optional<Filter>(const Table&, std::size_t)> filter_of(ColumnId column) {
  using enum FilterKind;
  struct Source {
    ColumnId column;
    FilterKind kind;
    ColumnId value;  // the column that has it
  };
  constexpr Source kSources[] = {
      {"op_node_name", op, "op_node_id"},        {"op_node_id", op, "op_node_id"},
      {"op_node_type", op_type, "op_node_type"}, {"direction", FilterKind::direction, "direction"},
      {"tc_eligible", eligible, "tc_eligible"},  {"kernel_name", kernel, "kernel_name"},
      {"device_id", device, "device_id"},        {"uses_tc", tensor_core, "uses_tc"}};
  for (const Source& source : kSources) {
    if (source.column.text() != column.text()) continue;
    return [kind = source.kind, value = source.value](const Table& table, std::size_t row) {
      return filter_to(kind, cell_in(table, row, value));
    };
  }
  return {};
}

ColumnLook number(ColumnId id) {
  ColumnLook look = column_look(id);
  look.filter = filter_of(id);
  return look;
}

ColumnLook instant(ColumnId id) {
  ColumnLook look = number(id);
  look.instant = true;
  return look;
}

// With a width for one table.
ColumnLook sized(ColumnLook look, float width, float share = 0) {
  look.width = width;
  look.share = share;
  return look;
}

ColumnLook with_bar(ColumnLook look, std::function<Tone(const Table&, std::size_t)> tone) {
  look.width = kBarColumn;
  look.bar = std::move(tone);
  return look;
}

ColumnLook name(ColumnId id, CutAt cut) {
  ColumnLook look = number(id);
  look.code = true;
  look.cut = cut;
  return look;
}

ColumnLook word(ColumnId id) {
  ColumnLook look = number(id);
  look.cut = CutAt::middle;
  return look;
}

ColumnLook hidden(ColumnLook look) {
  look.shown = false;
  return look;
}

void append(std::vector<ColumnLook>& columns, std::vector<ColumnLook> more) {
  std::ranges::move(more, std::back_inserter(columns));
}

// Share, time per iteration and sparkline, where GPU activity was recorded.
void append_time_columns(std::vector<ColumnLook>& columns, const profile::Profile& profile) {
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) return;
  append(columns, time_column_looks());
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

ColumnLook use_of_tensor_cores() {
  ColumnLook look = number("uses_tc");
  look.reason = reason_of_use;
  return look;
}

// Of single kernels, without their op.
std::vector<ColumnLook> kernel_columns() {
  return {name("kernel_name", CutAt::middle),
          with_bar(number("kernel_duration"), tone_by_tensor_cores("uses_tc")),
          instant("kernel_timestamp"),
          sized(number("device_id"), 40),
          use_of_tensor_cores(),
          word("grid"),
          word("block"),
          hidden(word("tc_rule"))};
}

report::TableQuery sorted_by(ColumnId column, SortDirection direction) {
  report::TableQuery query;
  query.sort.push_back({std::string(column.text()), direction});
  return query;
}

// Sorts by GPU time if GPU activity was recorded.
report::TableQuery longest_first(const profile::Profile& profile, ColumnId gpu_time,
                                 ColumnId cpu_time) {
  const bool by_gpu = profile::tells_of(profile, profile::Evidence::gpu_work);
  return sorted_by(by_gpu ? gpu_time : cpu_time, SortDirection::descending);
}

// Why a table of kernels is empty: no GPU activity was recorded, or `otherwise`.
std::string no_kernels(const profile::Profile& profile, std::string_view otherwise) {
  const std::string lack = lack_text(profile, profile::Evidence::gpu_work);
  return lack.empty() ? std::string(otherwise) : lack;
}

// Whether the first row is selected on opening: what it drives is made within a frame.
bool selects_first(const profile::Profile& profile) {
  constexpr std::size_t kMostKernels = 100'000;
  return profile.kernels.size() <= kMostKernels;
}

// A sum over several GPUs may exceed the duration of the range.
std::string sum_note(const profile::Profile& profile) {
  return profile.devices.size() > 1 ? "summed over GPUs" : "";
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
  append(look.columns, {with_bar(number("cpu_time_sum"), always(Tone::cpu)), number("num_nodes"),
                        number("num_calls"), sized(number("cpu_overhead_sum"), 76),
                        sized(number("gpu_idle_sum"), 76), hidden(number("gpu_time_avg")),
                        hidden(number("gpu_time_min")), hidden(number("gpu_time_max")),
                        hidden(number("cpu_time_avg")), hidden(number("cpu_time_min")),
                        hidden(number("cpu_time_max")), hidden(number("cpu_overhead_avg")),
                        hidden(number("cpu_overhead_min")), hidden(number("cpu_overhead_max")),
                        hidden(number("gpu_idle_avg")), hidden(number("gpu_idle_min")),
                        hidden(number("gpu_idle_max"))});
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
    look.columns.push_back(number("op_nodes.total_gpu_time"));
  }
  append_time_columns(look.columns, profile);
  look.columns.push_back(number("cpu_time"));
  if (has_self) look.columns.back().title = "Self CPU time";
  look.columns.push_back(number("num_calls"));
  look.columns.push_back(number("kernel_calls"));
  ColumnLook uses = number("using_tc");
  uses.attention = misses_tensor_cores;
  look.columns.push_back(std::move(uses));
  look.columns.push_back(number("tc_eligible"));
  add_op_texts(look.columns, recorded);
  if (recorded.data_types) {
    ColumnLook type = word("data_type");
    type.attention = [](const Table& table, std::size_t row) {
      return is_set(table, row, "is_bad_data_type");
    };
    look.columns.push_back(std::move(type));
  }
  add_stack_trace(look.columns, recorded);
  look.columns.push_back(hidden(word("is_bad_data_type")));
  return look;
}

TableLook kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_name",
                 .when_none = no_kernels(profile, "This op launched no kernels."),
                 .first_query = sorted_by("kernel_summaries.gpu_time", SortDirection::descending),
                 .prompt = "Select an op above to see its kernels.",
                 .place = place_of_kernels};
  look.columns = {name("kernel_name", CutAt::middle),
                  with_bar(number("kernel_summaries.gpu_time"), tone_by_tensor_cores("uses_tc"))};
  append_time_columns(look.columns, profile);
  append(look.columns, {number("calls"), number("avg"), number("min"), number("max"),
                        use_of_tensor_cores(), hidden(word("tc_rule"))});
  return look;
}

TableLook iterations_look(const profile::Profile& profile) {
  const bool several_devices = profile.devices.size() > 1;
  TableLook look{.id = "iterations_table",
                 .title = "Iterations",
                 .noun = "iterations",
                 .key = "iter_value",
                 .when_none = "No iterations in this range.",
                 .first_query = sorted_by("iter_value", SortDirection::ascending),
                 .place = place_of_iteration,
                 .is_driving = selects_first(profile)};
  // Over the GPUs.
  const auto mean = [several_devices](ColumnLook column, std::string_view title) {
    if (several_devices) column.title = title;
    return column;
  };
  const auto share = [](ColumnId id, Tone tone) {
    ColumnLook column = with_bar(number(id), always(tone));
    column.bar_of = 100;
    return column;
  };
  look.columns = {number("iter_value"),
                  with_bar(number("iterations_profiled.duration"), always(Tone::idle)),
                  mean(number("iterations_profiled.gpu_time"), "Mean GPU time"),
                  share("gpu_share", Tone::other_kernels),
                  mean(number("tc_duration"), "Mean TC time"),
                  share("tc_share", Tone::tensor_core_kernels),
                  number("total_kernel_count"),
                  number("using_tc_kernel_count"),
                  number("launched_time"),
                  instant("start_time")};
  for (ColumnLook& column : look.columns) {
    if (column.bar) column.share = 1;
  }
  if (profile.user_ranges.size() > 0) {
    look.columns.insert(look.columns.begin() + 1, word("range"));
    look.columns.insert(look.columns.begin() + 3, number("range_time"));
  }
  return look;
}

TableLook iteration_kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "iteration_kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_timestamp",
                 .when_none = no_kernels(profile, "No kernels were launched in this iteration."),
                 .when_filtered = no_kernels(
                     profile, "No kernels of this iteration match the filters. Clear filters."),
                 .columns = kernel_columns(),
                 .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
                 .prompt = "Select an iteration above to see its kernels.",
                 .place = place_of_kernel};
  look.columns.insert(look.columns.begin(), name("op_node_name", CutAt::front));
  look.columns.push_back(hidden(sized(word("op_node_id"), 120)));
  return look;
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

TableLook iteration_op_kernels_look(const profile::Profile& profile) {
  return {.id = "iteration_op_kernels",
          .title = "Kernels",
          .noun = "kernels",
          .key = "kernel_timestamp",
          .when_none = no_kernels(profile, "This op launched no kernels in this iteration."),
          .when_filtered = no_kernels(
              profile, "No kernels of this op and iteration match the filters. Clear filters."),
          .columns = kernel_columns(),
          .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
          .prompt = "Select an op above to see its kernels in this iteration.",
          .place = place_of_kernel};
}

TableLook kernel_names_look(const profile::Profile& profile) {
  TableLook look{
      .id = "kernel_names",
      .title = "Kernels",
      .noun = "kernels",
      .key = "kernel_name",
      .when_none = no_kernels(profile, "No kernels ran in this range."),
      .when_filtered = no_kernels(profile, "No kernels match the filters. Clear filters."),
      .first_query = sorted_by("kernel_names.gpu_time", SortDirection::descending),
      .note = sum_note(profile),
      .place = place_of_kernels};
  look.columns = {name("kernel_name", CutAt::middle),
                  with_bar(number("kernel_names.gpu_time"), tone_by_tensor_cores("uses_tc"))};
  append_time_columns(look.columns, profile);
  append(look.columns, {number("calls"), number("avg"), number("min"), number("max"),
                        number("uses_tc"), number("kernel_names.op_count")});
  return look;
}

TableLook launches_look(const profile::Profile& profile) {
  return {.id = "launches",
          .title = "Launch configurations",
          .noun = "launch configurations",
          .key = "launch",
          .when_none = no_kernels(profile, "No kernels ran in this range."),
          .when_filtered = no_kernels(profile, "No kernels match the filters. Clear filters."),
          .columns = {name("kernel_name", CutAt::middle), word("grid"), word("block"),
                      with_bar(number("kernel_launches.gpu_time"), tone_by_tensor_cores("uses_tc")),
                      number("calls"), number("avg"), number("min"), number("max"),
                      number("uses_tc"), hidden(name("launch", CutAt::middle))},
          .first_query = sorted_by("kernel_launches.gpu_time", SortDirection::descending),
          .prompt = "Summing launches…",
          .note = sum_note(profile)};
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
                 .note = sum_note(profile),
                 .place = place_of_op};
  look.columns = {sized(name("op_node_name", CutAt::front), 166, 1)};
  ColumnLook shapes = name("input_shapes", CutAt::middle);
  shapes.filter = {};
  look.columns.push_back(std::move(shapes));
  add_op_texts(look.columns, recorded_texts(profile));
  for (ColumnLook column :
       {with_bar(number("gpu_time_sum"), always(Tone::busy)), number("num_calls"),
        number("gpu_time_avg"), hidden(number("gpu_time_min")), hidden(number("gpu_time_max")),
        number("cpu_time_sum"), number("kernel_calls"), hidden(name("op_call", CutAt::middle))}) {
    look.columns.push_back(std::move(column));
  }
  return look;
}

TableLook devices_look() {
  ColumnLook utilization = with_bar(number("device_gpu_utilization"), always(Tone::busy));
  utilization.bar_of = 100;
  return {.id = "devices",
          .title = "GPUs",
          .noun = "GPUs",
          .key = "device_id",
          .when_none = "No GPUs recorded.",
          .when_filtered = "No GPUs match the filters. Clear filters.",
          .columns = {number("device_id"), word("gpu_name"), std::move(utilization),
                      word("compute_capability"), number("sm_count")},
          .first_query = sorted_by("device_id", SortDirection::ascending)};
}

TableLook gaps_look(const profile::Profile& profile) {
  ColumnLook call = word("idle_gaps.api_call");
  call.code = true;
  // The busy thread is known from thread states or CPU samples.
  const bool tells_threads =
      profile.trace && profile.trace->switches.size() + profile.trace->samples.size() > 0;
  const auto of_threads = [tells_threads](ColumnLook column) {
    return tells_threads ? column : hidden(std::move(column));
  };
  ColumnLook gpu = number("device_id");
  if (tells_threads) call = hidden(std::move(call));
  if (profile.devices.size() == 1) gpu = hidden(std::move(gpu));
  return {
      .id = "gaps",
      .title = "Longest idle gaps",
      .noun = "longest gaps",
      .key = "gap",
      .op = "op_node_id",
      .when_none = no_kernels(profile, "No GPU was idle between two GPU activities."),
      .columns = {with_bar(number("idle_gaps.duration"), always(Tone::idle)), std::move(gpu),
                  number("iter_value"), instant("idle_gaps.start"), word("cause"),
                  number("cause_time"), name("idle_gaps.op_node_name", CutAt::middle),
                  std::move(call), of_threads(word("busy_thread")), of_threads(number("busy_time")),
                  of_threads(name("busy_in", CutAt::middle)), name("next_name", CutAt::middle),
                  hidden(number("process_id")), hidden(number("thread_id"))},
      .first_query = sorted_by("idle_gaps.duration", SortDirection::descending),
      .place = place_of_gap,
      .frozen = "duration"};
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
    columns.push_back(number("self_gpu_time"));
  }
  append_time_columns(columns, profile);
  columns.push_back(std::move(cpu));
  if (has_self) columns.push_back(hidden(number("self_cpu_time")));
  append(columns,
         {number("num_op_instances"), number("num_tc_leaf_ops"), number("num_supported_leaf_ops")});
  if (recorded_texts(profile).directions) {
    columns.push_back(word("group_ops.direction"));
    columns.back().filter = op_direction_filter;
  }
  append(columns,
         {hidden(number("group_ops.cpu_overhead_sum")), hidden(number("group_ops.gpu_idle_sum")),
          hidden(number("level")), hidden(word("row_full_id")), hidden(word("row_full_name"))});
  return look;
}

std::optional<Filter> group_or_op_filter(const Table& table, std::size_t row) {
  const FilterKind kind = is_group_row(table, row) ? FilterKind::group : FilterKind::op;
  return filter_to(kind, cell_in(table, row, "row_full_id"));
}

void add_compute_capability(TableData& data, const report::ViewArguments&) {
  const auto major = cells_of(data.table, "cuda_major");
  const auto minor = cells_of(data.table, "cuda_minor");
  data.table.columns.push_back(
      report::column("compute_capability", [major, minor](std::size_t row) -> Cell {
        const Cell cell = major(row);
        if (std::holds_alternative<std::monostate>(cell)) return {};
        return fmt::format("{}.{}", report::to_text(cell), report::to_text(minor(row)));
      }));
}

void add_iteration_times(TableData& data, const report::ViewArguments&) {
  Table& table = data.table;
  const auto tensor_core = cells_of(table, "tc_duration");
  const auto other = cells_of(table, "non_tc_duration");
  const auto duration = cells_of(table, "duration");
  const auto gpu = [=](std::size_t row) -> Cell {
    const Cell with = tensor_core(row), without = other(row);
    const auto* with_ns = std::get_if<int64_t>(&with);
    const auto* without_ns = std::get_if<int64_t>(&without);
    return with_ns == nullptr || without_ns == nullptr ? Cell() : Cell(*with_ns + *without_ns);
  };
  const auto share = [=](const Cell& part, std::size_t row) -> Cell {
    const double whole = number_of(duration(row));
    if (whole == 0 || std::holds_alternative<std::monostate>(part)) return {};
    return 100.0 * number_of(part) / whole;
  };
  table.columns.push_back(
      report::column("iterations_profiled.gpu_time", [=](std::size_t row) { return gpu(row); }));
  table.columns.push_back(
      report::column("gpu_share", [=](std::size_t row) { return share(gpu(row), row); }));
  table.columns.push_back(
      report::column("tc_share", [=](std::size_t row) { return share(tensor_core(row), row); }));
  const auto number = cells_of(table, "iter_value");
  const auto& facts = data.aggregation->iteration_table->facts;
  table.columns.push_back(report::column("launched_time", [=, &facts](std::size_t row) {
    const Cell cell = number(row);
    const auto* iteration = std::get_if<int64_t>(&cell);
    return iteration == nullptr ? Cell()
                                : Cell(facts[static_cast<std::size_t>(*iteration)].kernels.gpu_ns);
  }));
  const auto& iterations = data.aggregation->iteration_table->iterations;
  const auto range_of = [=, &iterations](std::size_t row) -> const aggregate::KeyRange* {
    const Cell cell = number(row);
    const auto* iteration = std::get_if<int64_t>(&cell);
    if (iteration == nullptr || iterations.ranges.empty()) return nullptr;
    return &iterations.ranges[static_cast<std::size_t>(*iteration)];
  };
  table.columns.push_back(report::column("range", [=, &iterations](std::size_t row) -> Cell {
    const aggregate::KeyRange* range = range_of(row);
    if (range == nullptr) return {};
    if (range->number == profile::kNoValue) return std::string_view(iterations.range_name);
    return fmt::format("{} {}", iterations.range_name, range->number);
  }));
  table.columns.push_back(report::column("range_time", [=, &iterations](std::size_t row) -> Cell {
    const aggregate::KeyRange* range = range_of(row);
    if (range == nullptr) return {};
    if (iterations.split_by == aggregate::SplitBy::host) return range->duration_ns();
    return range->on_gpu ? range->on_gpu->stop_ns - range->on_gpu->start_ns : int64_t{0};
  }));
}

}  // namespace dlview::ui
