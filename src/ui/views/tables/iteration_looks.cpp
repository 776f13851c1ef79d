#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using report::Cell;
using report::ColumnId;
using report::SortDirection;
using report::Table;

}  // namespace

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
