#include "ui/views/tables/looks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/table/table_data.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using report::Cell;
using report::SortDirection;
using report::Table;

constexpr float kNameWidth = 166;
constexpr float kBarColumn = 138;
constexpr const char* kNoOps = "No op ran in this range.";
constexpr const char* kNoOpsKept = "No op that the filters keep ran in this range.";

bool is_set(const Table& table, std::size_t row, std::string_view column) {
  const Cell cell = cell_in(table, row, column);
  const bool* flag = std::get_if<bool>(&cell);
  return flag != nullptr && *flag;
}

// The colour of a row's time: its Tensor Core use, where it tells of it, is what a reader looks
// for, and without a kernel the time is that of copies.
std::function<Tone(const Table&, std::size_t)> tone_by_tensor_cores(std::string_view uses) {
  return [uses](const Table& table, std::size_t row) {
    if (is_set(table, row, uses)) return Tone::tensor_core_kernels;
    const std::size_t kernels = find_column(table, "kernel_calls");
    const bool copies_only = kernels != kNoColumn && number_of(table.cell(row, kernels)) == 0;
    return copies_only ? Tone::memory : Tone::other_kernels;
  };
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

// Several ops may have one name: an op is meant by its id.
std::function<std::optional<Filter>(const Table&, std::size_t)> filter_of(std::string_view column) {
  using enum FilterKind;
  struct Source {
    std::string_view column;
    FilterKind kind;
    std::string_view value;  // the column that has it
  };
  constexpr Source kSources[] = {
      {"op_node_name", op, "op_node_id"},        {"op_node_id", op, "op_node_id"},
      {"op_node_type", op_type, "op_node_type"}, {"direction", FilterKind::direction, "direction"},
      {"tc_eligible", eligible, "tc_eligible"},  {"kernel_name", kernel, "kernel_name"},
      {"device_id", device, "device_id"},        {"uses_tc", tensor_core, "uses_tc"}};
  for (const Source& source : kSources) {
    if (source.column != column) continue;
    return [kind = source.kind, value = source.value](const Table& table, std::size_t row) {
      return filter_to(kind, cell_in(table, row, value));
    };
  }
  return {};
}

ColumnLook number(std::string id, std::string title, std::string_view metric = {},
                  float width = 84) {
  ColumnLook look;
  look.id = std::move(id);
  look.filter = filter_of(look.id);
  look.title = std::move(title);
  look.metric = metric;
  look.width = width;
  return look;
}

ColumnLook instant(std::string id, std::string title, std::string_view metric) {
  ColumnLook look = number(std::move(id), std::move(title), metric, 100);
  look.instant = true;
  return look;
}

ColumnLook with_bar(ColumnLook look, std::function<Tone(const Table&, std::size_t)> tone) {
  look.width = kBarColumn;
  look.bar = std::move(tone);
  return look;
}

ColumnLook name(std::string id, std::string title, CutAt cut, float share = 1) {
  ColumnLook look;
  look.id = std::move(id);
  look.filter = filter_of(look.id);
  look.title = std::move(title);
  look.width = kNameWidth;
  look.share = share;
  look.code = true;
  look.cut = cut;
  return look;
}

ColumnLook word(std::string id, std::string title, float width) {
  ColumnLook look;
  look.id = std::move(id);
  look.filter = filter_of(look.id);
  look.title = std::move(title);
  look.width = width;
  look.cut = CutAt::middle;
  return look;
}

ColumnLook hidden(ColumnLook look) {
  look.shown = false;
  return look;
}

bool is_group_row(const Table& table, std::size_t row) {
  return cell_in(table, row, "row_type") == Cell(report::kGroupRow);
}

// A group may have ops of both directions.
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
  bool namesakes = false;  // ops that only their ids tell apart
};
bool has_namesakes(const profile::Profile& profile) {
  std::set<std::pair<profile::StringId, profile::StringId>> names;
  for (profile::Row op = 0; op < profile.ops.size(); ++op) {
    if (!names.emplace(profile.ops.name[op], profile.ops.direction[op]).second) return true;
  }
  return false;
}

RecordedTexts recorded_texts(const profile::Profile& profile) {
  return {any_text(profile, profile.ops.direction), any_text(profile, profile.ops.stack_trace),
          any_text(profile, profile.ops.data_type), has_namesakes(profile)};
}

void add_op_texts(std::vector<ColumnLook>& columns, const RecordedTexts& recorded) {
  ColumnLook id = word("op_node_id", "Op id", 90);
  id.shown = recorded.namesakes;
  columns.push_back(std::move(id));
  if (recorded.directions) columns.push_back(word("direction", "Direction", 66));
  ColumnLook type = word("op_node_type", "Op type", 96);
  type.share = 0.3f;
  columns.push_back(std::move(type));
}

void add_stack_trace(std::vector<ColumnLook>& columns, const RecordedTexts& recorded) {
  if (!recorded.stack_traces) return;
  ColumnLook look = name("stack_trace", "Stack trace", CutAt::middle, 0.4f);
  look.width = 80;
  columns.push_back(std::move(look));
}

ColumnLook use_of_tensor_cores() {
  ColumnLook look = number("uses_tc", "Using TC", "tensor_core_using", 58);
  look.reason = reason_of_use;
  return look;
}

// Single kernels, the op they belong to apart.
std::vector<ColumnLook> kernel_columns() {
  return {name("kernel_name", "Kernel name", CutAt::middle),
          number("device_id", "GPU", {}, 40),
          instant("kernel_timestamp", "API start", "kernel_api_start"),
          with_bar(number("kernel_duration", "GPU time", "kernel_duration"),
                   tone_by_tensor_cores("uses_tc")),
          use_of_tensor_cores(),
          word("grid", "Grid", 96),
          word("block", "Block", 80),
          hidden(word("tc_rule", "TC rule", 120))};
}

report::TableQuery sorted_by(std::string column, SortDirection direction) {
  report::TableQuery query;
  query.sort.push_back({std::move(column), direction});
  return query;
}

// By GPU time, where there is any.
report::TableQuery longest_first(const profile::Profile& profile, std::string gpu_time,
                                 std::string cpu_time) {
  const bool by_gpu = profile::tells_of(profile, profile::Evidence::gpu_work);
  return sorted_by(by_gpu ? std::move(gpu_time) : std::move(cpu_time), SortDirection::descending);
}

// What stands for an empty table of kernels.
std::string no_kernel(const profile::Profile& profile, std::string_view otherwise) {
  const std::string lack = lack_text(profile, profile::Evidence::gpu_work);
  return lack.empty() ? std::string(otherwise) : lack;
}

// A sum over several GPUs may be longer than the run.
std::string sum_note(const profile::Profile& profile) {
  return profile.devices.size() > 1 ? "times of all GPUs added up" : "";
}

}  // namespace

TableLook op_types_look(const profile::Profile& profile) {
  TableLook look{.id = "op_types",
                 .title = "Op types",
                 .noun = "op types",
                 .key = "op_node_type",
                 .when_none = kNoOps,
                 .when_filtered = kNoOpsKept,
                 .first_query = longest_first(profile, "gpu_time_sum", "cpu_time_sum"),
                 .note = sum_note(profile),
                 .place = place_of_op_type};
  ColumnLook type = word("op_node_type", "Op type", 150);
  type.share = 1;
  look.columns = {std::move(type), number("num_nodes", "Ops", "op_count", 60),
                  number("num_calls", "Calls", "op_calls", 72)};
  struct Time {
    std::string id, title;
    std::string_view metric;
  };
  const Time times[] = {{"gpu_time", "GPU time", "op_gpu_time"},
                        {"cpu_time", "CPU time", "op_cpu_time"},
                        {"cpu_overhead", "Overhead", "op_overhead_time"},
                        {"gpu_idle", "GPU idle", "op_idle_time"}};
  for (const Time& time : times) {
    ColumnLook sum = number(time.id + "_sum", time.title, time.metric);
    if (time.id == "gpu_time") {
      sum = with_bar(std::move(sum), longest_part);
    } else if (time.id == "cpu_time") {
      sum = with_bar(std::move(sum), always(Tone::cpu));
    }
    look.columns.push_back(std::move(sum));
    look.columns.push_back(number(time.id + "_avg", time.title + " avg", "op_average", 88));
    look.columns.push_back(number(time.id + "_min", time.title + " min", "op_average", 88));
    look.columns.push_back(number(time.id + "_max", time.title + " max", "op_average", 88));
  }
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
                 .when_filtered = kNoOpsKept,
                 .first_query = longest_first(profile, "gpu_time", "cpu_time"),
                 .note = sum_note(profile),
                 .place = place_of_op};
  look.columns = {
      with_bar(number("gpu_time", "GPU time", "op_gpu_time"), tone_by_tensor_cores("using_tc")),
      number("cpu_time", "CPU time", "op_cpu_time"),
      name("op_node_name", "Op name", CutAt::front, 2)};
  add_op_texts(look.columns, recorded);
  look.columns.push_back(number("num_calls", "Calls", "op_calls", 56));
  look.columns.push_back(number("tc_eligible", "TC eligible", "tensor_core_eligible", 66));
  ColumnLook uses = number("using_tc", "Using TC", "tensor_core_using", 58);
  uses.attention = misses_tensor_cores;
  look.columns.push_back(std::move(uses));
  look.columns.push_back(number("kernel_calls", "Kernels", "kernel_launches", 56));
  if (recorded.data_types) {
    ColumnLook type = word("data_type", "Data type", 70);
    type.attention = [](const Table& table, std::size_t row) {
      return is_set(table, row, "is_bad_data_type");
    };
    look.columns.push_back(std::move(type));
  }
  add_stack_trace(look.columns, recorded);
  look.columns.push_back(hidden(word("is_bad_data_type", "Bad data type", 84)));
  return look;
}

TableLook kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_name",
                 .when_none = no_kernel(profile, "This op launched no kernel."),
                 .first_query = sorted_by("gpu_time", SortDirection::descending),
                 .prompt = "Select an op above to see its kernels.",
                 .place = place_of_kernels};
  look.columns = {
      name("kernel_name", "Kernel name", CutAt::middle),
      use_of_tensor_cores(),
      number("calls", "Calls", "kernel_launches", 64),
      with_bar(number("gpu_time", "GPU time", "kernel_gpu_time"), tone_by_tensor_cores("uses_tc")),
      number("avg", "Avg", "kernel_average", 72),
      number("min", "Min", "kernel_average", 72),
      number("max", "Max", "kernel_average", 72),
      hidden(word("tc_rule", "TC rule", 120))};
  return look;
}

TableLook iterations_look(const profile::Profile& profile) {
  const bool several_devices = profile.devices.size() > 1;
  TableLook look{.id = "iterations_table",
                 .title = "Iterations",
                 .noun = "iterations",
                 .key = "iter_value",
                 .when_none = "There is no iteration in this range.",
                 .first_query = sorted_by("iter_value", SortDirection::ascending),
                 .place = place_of_iteration};
  const std::string total = several_devices ? "Mean GPU time in it" : "GPU time in it";
  const std::string tensor_core = several_devices ? "Mean TC time in it" : "TC time in it";
  const auto share = [](std::string id, std::string title, Tone tone) {
    ColumnLook column = with_bar(number(std::move(id), std::move(title)), always(tone));
    column.bar_of = 100;
    return column;
  };
  look.columns = {
      number("iter_value", "Iteration", {}, 64),
      instant("start_time", "Start", "iteration_start"),
      with_bar(number("duration", "Duration", "iteration_duration"), always(Tone::idle)),
      number("total_kernel_count", "Launches", "kernel_launches", 64),
      number("using_tc_kernel_count", "TC launches", "kernel_launches", 80),
      number("launched_time", "Their GPU time", "launched_kernel_time", 92),
      number("gpu_time", total, "iteration_gpu_time", 124),
      share("gpu_share", "GPU share", Tone::other_kernels),
      number("tc_duration", tensor_core, "breakdown_tensor_core_kernels", 132),
      share("tc_share", "TC share", Tone::tensor_core_kernels)};
  for (ColumnLook& column : look.columns) {
    if (column.bar) column.share = 1;
  }
  if (profile.user_ranges.size() > 0) {
    look.columns.insert(look.columns.begin() + 1, word("range", "Range", 96));
    look.columns.insert(look.columns.begin() + 4,
                        number("range_time", "Range alone", "iteration_range", 84));
  }
  return look;
}

TableLook iteration_kernels_look(const profile::Profile& profile) {
  TableLook look{.id = "iteration_kernels",
                 .title = "Kernels",
                 .noun = "kernels",
                 .key = "kernel_timestamp",
                 .when_none = no_kernel(profile, "No kernel was launched in this iteration."),
                 .when_filtered = no_kernel(
                     profile, "No kernel that the filters keep was launched in this iteration."),
                 .columns = kernel_columns(),
                 .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
                 .prompt = "Select an iteration above to see its kernels.",
                 .place = place_of_kernel};
  look.columns.insert(look.columns.begin(), name("op_node_name", "Op name", CutAt::front));
  look.columns.push_back(hidden(word("op_node_id", "Op id", 120)));
  return look;
}

TableLook iteration_ops_look(const profile::Profile& profile) {
  const RecordedTexts recorded = recorded_texts(profile);
  TableLook look{.id = "iteration_ops",
                 .title = "Ops",
                 .noun = "ops",
                 .key = "op_node_id",
                 .when_none = no_kernel(profile, "No op launched a kernel in this iteration."),
                 .when_filtered = no_kernel(
                     profile, "No op that the filters keep launched a kernel in this iteration."),
                 .first_query = sorted_by("total_gpu_time", SortDirection::descending),
                 .prompt = "Select an iteration above to see the ops in it.",
                 .note = sum_note(profile),
                 .place = place_of_op};
  look.columns = {name("op_node_name", "Op name", CutAt::front, 2)};
  add_op_texts(look.columns, recorded);
  look.columns.push_back(number("total_count", "Kernels", "kernel_launches", 64));
  look.columns.push_back(number("tc_count", "TC kernels", "kernel_launches", 72));
  look.columns.push_back(with_bar(number("total_gpu_time", "Total GPU time", "kernel_gpu_time"),
                                  always(Tone::other_kernels)));
  look.columns.push_back(number("tc_gpu_time", "TC GPU time", "kernel_gpu_time_tensor_core", 84));
  if (recorded.data_types) look.columns.push_back(word("data_type", "Data type", 70));
  add_stack_trace(look.columns, recorded);
  return look;
}

TableLook iteration_op_kernels_look(const profile::Profile& profile) {
  return {.id = "iteration_op_kernels",
          .title = "Kernels",
          .noun = "kernels",
          .key = "kernel_timestamp",
          .when_none = no_kernel(profile, "This op launched no kernel in this iteration."),
          .when_filtered = no_kernel(
              profile, "This op launched no kernel that the filters keep in this iteration."),
          .columns = kernel_columns(),
          .first_query = sorted_by("kernel_timestamp", SortDirection::ascending),
          .prompt = "Select an op above to see the kernels it launched in this iteration.",
          .place = place_of_kernel};
}

TableLook devices_look() {
  ColumnLook utilization =
      with_bar(number("device_gpu_utilization", "Utilization", "device_utilization"),
               always(Tone::other_kernels));
  utilization.bar_of = 100;
  utilization.share = 1;
  return {.id = "devices",
          .title = "GPUs",
          .noun = "GPUs",
          .key = "device_id",
          .when_none = "No GPUs recorded.",
          .when_filtered = "The filters leave out all GPUs.",
          .columns = {number("device_id", "GPU", {}, 44), word("gpu_name", "Name", 220),
                      number("cuda_major", "CC major", {}, 64),
                      number("cuda_minor", "CC minor", {}, 64), number("sm_count", "SMs", {}, 56),
                      std::move(utilization)},
          .first_query = sorted_by("device_id", SortDirection::ascending)};
}

TableLook gaps_look(const profile::Profile& profile) {
  ColumnLook cause = word("cause", "What the host did", 112);
  cause.metric = "gap_cause";
  ColumnLook call = word("api_call", "In the call", 120);
  call.share = 0.3f;
  call.code = true;
  // Which thread was busy instead is known from thread states or CPU samples.
  const bool tells_threads =
      profile.trace && profile.trace->switches.size() + profile.trace->samples.size() > 0;
  const auto of_threads = [tells_threads](ColumnLook column) {
    return tells_threads ? column : hidden(std::move(column));
  };
  ColumnLook gpu = number("device_id", "GPU", {}, 44);
  if (tells_threads) call = hidden(std::move(call));
  if (profile.devices.size() == 1) gpu = hidden(std::move(gpu));
  return {.id = "gaps",
          .title = "Longest idle gaps",
          .noun = "longest gaps",
          .key = "gap",
          .op = "op_node_id",
          .when_none = no_kernel(profile, "No GPU pauses between two pieces of work."),
          .columns = {with_bar(number("duration", "Gap", "idle_gap"), always(Tone::other)),
                      std::move(gpu), number("iter_value", "Iteration", {}, 64),
                      instant("start", "Start", "idle_gap"), std::move(cause),
                      number("cause_time", "Time of it", "gap_cause", 76),
                      name("op_node_name", "In the op", CutAt::middle), std::move(call),
                      of_threads(word("busy_thread", "Busy thread", 84)),
                      of_threads(number("busy_time", "Busy for", {}, 76)),
                      of_threads(name("busy_in", "Busy in", CutAt::middle)),
                      name("next_name", "Next work", CutAt::middle),
                      hidden(number("process_id", "Process", {}, 64)),
                      hidden(number("thread_id", "Thread", {}, 64))},
          .first_query = sorted_by("duration", SortDirection::descending),
          .place = place_of_gap};
}

TableLook groups_look(const profile::Profile& profile) {
  ColumnLook tree = name("row_trimmed_name", "Name", CutAt::middle, 2);
  tree.tree = true;
  tree.filter = group_or_op_filter;
  TableLook look{
      .id = "groups",
      .title = "Groups and ops",
      .noun = "rows",
      .key = "row_full_id",
      .when_none = kNoOps,
      .when_filtered = kNoOpsKept,
      .columns = {std::move(tree),
                  with_bar(number("gpu_time_sum", "GPU time", "op_gpu_time"), longest_part),
                  with_bar(number("cpu_time_sum", "CPU time", "op_cpu_time"), always(Tone::cpu)),
                  number("cpu_overhead_sum", "CPU overhead", "op_overhead_time", 92),
                  number("gpu_idle_sum", "GPU idle", "op_idle_time", 80),
                  number("num_op_instances", "Op instances", "op_calls", 84),
                  number("num_supported_leaf_ops", "TC eligible ops", "eligible_op_count", 96),
                  number("num_tc_leaf_ops", "Ops using TC", "tensor_core_op_count", 88),
                  hidden(number("level", "Level", {}, 52)), hidden(word("row_full_id", "Id", 200)),
                  hidden(word("row_full_name", "Full name", 200))},
      .first_query = longest_first(profile, "gpu_time_sum", "cpu_time_sum"),
      .note = sum_note(profile),
      .place = place_of_group_or_op};
  if (recorded_texts(profile).directions) {
    ColumnLook direction = word("direction", "Direction", 80);
    direction.filter = op_direction_filter;
    look.columns.insert(look.columns.begin() + 1, std::move(direction));
  }
  return look;
}

std::optional<Filter> group_or_op_filter(const Table& table, std::size_t row) {
  const FilterKind kind = is_group_row(table, row) ? FilterKind::group : FilterKind::op;
  return filter_to(kind, cell_in(table, row, "row_full_id"));
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
  using aggregate::Unit;
  table.columns.push_back(report::integer_column("gpu_time", "GPU Time", Unit::ns,
                                                 [=](std::size_t row) { return gpu(row); }));
  table.columns.push_back(
      report::real_column("gpu_share", "GPU Time of the Iteration", Unit::percent,
                          [=](std::size_t row) { return share(gpu(row), row); }));
  table.columns.push_back(
      report::real_column("tc_share", "TC GPU Time of the Iteration", Unit::percent,
                          [=](std::size_t row) { return share(tensor_core(row), row); }));
  const auto number = cells_of(table, "iter_value");
  const auto& facts = data.aggregation->iteration_table->facts;
  table.columns.push_back(report::integer_column(
      "launched_time", "GPU Time of Launched Kernels", Unit::ns, [=, &facts](std::size_t row) {
        const Cell cell = number(row);
        const auto* iteration = std::get_if<int64_t>(&cell);
        return iteration == nullptr
                   ? Cell()
                   : Cell(facts[static_cast<std::size_t>(*iteration)].kernels.gpu_ns);
      }));
  const auto& iterations = data.aggregation->iteration_table->iterations;
  const auto range_of = [=, &iterations](std::size_t row) -> const aggregate::KeyRange* {
    const Cell cell = number(row);
    const auto* iteration = std::get_if<int64_t>(&cell);
    if (iteration == nullptr || iterations.ranges.empty()) return nullptr;
    return &iterations.ranges[static_cast<std::size_t>(*iteration)];
  };
  table.columns.push_back(
      report::text_column("range", "Range", [=, &iterations](std::size_t row) -> Cell {
        const aggregate::KeyRange* range = range_of(row);
        if (range == nullptr) return {};
        if (range->number == profile::kNoValue) return std::string_view(iterations.range_name);
        return fmt::format("{} {}", iterations.range_name, range->number);
      }));
  table.columns.push_back(report::integer_column(
      "range_time", "Range Time", Unit::ns, [=, &iterations](std::size_t row) -> Cell {
        const aggregate::KeyRange* range = range_of(row);
        if (range == nullptr) return {};
        if (iterations.split_by == aggregate::SplitBy::host) return range->duration_ns();
        return range->on_gpu ? range->on_gpu->stop_ns - range->on_gpu->start_ns : int64_t{0};
      }));
}

}  // namespace dlview::ui
