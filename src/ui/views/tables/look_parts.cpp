#include "ui/views/tables/look_parts.h"

#include <iterator>
#include <utility>

#include "profile/communication.h"
#include "profile/recorded.h"
#include "ui/data_quality.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui::looks {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using report::Cell;
using report::ColumnId;
using report::Table;

constexpr float kBarColumn = 138;

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

}  // namespace

ToneOfRow tone_by_tensor_cores(ColumnId uses) {
  return [uses](const Table& table, std::size_t row) {
    if (is_set(table, row, uses)) return Tone::tensor_core_kernels;
    if (is_set(table, row, "communicates")) return Tone::communication;
    const std::size_t kernel = find_column(table, "kernel_name");
    if (kernel != kNoColumn &&
        profile::communication_of(report::to_text(table.cell(row, kernel)))) {
      return Tone::communication;
    }
    const std::size_t kernels = find_column(table, "kernel_calls");
    const bool copies_only = kernels != kNoColumn && number_of(table.cell(row, kernels)) == 0;
    if (copies_only) return Tone::memory;
    const bool is_unknown = cell_in(table, row, uses) == Cell();
    return is_unknown ? Tone::unknown : Tone::other_kernels;
  };
}

ToneOfRow always(Tone tone) {
  return [tone](const Table&, std::size_t) { return tone; };
}

std::optional<Filter> filter_to(FilterKind kind, const Cell& cell) {
  const bool* flag = std::get_if<bool>(&cell);
  const std::string value = flag == nullptr ? report::to_text(cell) : *flag ? "1" : "0";
  const auto filter = aggregate::parse_filter(aggregate::to_text(kind), value);
  return filter ? std::optional(*filter) : std::nullopt;
}

bool is_set(const Table& table, std::size_t row, ColumnId column) {
  const Cell cell = cell_in(table, row, column);
  const bool* flag = std::get_if<bool>(&cell);
  return flag != nullptr && *flag;
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

ColumnLook sized(ColumnLook look, float width, float share) {
  look.width = width;
  look.share = share;
  return look;
}

ColumnLook with_bar(ColumnLook look, ToneOfRow tone) {
  look.width = kBarColumn;
  look.bar = std::move(tone);
  return look;
}

ColumnLook hidden(ColumnLook look) {
  look.shown = false;
  return look;
}

void append(std::vector<ColumnLook>& columns, std::vector<ColumnLook> more) {
  std::ranges::move(more, std::back_inserter(columns));
}

void append_time_columns(std::vector<ColumnLook>& columns, const profile::Profile& profile) {
  if (!profile::tells_of(profile, profile::Evidence::gpu_work)) return;
  append(columns, time_column_looks());
}

report::TableQuery sorted_by(ColumnId column, report::SortDirection direction) {
  report::TableQuery query;
  query.sort.push_back({std::string(column.text()), direction});
  return query;
}

std::string no_kernels(const profile::Profile& profile, std::string_view otherwise) {
  const std::string lack = lack_text(profile, profile::Evidence::gpu_work);
  return lack.empty() ? std::string(otherwise) : lack;
}

bool selects_first(const profile::Profile& profile) {
  constexpr std::size_t kMostKernels = 100'000;
  return profile.kernels.size() <= kMostKernels;
}

std::string sum_note(const profile::Profile& profile) {
  return profile.devices.size() > 1 ? "summed over GPUs" : "";
}

}  // namespace dlview::ui::looks
