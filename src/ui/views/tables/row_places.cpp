#include "ui/views/tables/row_places.h"

#include <algorithm>
#include <string_view>

namespace dlview::ui {
namespace {

using profile::Row;
using timeline::Request;

report::Cell cell_of(const TableData& data, std::size_t row, std::string_view column) {
  const std::size_t at = find_column(data.table, column);
  return at == kNoColumn ? report::Cell() : data.table.cell(row, at);
}

std::optional<int64_t> integer_of(const TableData& data, std::size_t row, std::string_view column) {
  const report::Cell cell = cell_of(data, row, column);
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

}  // namespace

std::optional<Request> place_of_gap(const TableData& data, std::size_t row) {
  auto place = stretch_of(data, row, "start");
  const auto& devices = data.profile->devices;
  const auto found = std::ranges::find_if(devices, [&](const profile::Device& device) {
    return device.device_id == integer_of(data, row, "device_id");
  });
  if (place && found != devices.end()) place->device = static_cast<Row>(found - devices.begin());
  return place;
}

std::optional<Request> place_of_iteration(const TableData& data, std::size_t row) {
  return stretch_of(data, row, "start_time");
}

std::optional<Request> place_of_kernel(const TableData& data, std::size_t row) {
  const profile::Profile& profile = *data.profile;
  const profile::Kernels& kernels = profile.kernels;
  const auto start_ns = integer_of(data, row, "kernel_timestamp");
  const auto length_ns = integer_of(data, row, "kernel_duration");
  const auto device_id = integer_of(data, row, "device_id");
  const std::string name = report::to_text(cell_of(data, row, "kernel_name"));
  for (Row kernel = 0; kernel < kernels.size(); ++kernel) {
    // A graph's launch has many.
    if (kernels.api_start_ns[kernel] != start_ns ||
        kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel] != length_ns ||
        profile.devices[profile.device_of_kernel(kernel)].device_id != device_id ||
        profile.text(kernels.name[kernel]) != name) {
      continue;
    }
    return Request{.window = {}, .iteration = {}, .kernel = kernel};
  }
  return std::nullopt;
}

}  // namespace dlview::ui
