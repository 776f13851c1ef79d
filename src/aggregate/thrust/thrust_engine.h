// ThrustEngine: the engine for GPUs. The profile's columns are uploaded once and kept in the orders
// that its questions need: events by cell, by instance and by time, instances by op and by group.
// Then every question is a segmented reduction or scan over one of these orders, and only groups
// come back. See row_functions.h for what is done with a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <utility>
#include <vector>

#include "aggregate/engine/engine.h"
#include "aggregate/engine/time_order.h"
#include "aggregate/thrust/row_functions.h"
#include "aggregate/thrust/space.h"

namespace dlview::aggregate {

template <typename Space>
class ThrustEngine : public Engine {
 public:
  // The profile must outlive it. Throws std::runtime_error where events, or memberships of op
  // instances in groups, are more than 32 bits can number; tests set a lower limit.
  ThrustEngine(const profile::Profile& profile, std::shared_ptr<const ProfileIndex> index,
               std::size_t most_rows = UINT32_MAX);

  std::string_view name() const override { return Space::kName; }
  void set_filter(const RowFilter& filter) override;
  void set_iterations(const Iterations& iterations) override;
  RowCells rows(Part part, profile::Row first, profile::Row end) override;
  Cells groups(Part part, const IterationRange& range) override;
  std::vector<KernelTotals> kernel_totals(Part part) override;
  std::vector<Coverage> covered_before(Part part, profile::Row device,
                                       std::span<const int64_t> times_ns) override;

 private:
  template <typename T>
  using Vector = typename Space::template Vector<T>;
  using Row = profile::Row;
  using Rows = thrust::counting_iterator<uint32_t>;

  static constexpr TimeWindow kAlways{std::numeric_limits<int64_t>::min(),
                                      std::numeric_limits<int64_t>::max()};

  // The times of op instances that differ under filters.
  struct InstanceTimesOnGpu {
    Vector<int64_t> gpu_ns, idle_ns;
    Vector<uint8_t> counts;  // empty = all count
  };
  // The groups of all iterations, one row for each in which a group has an instance.
  struct GroupRows {
    Vector<rowwise::GroupPlace> places;
    Vector<rowwise::GroupSums> sums;
  };
  struct DeviceOrder {
    Vector<uint32_t> events;   // in order of start
    Vector<int64_t> start_ns;  // of these
    Vector<Levels> levels;     // by cell
    unsigned all_levels = 0;   // that any cell counts in
  };

  template <typename T>
  static Vector<T> upload(const std::vector<T>& values) {
    return Vector<T>(values.begin(), values.end());
  }
  template <typename T>
  static std::vector<T> download(const Vector<T>& values) {
    std::vector<T> result(values.size());
    thrust::copy(values.begin(), values.end(), result.begin());
    return result;
  }
  template <typename T>
  static const T* data(const Vector<T>& values) {
    return thrust::raw_pointer_cast(values.data());
  }
  static Vector<uint32_t> rows_in_order(std::size_t count) {
    Vector<uint32_t> rows(count);
    thrust::sequence(Space::policy(), rows.begin(), rows.end());
    return rows;
  }
  // Puts the rows in order of their keys, those of one key as they stood.
  template <typename KeyOfRow>
  static void sort_rows(Vector<uint32_t>& rows, const KeyOfRow& key_of_row) {
    const auto sorted_keys = thrust::make_permutation_iterator(key_of_row, rows.begin());
    Vector<typename std::iterator_traits<KeyOfRow>::value_type> keys(
        sorted_keys, sorted_keys + static_cast<std::ptrdiff_t>(rows.size()));
    thrust::stable_sort_by_key(Space::policy(), keys.begin(), keys.end(), rows.begin());
  }
  // `values` of rows, added up for each run of equal keys: the keys and their totals.
  template <typename Value, typename Keys, typename Values, typename Add>
  static auto reduce_runs(const Keys& keys, std::size_t count, const Values& values,
                          const Add& add) {
    using Key = typename std::iterator_traits<Keys>::value_type;
    std::pair<Vector<Key>, Vector<Value>> runs{Vector<Key>(count), Vector<Value>(count)};
    const auto ends = thrust::reduce_by_key(
        Space::policy(), keys, keys + static_cast<std::ptrdiff_t>(count), values,
        runs.first.begin(), runs.second.begin(), thrust::equal_to<Key>(), add);
    runs.first.erase(ends.first, runs.first.end());
    runs.second.erase(ends.second, runs.second.end());
    return runs;
  }

  void check_count(std::size_t rows, const char* what) const;
  void upload_events(const profile::Profile& profile);
  void sort_events();
  void upload_instances(const profile::Profile& profile);
  void upload_members();
  rowwise::Events events(Part part) const;
  rowwise::Instances instances(Part part) const;
  void add_up_kept_instances(const RowFilter& filter);
  GroupRows group_rows(Part part) const;

  const profile::Profile& profile_;
  std::shared_ptr<const ProfileIndex> index_;
  const std::size_t most_rows_;
  OpLayout op_layout_;
  EventLayout event_layout_;
  GroupLayout group_layout_;

  // Events, in the numbers of TimeOrder.
  uint32_t kernels_ = 0, gpu_events_ = 0;
  Vector<int64_t> event_start_ns_, event_stop_ns_, event_api_ns_;
  Vector<uint32_t> event_cell_, event_instance_;
  Vector<uint32_t> events_by_cell_;
  Vector<uint32_t> events_by_instance_;  // inside an instance by device and time
  Vector<uint32_t> instance_device_;     // parallel: counts up with each instance and device
  Vector<uint8_t> uses_tensor_cores_;    // of each kernel cell
  std::vector<DeviceOrder> device_orders_;

  // Op instances.
  Vector<uint32_t> instance_op_, instances_by_op_;
  Vector<int64_t> cpu_start_ns_, cpu_ns_, api_ns_;
  InstanceTimesOnGpu all_times_, kept_times_;
  bool keeps_whole_instances_ = true;  // then all_times_ are those of what is kept

  // Every group that an instance is in, by slot; inside a slot in order of instance.
  Vector<uint32_t> member_slot_, member_instance_;

  // What filters keep.
  Vector<uint8_t> keeps_cell_;
  Vector<TimeWindow> windows_;
  std::vector<TimeWindow> windows_here_;

  // Under the present cut.
  std::size_t iteration_count_ = 0;
  Vector<uint32_t> iteration_of_;  // of each instance; iteration_count_ = of none
  std::array<std::optional<GroupRows>, 2> group_rows_;  // by Part
};

// --- Upload
// ---------------------------------------------------------------------------------------

template <typename Space>
ThrustEngine<Space>::ThrustEngine(const profile::Profile& profile,
                                  std::shared_ptr<const ProfileIndex> index, std::size_t most_rows)
    : profile_(profile),
      index_(std::move(index)),
      most_rows_(most_rows),
      op_layout_(profile),
      event_layout_(*index_),
      group_layout_(*index_->groups) {
  upload_events(profile);
  upload_instances(profile);
  upload_members();
}

template <typename Space>
void ThrustEngine<Space>::check_count(std::size_t rows, const char* what) const {
  if (rows <= most_rows_) return;
  throw std::runtime_error("The " + std::string(Space::kName) + " engine handles at most " +
                           std::to_string(most_rows_) + " " + what + "; this file has " +
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
    const std::vector<uint32_t> by_time(times.events().begin(), times.events().end());
    std::vector<int64_t> starts;
    for (const uint32_t event : by_time) {
      starts.push_back(start[event]);
      device.all_levels |= times.levels()[cell[event]];
    }
    device.events = upload(by_time);
    device.start_ns = upload(starts);
    device.levels = upload(times.levels());
  }
  event_start_ns_ = upload(start);
  event_stop_ns_ = upload(stop);
  event_api_ns_ = upload(api);
  event_cell_ = upload(cell);
  event_instance_ = upload(instance);
  sort_events();
}

template <typename Space>
void ThrustEngine<Space>::sort_events() {
  events_by_cell_ = rows_in_order(gpu_events_);
  sort_rows(events_by_cell_, event_cell_.begin());

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

// --- Columns under a part
// -------------------------------------------------------------------------

template <typename Space>
rowwise::Events ThrustEngine<Space>::events(Part part) const {
  return {data(event_start_ns_),
          data(event_stop_ns_),
          data(event_api_ns_),
          data(event_cell_),
          data(event_instance_),
          part == Part::all ? nullptr : data(keeps_cell_),
          {data(windows_), static_cast<uint32_t>(windows_.size())}};
}

template <typename Space>
rowwise::Instances ThrustEngine<Space>::instances(Part part) const {
  const bool own_times = part == Part::kept && !keeps_whole_instances_;
  const InstanceTimesOnGpu& times = own_times ? kept_times_ : all_times_;
  return {data(cpu_ns_), data(api_ns_), data(times.gpu_ns), data(times.idle_ns),
          part == Part::all ? nullptr : data(kept_times_.counts)};
}

// --- Filters and cuts
// -----------------------------------------------------------------------------

template <typename Space>
void ThrustEngine<Space>::set_filter(const RowFilter& filter) {
  std::vector<uint8_t> keeps_cell;
  for (const EventCell& cell : index_->kernels.cells) {
    const bool passes = filter.passes_kernel(cell.name, cell.device, cell.uses_tensor_cores);
    keeps_cell.push_back(filter.keeps_op(cell.op) && passes ? 1 : 0);
  }
  for (const EventCell& cell : index_->memory_ops.cells) {
    const bool passes = filter.passes_memory_op_on(cell.device);
    keeps_cell.push_back(filter.keeps_op(cell.op) && passes ? 1 : 0);
  }
  keeps_cell.resize(keeps_cell.size() + HostIntervals::kKinds);
  keeps_cell_ = upload(keeps_cell);
  windows_here_ = filter.windows();
  windows_ = upload(windows_here_);
  keeps_whole_instances_ = !filter.asks_for_events() && !filter.asks_for_time();
  add_up_kept_instances(filter);
  group_rows_[static_cast<std::size_t>(Part::kept)].reset();
}

template <typename Space>
void ThrustEngine<Space>::add_up_kept_instances(const RowFilter& filter) {
  using namespace rowwise;
  const std::size_t count = profile_.instances.size();
  Vector<uint8_t> any_event(keeps_whole_instances_ ? 0 : count);
  if (!keeps_whole_instances_) {
    kept_times_.gpu_ns.assign(count, 0);
    kept_times_.idle_ns.assign(count, 0);
    Vector<int64_t> reached(gpu_events_);
    for (const TimeWindow& window : windows_here_) {
      const PartOf part_of{events(Part::kept), window};
      const auto stops =
          thrust::make_transform_iterator(events_by_instance_.begin(), StopOf{part_of});
      thrust::exclusive_scan_by_key(Space::policy(), instance_device_.begin(),
                                    instance_device_.end(), stops, reached.begin(), kNever,
                                    thrust::equal_to<uint32_t>(), Higher());
      const auto instance_of =
          thrust::make_permutation_iterator(event_instance_.begin(), events_by_instance_.begin());
      const auto parts = thrust::make_transform_iterator(
          Rows(0), OnGpuOf{part_of, data(events_by_instance_), data(reached)});
      const auto [instance, on_gpu] =
          reduce_runs<OnGpu>(instance_of, gpu_events_, parts, AddOnGpu());
      AddToInstance add{data(instance), data(on_gpu),
                        thrust::raw_pointer_cast(kept_times_.gpu_ns.data()),
                        thrust::raw_pointer_cast(kept_times_.idle_ns.data()),
                        thrust::raw_pointer_cast(any_event.data())};
      thrust::for_each(Space::policy(), Rows(0), Rows(static_cast<uint32_t>(instance.size())), add);
    }
  }
  std::vector<uint8_t> keeps_op;
  for (Row op = 0; op < profile_.ops.size(); ++op) keeps_op.push_back(filter.keeps_op(op) ? 1 : 0);
  const Vector<uint8_t> keeps_op_there = upload(keeps_op);
  const InstanceCounts counts{
      data(instance_op_),       data(keeps_op_there),
      data(cpu_start_ns_),      keeps_whole_instances_ ? nullptr : data(any_event),
      filter.asks_for_events(), {data(windows_), static_cast<uint32_t>(windows_.size())}};
  kept_times_.counts.resize(count);
  thrust::transform(Space::policy(), Rows(0), Rows(static_cast<uint32_t>(count)),
                    kept_times_.counts.begin(), counts);
}

template <typename Space>
void ThrustEngine<Space>::set_iterations(const Iterations& iterations) {
  iteration_count_ = iterations.rows.size();
  std::vector<uint32_t> iteration_of(profile_.instances.size(),
                                     static_cast<uint32_t>(iteration_count_));
  Row end = 0;
  for (std::size_t i = 0; i < iteration_count_; ++i) {
    const Iteration& iteration = iterations.rows[i];
    if (iteration.first_instance < end && iteration.first_instance != iteration.last_instance) {
      throw std::runtime_error("iterations that overlap");
    }
    std::fill(iteration_of.begin() + iteration.first_instance,
              iteration_of.begin() + iteration.last_instance, static_cast<uint32_t>(i));
    end = std::max(end, iteration.last_instance);
  }
  iteration_of_ = upload(iteration_of);
  for (auto& rows : group_rows_) rows.reset();
}

// --- Answers
// --------------------------------------------------------------------------------------

template <typename Space>
RowCells ThrustEngine<Space>::rows(Part part, Row first, Row end) {
  using namespace rowwise;
  RowCells result{op_layout_.empty(), event_layout_.empty()};
  const RowRange range{first, end};

  const auto op_of =
      thrust::make_permutation_iterator(instance_op_.begin(), instances_by_op_.begin());
  const auto instance_totals = thrust::make_transform_iterator(
      instances_by_op_.begin(), InstanceTotals{instances(part), range});
  const auto ops =
      reduce_runs<Totals<5>>(op_of, instances_by_op_.size(), instance_totals, Combine());
  const std::vector<uint32_t> op = download(ops.first);
  const std::vector<Totals<5>> op_totals = download(ops.second);
  for (std::size_t i = 0; i < op.size(); ++i) {
    op_layout_.ops.set(result.ops, op[i], op_totals[i].count, op_totals[i].sum, op_totals[i].low);
  }

  const auto cell_of =
      thrust::make_permutation_iterator(event_cell_.begin(), events_by_cell_.begin());
  const auto event_totals =
      thrust::make_transform_iterator(events_by_cell_.begin(), EventTotals{events(part), range});
  const auto cells = reduce_runs<Totals<2>>(cell_of, gpu_events_, event_totals, Combine());
  const std::vector<uint32_t> cell = download(cells.first);
  const std::vector<Totals<2>> cell_totals = download(cells.second);
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const std::size_t kernel_cells = event_layout_.kernels.size;
    const bool kernel = cell[i] < kernel_cells;
    const CellBlock<2>& block = kernel ? event_layout_.kernels : event_layout_.memory_ops;
    block.set(result.events, kernel ? cell[i] : cell[i] - kernel_cells, cell_totals[i].count,
              cell_totals[i].sum, cell_totals[i].low);
  }
  return result;
}

template <typename Space>
typename ThrustEngine<Space>::GroupRows ThrustEngine<Space>::group_rows(Part part) const {
  using namespace rowwise;
  const auto places = thrust::make_transform_iterator(
      Rows(0), GroupPlaceOf{data(member_slot_), data(member_instance_), data(iteration_of_)});
  const auto sums =
      thrust::make_transform_iterator(member_instance_.begin(), GroupSumsOf{instances(part)});
  auto runs = reduce_runs<GroupSums>(places, member_slot_.size(), sums, AddGroupSums());
  return {std::move(runs.first), std::move(runs.second)};
}

template <typename Space>
Cells ThrustEngine<Space>::groups(Part part, const IterationRange& range) {
  using namespace rowwise;
  auto& rows = group_rows_[static_cast<std::size_t>(part)];
  if (!rows) rows = group_rows(part);
  const auto slots = thrust::make_transform_iterator(rows->places.begin(), SlotOf());
  const RowRange iterations{static_cast<uint32_t>(range.first),
                            static_cast<uint32_t>(range.last) + 1};
  const auto totals = thrust::make_transform_iterator(
      Rows(0), GroupTotalsOf{data(rows->sums), data(rows->places), iterations});
  const auto runs = reduce_runs<GroupTotals>(slots, rows->places.size(), totals, CombineGroups());
  const std::vector<uint32_t> slot = download(runs.first);
  const std::vector<GroupTotals> group = download(runs.second);
  Cells cells = group_layout_.empty();
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const Totals<5>& times = group[i].times;
    group_layout_.times.set(cells, slot[i], times.count, times.sum, times.low);
    cells.sums[group_layout_.first_instance_count + slot[i]] = group[i].instances;
  }
  return cells;
}

template <typename Space>
std::vector<KernelTotals> ThrustEngine<Space>::kernel_totals(Part part) {
  using namespace rowwise;
  const auto iteration_of =
      thrust::make_permutation_iterator(iteration_of_.begin(), event_instance_.begin());
  const auto sums = thrust::make_transform_iterator(
      Rows(0), SumsOfKernel{events(part), data(uses_tensor_cores_)});
  const auto runs = reduce_runs<KernelSums>(iteration_of, kernels_, sums, AddKernelSums());
  const std::vector<uint32_t> iteration = download(runs.first);
  const std::vector<KernelSums> kernels = download(runs.second);
  std::vector<KernelTotals> totals(iteration_count_);
  for (std::size_t i = 0; i < iteration.size(); ++i) {
    if (iteration[i] >= iteration_count_) continue;
    totals[iteration[i]] += {kernels[i].count, kernels[i].tensor_core_count, kernels[i].gpu_ns,
                             kernels[i].tensor_core_gpu_ns};
  }
  return totals;
}

template <typename Space>
std::vector<Coverage> ThrustEngine<Space>::covered_before(Part part, Row device,
                                                          std::span<const int64_t> times_ns) {
  using namespace rowwise;
  std::vector<Coverage> result(times_ns.size());
  const DeviceOrder& order = device_orders_[device];
  const std::size_t count = order.events.size();
  if (count == 0 || times_ns.empty()) return result;

  const Vector<int64_t> times(times_ns.begin(), times_ns.end());
  Vector<uint32_t> places(times.size());  // events that start before each time
  thrust::lower_bound(Space::policy(), order.start_ns.begin(), order.start_ns.end(), times.begin(),
                      times.end(), places.begin());
  Vector<int64_t> reached(count), covered(count), before(times.size());
  const std::vector<TimeWindow> always{kAlways};
  for (const TimeWindow& window : part == Part::all ? always : windows_here_) {
    for (unsigned level = 0; level < kLevelCount; ++level) {
      if ((order.all_levels >> level & 1) == 0) continue;
      const LevelPart in_level{events(part), data(order.levels), level, window};
      const auto stops = thrust::make_transform_iterator(order.events.begin(), LevelStop{in_level});
      thrust::inclusive_scan(Space::policy(), stops, stops + static_cast<std::ptrdiff_t>(count),
                             reached.begin(), Higher());
      const auto adds = thrust::make_transform_iterator(
          Rows(0), LevelAdds{in_level, data(order.events), data(reached)});
      thrust::inclusive_scan(Space::policy(), adds, adds + static_cast<std::ptrdiff_t>(count),
                             covered.begin());
      thrust::transform(Space::policy(), times.begin(), times.end(), places.begin(), before.begin(),
                        CoveredBefore{data(reached), data(covered), window.start_ns});
      const std::vector<int64_t> here = download(before);
      for (std::size_t t = 0; t < here.size(); ++t) result[t].ns[level] += here[t];
    }
  }
  return result;
}

}  // namespace dlview::aggregate
