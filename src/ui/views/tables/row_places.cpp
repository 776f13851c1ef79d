#include "ui/views/tables/row_places.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/row_filter.h"

namespace dlview::ui {
namespace {

using profile::Row;
using timeline::Request;

std::optional<int64_t> integer_of(const TableData& data, std::size_t row, std::string_view column) {
  const report::Cell cell = cell_in(data.table, row, column);
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<Request> stretch_of(const TableData& data, std::size_t row, std::string_view start) {
  const auto start_ns = integer_of(data, row, start);
  const auto length_ns = integer_of(data, row, "duration");
  if (!start_ns || !length_ns) return std::nullopt;
  return Request{.window = {},
                 .iteration = {},
                 .stretch = timeline::window_between(*start_ns, *start_ns + *length_ns)};
}

// What rows of two kernels may have in common: those of one graph's launch begin together.
struct KernelCells {
  std::optional<int64_t> start_ns, length_ns, device_id;
  std::string name;
  bool operator==(const KernelCells&) const = default;
};

KernelCells cells_of(const TableData& data, std::size_t row) {
  return {integer_of(data, row, "kernel_timestamp"), integer_of(data, row, "kernel_duration"),
          integer_of(data, row, "device_id"),
          report::to_text(cell_in(data.table, row, "kernel_name"))};
}

// In the order of their rows.
std::vector<Row> kernels_like(const TableData& data, const KernelCells& cells) {
  const profile::Profile& profile = *data.profile;
  const profile::Kernels& kernels = profile.kernels;
  const aggregate::RowFilter filter(profile, data.aggregation->selection.filters);
  std::vector<Row> found;
  for (Row kernel = 0; kernel < kernels.size(); ++kernel) {
    if (kernels.api_start_ns[kernel] == cells.start_ns &&
        kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel] == cells.length_ns &&
        profile.devices[profile.device_of_kernel(kernel)].device_id == cells.device_id &&
        profile.text(kernels.name[kernel]) == cells.name && filter.counts_kernel(kernel)) {
      found.push_back(kernel);
    }
  }
  return found;
}

// How many rows above are the same.
std::size_t count_same_above(const TableData& data, std::size_t row, const KernelCells& cells) {
  std::size_t count = 0;
  for (std::size_t above = 0; above < row; ++above) {
    if (integer_of(data, above, "kernel_timestamp") == cells.start_ns &&
        cells_of(data, above) == cells) {
      ++count;
    }
  }
  return count;
}

}  // namespace

std::optional<Request> place_of_gap(const TableData& data, std::size_t row) {
  auto place = stretch_of(data, row, "start");
  const auto& devices = data.profile->devices;
  const auto found = std::ranges::find_if(devices, [&](const profile::Device& device) {
    return device.device_id == integer_of(data, row, "device_id");
  });
  if (!place || found == devices.end()) return place;
  place->device = static_cast<Row>(found - devices.begin());
  place->is_gap = true;
  return place;
}

std::optional<Request> place_of_iteration(const TableData& data, std::size_t row) {
  return stretch_of(data, row, "start_time");
}

std::optional<Request> place_of_kernel(const TableData& data, std::size_t row) {
  const KernelCells cells = cells_of(data, row);
  const std::vector<Row> kernels = kernels_like(data, cells);
  const std::size_t which = kernels.size() > 1 ? count_same_above(data, row, cells) : 0;
  if (which >= kernels.size()) return std::nullopt;
  return Request{.window = {}, .iteration = {}, .kernel = kernels[which]};
}

}  // namespace dlview::ui
