#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profile/recorded.h"
#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {

using namespace looks;

namespace {

using report::Cell;
using report::SortDirection;

}  // namespace

TableLook devices_look() {
  ColumnLook gpu_name = word("gpu_name");
  gpu_name.stays = true;  // also where all GPUs are of one kind
  return {.id = "devices",
          .title = "GPUs",
          .noun = "GPUs",
          .key = "device_id",
          .when_none = "No GPUs recorded.",
          .when_filtered = "No GPUs match the filters. Clear filters.",
          // The bars above have the utilization.
          .columns = {number("device_id"), std::move(gpu_name),
                      with_bar(number("device_kernel_time"), always(Tone::busy)),
                      number("device_launches"), hidden(number("device_gpu_utilization")),
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
  return {.id = "gaps",
          .title = "Longest idle gaps",
          .noun = "gaps",
          .key = "gap",
          .op = "op_node_id",
          .when_none = no_kernels(profile, "No GPU was idle between two GPU activities."),
          .columns = {with_bar(number("idle_gaps.duration"), always(Tone::idle)), std::move(gpu),
                      number("iter_value"), instant("idle_gaps.start"), word("cause"),
                      number("cause_time"), name("idle_gaps.op_node_name", CutAt::middle),
                      std::move(call), of_threads(sized(word("busy_thread"), 84, 0.3f)),
                      of_threads(number("busy_time")), of_threads(name("busy_in", CutAt::middle)),
                      name("next_name", CutAt::middle), hidden(number("process_id")),
                      hidden(number("thread_id"))},
          .first_query = sorted_by("idle_gaps.duration", SortDirection::descending),
          .place = place_of_gap,
          .frozen = "duration"};
}

void add_device_columns(TableData& data, const report::ViewArguments&) {
  std::vector<aggregate::DeviceAggregate> kept;
  std::ranges::copy_if(data.aggregation->devices, std::back_inserter(kept),
                       &aggregate::DeviceAggregate::is_kept);
  const bool is_recorded = profile::tells_of(*data.profile, profile::Evidence::gpu_work);
  const auto add = [&](report::ColumnId id, int64_t aggregate::DeviceAggregate::*value) {
    data.table.columns.push_back(
        report::column(id, [kept, value, is_recorded](std::size_t row) -> Cell {
          return is_recorded ? Cell(kept[row].*value) : Cell();
        }));
  };
  add("device_kernel_time", &aggregate::DeviceAggregate::kernel_union_ns);
  add("device_launches", &aggregate::DeviceAggregate::kernel_count);
  const auto major = cells_of(data.table, "cuda_major");
  const auto minor = cells_of(data.table, "cuda_minor");
  data.table.columns.push_back(
      report::column("compute_capability", [major, minor](std::size_t row) -> Cell {
        const Cell cell = major(row);
        if (std::holds_alternative<std::monostate>(cell)) return {};
        return fmt::format("{}.{}", report::to_text(cell), report::to_text(minor(row)));
      }));
}

}  // namespace dlview::ui
