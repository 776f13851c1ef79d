// How ThrustEngine brings the columns of a profile to the GPU, in the orders in which it reads
// them. A part of thrust_engine.h, which includes it.
#pragma once

#include "aggregate/thrust/thrust_engine.h"

namespace dlview::aggregate {

template <typename Space>
ThrustEngine<Space>::ThrustEngine(const profile::Profile& profile,
                                  std::shared_ptr<const ProfileIndex> index, const Options& options)
    : profile_(profile),
      index_(std::move(index)),
      options_(options),
      op_layout_(profile),
      event_layout_(*index_),
      group_layout_(*index_->groups) {
  upload_events(profile);
  upload_instances(profile);
  upload_members();
}

template <typename Space>
void ThrustEngine<Space>::check_count(std::size_t rows, const char* what) const {
  if (rows <= options_.most_rows) return;
  throw std::runtime_error("The " + std::string(Space::kName) + " engine handles at most " +
                           std::to_string(options_.most_rows) + " " + what + "; this file has " +
                           std::to_string(rows));
}

template <typename Space>
void ThrustEngine<Space>::upload_events(const profile::Profile& profile) {
  const auto& [kernels, memory_ops] = std::tie(profile.kernels, profile.memory_ops);
  const std::vector<TimeOrder> orders = time_orders(profile, *index_);
  std::size_t host_events = 0;
  for (const TimeOrder& order : orders) {
    host_events = std::max(host_events, order.host().size());
  }
  const std::size_t gpu_events = kernels.size() + memory_ops.size();
  check_count(gpu_events + host_events, "GPU events and host intervals");
  kernels_ = static_cast<uint32_t>(kernels.size());
  gpu_events_ = static_cast<uint32_t>(gpu_events);

  std::vector<int64_t> start, stop, api;
  std::vector<uint32_t> cell, instance;
  for (auto* column : {&start, &stop, &api}) column->reserve(gpu_events + host_events);
  for (auto* column : {&cell, &instance}) column->reserve(gpu_events + host_events);
  const auto add = [&](const auto& rows, std::size_t r, std::size_t of_cell) {
    start.push_back(rows.gpu_start_ns[r]);
    stop.push_back(rows.gpu_stop_ns[r]);
    api.push_back(rows.api_stop_ns[r] - rows.api_start_ns[r]);
    instance.push_back(rows.instance[r]);
    cell.push_back(static_cast<uint32_t>(of_cell));
  };
  for (std::size_t k = 0; k < kernels.size(); ++k) add(kernels, k, index_->kernels.of_event[k]);
  const std::size_t kernel_cells = index_->kernels.cells.size();
  for (std::size_t m = 0; m < memory_ops.size(); ++m) {
    add(memory_ops, m, kernel_cells + index_->memory_ops.of_event[m]);
  }
  // The host's part is the same on every device that it has a part in.
  for (const TimeOrder& order : orders) {
    if (order.host().size() == 0 || start.size() > gpu_events) continue;
    for (std::size_t h = 0; h < host_events; ++h) {
      const auto event = static_cast<TimeOrder::Event>(gpu_events + h);
      start.push_back(order.time_of(event).start_ns);
      stop.push_back(order.time_of(event).stop_ns);
      cell.push_back(static_cast<uint32_t>(order.cell_of(event)));
    }
  }

  std::vector<uint8_t> uses_tensor_cores;
  for (const EventCell& kernel : index_->kernels.cells) {
    uses_tensor_cores.push_back(kernel.uses_tensor_cores ? 1 : 0);
  }
  uses_tensor_cores_ = upload(uses_tensor_cores);
  for (const TimeOrder& times : orders) {
    DeviceOrder& device = device_orders_.emplace_back();
    std::vector<int64_t> starts, stops;
    std::vector<uint32_t> cells;
    for (const uint32_t event : times.events()) {
      starts.push_back(start[event]);
      stops.push_back(stop[event]);
      cells.push_back(cell[event]);
      device.all_levels |= times.levels()[cell[event]];
    }
    device.start_ns = upload(starts);
    device.stop_ns = upload(stops);
    device.cell = upload(cells);
    device.levels = upload(times.levels());
  }
  event_start_ns_ = upload(start);
  event_stop_ns_ = upload(stop);
  event_cell_ = upload(cell);
  event_instance_ = upload(instance);
  sort_by_cell(upload(api));
  sort_by_instance();
}

template <typename Space>
void ThrustEngine<Space>::sort_by_cell(const Vector<int64_t>& api_ns) {
  events_by_cell_ = rows_in_order(gpu_events_);
  sort_rows(events_by_cell_, event_cell_.begin());
  const auto in_this_order = [this](const auto& values, auto* sorted) {
    sorted->resize(gpu_events_);
    thrust::transform(Space::policy(), events_by_cell_.begin(), events_by_cell_.end(),
                      sorted->begin(), values);
  };
  in_this_order(rowwise::ValueOf<uint32_t>{data(event_cell_)}, &cell_by_cell_);
  in_this_order(rowwise::ValueOf<uint32_t>{data(event_instance_)}, &instance_by_cell_);
  in_this_order(rowwise::ValueOf<int64_t>{data(api_ns)}, &api_ns_by_cell_);
  in_this_order(rowwise::DurationOf{data(event_start_ns_), data(event_stop_ns_)}, &gpu_ns_by_cell_);
  const std::size_t cells = event_layout_.kernels.size + event_layout_.memory_ops.size;
  cell_ranges_.emplace(
      CellRanges{{cell_by_cell_.begin(), gpu_events_, cells, options_.chunk_rows}, {}});
}

template <typename Space>
void ThrustEngine<Space>::sort_by_instance() {
  std::vector<uint32_t> devices;
  for (const EventCells* events : {&index_->kernels, &index_->memory_ops}) {
    for (const EventCell& cell : events->cells) devices.push_back(cell.device);
  }
  const Vector<uint32_t> device_of_cell = upload(devices);
  const auto device =
      thrust::make_permutation_iterator(device_of_cell.begin(), event_cell_.begin());
  events_by_instance_ = rows_in_order(gpu_events_);
  sort_rows(events_by_instance_, event_start_ns_.begin());
  sort_rows(events_by_instance_, device);
  sort_rows(events_by_instance_, event_instance_.begin());
  instance_device_.resize(gpu_events_);
  const auto begins = thrust::make_transform_iterator(
      Rows(0), rowwise::BeginsAnotherDevice{data(events_by_instance_), data(event_instance_),
                                            data(event_cell_), data(device_of_cell)});
  thrust::inclusive_scan(Space::policy(), begins, begins + static_cast<std::ptrdiff_t>(gpu_events_),
                         instance_device_.begin());
}

template <typename Space>
void ThrustEngine<Space>::upload_instances(const profile::Profile& profile) {
  const auto& instances = profile.instances;
  std::vector<int64_t> cpu, api, gpu, idle;
  for (const InstanceTimes& times : index_->times) {
    cpu.push_back(times.cpu);
    api.push_back(times.api);
    gpu.push_back(times.gpu);
    idle.push_back(times.idle);
  }
  cpu_ns_ = upload(cpu);
  api_ns_ = upload(api);
  all_times_.gpu_ns = upload(gpu);
  all_times_.idle_ns = upload(idle);
  instance_op_ = Vector<uint32_t>(instances.op.begin(), instances.op.end());
  cpu_start_ns_ = Vector<int64_t>(instances.cpu_start_ns.begin(), instances.cpu_start_ns.end());
  instances_by_op_ = rows_in_order(instances.size());
  sort_rows(instances_by_op_, instance_op_.begin());
  const auto op_of =
      thrust::make_permutation_iterator(instance_op_.begin(), instances_by_op_.begin());
  op_ranges_.emplace(
      OpRanges{{op_of, instances.size(), profile.ops.size(), options_.chunk_rows}, {}});
}

template <typename Space>
void ThrustEngine<Space>::upload_members() {
  const GroupSlots slots(*index_->groups);
  const auto& op = profile_.instances.op;
  const auto for_each_slot = [&](Row instance, const auto& visit) {
    for (Row slot = slots.of_op[op[instance]];; slot = slots.parent[slot]) {
      visit(slot);
      if (slot == 0) break;
    }
  };
  std::vector<std::size_t> next(slots.parent.size() + 1);
  for (Row i = 0; i < op.size(); ++i) for_each_slot(i, [&](Row slot) { ++next[slot + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  check_count(next.back(), "memberships of op instances in groups");
  std::vector<uint32_t> member_slot(next.back()), member_instance(next.back());
  for (Row i = 0; i < op.size(); ++i) {
    for_each_slot(i, [&](Row slot) {
      member_slot[next[slot]] = slot;
      member_instance[next[slot]++] = i;
    });
  }
  member_slot_ = upload(member_slot);
  member_instance_ = upload(member_instance);
}

}  // namespace dlview::aggregate
