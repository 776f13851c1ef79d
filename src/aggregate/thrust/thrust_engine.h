// ThrustEngine: the engine for GPUs. The profile's columns are uploaded once and kept in the orders
// that its questions need: events by cell, by instance and by time, instances by op and by group.
// A range change queries RangeTotals over these orders; filter and split changes run segmented
// reductions and scans over them. Only per-group totals are copied to the host. See row_functions.h
// for what is done with a row, and thrust_upload.h for how the columns come to the GPU.
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
#include "aggregate/thrust/range_totals.h"
#include "aggregate/thrust/row_functions.h"
#include "aggregate/thrust/space.h"

namespace dlview::aggregate {

template <typename Space>
class ThrustEngine : public Engine {
 public:
  // Tests set lower ones.
  struct Options {
    std::size_t most_rows = UINT32_MAX;
    uint32_t chunk_rows = 64;  // of RangeTotals
  };

  // The profile must outlive it. Throws std::runtime_error where events, or memberships of op
  // instances in groups, are more than `most_rows`.
  ThrustEngine(const profile::Profile& profile, std::shared_ptr<const ProfileIndex> index,
               const Options& options = {});

  std::string_view name() const override { return Space::kName; }
  void set_filter(const RowFilter& filter) override;
  void set_iterations(const Iterations& iterations) override;
  RowCells rows(Part part, profile::Row first, profile::Row end) override;
  Cells groups(Part part, const IterationRange& range) override;
  std::vector<KernelTotals> kernel_totals(Part part) override;
  std::vector<Coverage> covered_before(Part part, profile::DeviceIndex device,
                                       std::span<const int64_t> times_ns) override;

 private:
  template <typename T>
  using Vector = typename Space::template Vector<T>;
  using Row = profile::Row;
  using Rows = thrust::counting_iterator<uint32_t>;

  // The times of op instances that differ under filters.
  struct InstanceTimesOnGpu {
    Vector<int64_t> gpu_ns, idle_ns;
    Vector<uint8_t> counts;  // empty = all count
  };
  template <typename Totals, typename Add>
  struct Ranges {
    RangeTotals<Space, Totals, Add> rows;
    std::array<std::optional<typename RangeTotals<Space, Totals, Add>::Sums>, 2> sums;  // by Part
  };
  using OpRanges = Ranges<rowwise::Totals<5>, rowwise::Combine>;
  using CellRanges = Ranges<rowwise::Totals<2>, rowwise::Combine>;
  // The groups of all iterations, one row for each part of the run in which a group has an
  // instance.
  struct GroupRows {
    Vector<rowwise::GroupPlace> places;
    Vector<rowwise::GroupSums> sums;
    RangeTotals<Space, rowwise::GroupTotals, rowwise::CombineGroups> rows;
    typename RangeTotals<Space, rowwise::GroupTotals, rowwise::CombineGroups>::Sums totals;
  };
  // The events that count on a device, in order of start.
  struct DeviceOrder {
    Vector<int64_t> start_ns, stop_ns;
    Vector<uint32_t> cell;
    Vector<Levels> levels;    // by cell
    unsigned all_levels = 0;  // that any cell counts in
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
  // Sums `values` for each run of equal keys, at most `most_runs`: returns the keys and their
  // totals.
  template <typename Value, typename Keys, typename Values, typename Add>
  static auto reduce_runs(const Keys& keys, std::size_t count, std::size_t most_runs,
                          const Values& values, const Add& add) {
    using Key = typename std::iterator_traits<Keys>::value_type;
    most_runs = std::min(most_runs, count);
    std::pair<Vector<Key>, Vector<Value>> runs{Vector<Key>(most_runs), Vector<Value>(most_runs)};
    const auto ends = thrust::reduce_by_key(
        Space::policy(), keys, keys + static_cast<std::ptrdiff_t>(count), values,
        runs.first.begin(), runs.second.begin(), thrust::equal_to<Key>(), add);
    runs.first.erase(ends.first, runs.first.end());
    runs.second.erase(ends.second, runs.second.end());
    return runs;
  }

  void check_count(std::size_t rows, const char* what) const;
  void upload_events(const profile::Profile& profile);
  void sort_by_cell(const Vector<int64_t>& api_ns);
  void sort_by_instance();
  void upload_instances(const profile::Profile& profile);
  void upload_members();
  rowwise::Events events(Part part) const;
  rowwise::EventTotals event_totals(Part part) const;
  rowwise::InstanceTotals instance_totals(Part part) const;
  rowwise::Instances instances(Part part) const;
  // Answers of `ranges`, whose sums are made where they are missing.
  template <typename Totals, typename Add, typename OfRow, typename PlaceOf>
  static auto in_range(Ranges<Totals, Add>& ranges, Part part, const OfRow& of_row,
                       const PlaceOf& place_of, const rowwise::RowRange& range) {
    auto& sums = ranges.sums[static_cast<std::size_t>(part)];
    if (!sums) sums = ranges.rows.add_up(of_row);
    return ranges.rows.in_range(*sums, of_row, place_of, range);
  }
  rowwise::Windows asked_windows() const {
    return {data(windows_), static_cast<uint32_t>(windows_.size())};
  }
  void add_up_kept_instances(const RowFilter& filter);
  GroupRows group_rows(Part part) const;
  // Without the filters' windows; the times may come in any order.
  std::vector<Coverage> covered_before_all(Part part, Row device,
                                           std::span<const int64_t> times_ns);

  const profile::Profile& profile_;
  std::shared_ptr<const ProfileIndex> index_;
  const Options options_;
  OpLayout op_layout_;
  EventLayout event_layout_;
  GroupLayout group_layout_;

  // Events, in the numbers of TimeOrder.
  uint32_t kernels_ = 0, gpu_events_ = 0;
  Vector<int64_t> event_start_ns_, event_stop_ns_;
  Vector<uint32_t> event_cell_, event_instance_;
  // GPU events by cell, and what is summed of them, in this order: most of what a dragged bound
  // has to read.
  Vector<uint32_t> events_by_cell_, cell_by_cell_, instance_by_cell_;
  Vector<int64_t> gpu_ns_by_cell_, api_ns_by_cell_;
  Vector<uint32_t> events_by_instance_;  // inside an instance by device and time
  Vector<uint32_t> instance_device_;     // parallel: counts up with each instance and device
  Vector<uint8_t> uses_tensor_cores_;    // of each kernel cell
  std::optional<CellRanges> cell_ranges_;
  std::vector<DeviceOrder> device_orders_;

  // Op instances.
  Vector<uint32_t> instance_op_, instances_by_op_;
  std::optional<OpRanges> op_ranges_;
  Vector<int64_t> cpu_start_ns_, cpu_ns_, api_ns_;
  InstanceTimesOnGpu all_times_, kept_times_;
  bool keeps_whole_instances_ = true;  // then all_times_ are those of the matching rows

  // Every group that an instance is in, by slot; inside a slot in order of instance.
  Vector<uint32_t> member_slot_, member_instance_;

  // What matches the filters.
  Vector<uint8_t> keeps_cell_;
  Vector<TimeWindow> windows_;  // none = no filter on time
  std::vector<TimeWindow> windows_here_;

  // With the current split.
  std::size_t iteration_count_ = 0;
  // For each instance: 2i + 1 = in iteration i, 2i = between the one before it and this one.
  Vector<uint32_t> part_of_run_;
  std::array<std::optional<GroupRows>, 2> group_rows_;  // by Part
};

// --- Columns under a part
// -------------------------------------------------------------------------

template <typename Space>
rowwise::Events ThrustEngine<Space>::events(Part part) const {
  return {data(event_start_ns_),
          data(event_stop_ns_),
          data(event_cell_),
          data(event_instance_),
          part == Part::all ? nullptr : data(keeps_cell_),
          part == Part::all ? rowwise::Windows{nullptr, 0} : asked_windows()};
}

template <typename Space>
rowwise::EventTotals ThrustEngine<Space>::event_totals(Part part) const {
  return {
      {data(events_by_cell_), data(cell_by_cell_), data(gpu_ns_by_cell_), data(api_ns_by_cell_)},
      events(part)};
}

template <typename Space>
rowwise::InstanceTotals ThrustEngine<Space>::instance_totals(Part part) const {
  return {instances(part), data(instances_by_op_)};
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
  windows_here_ = filter.asks_for_time() ? filter.windows() : std::vector<TimeWindow>();
  windows_ = upload(windows_here_);
  keeps_whole_instances_ = !filter.asks_for_events() && !filter.asks_for_time();
  add_up_kept_instances(filter);
  constexpr auto kKept = static_cast<std::size_t>(Part::kept);
  op_ranges_->sums[kKept].reset();
  cell_ranges_->sums[kKept].reset();
  group_rows_[kKept].reset();
}

template <typename Space>
void ThrustEngine<Space>::add_up_kept_instances(const RowFilter& filter) {
  using namespace rowwise;
  const std::size_t count = profile_.instances.size();
  Vector<uint8_t> any_event(keeps_whole_instances_ ? 0 : count, 0);
  if (!keeps_whole_instances_) {
    kept_times_.gpu_ns.assign(count, 0);
    kept_times_.idle_ns.assign(count, 0);
    const Events kept = events(Part::kept);
    Vector<Reach> before(gpu_events_);
    const auto reaches =
        thrust::make_transform_iterator(events_by_instance_.begin(), ReachOf{kept});
    thrust::exclusive_scan_by_key(Space::policy(), instance_device_.begin(), instance_device_.end(),
                                  reaches, before.begin(), Reach{kNever, kNever},
                                  thrust::equal_to<uint32_t>(), Further());
    const auto instance_of =
        thrust::make_permutation_iterator(event_instance_.begin(), events_by_instance_.begin());
    const auto parts = thrust::make_transform_iterator(
        Rows(0), OnGpuOf{kept, data(events_by_instance_), data(before)});
    const auto [instance, on_gpu] =
        reduce_runs<OnGpu>(instance_of, gpu_events_, count, parts, AddOnGpu());
    const AddToInstance add{data(instance), data(on_gpu),
                            thrust::raw_pointer_cast(kept_times_.gpu_ns.data()),
                            thrust::raw_pointer_cast(kept_times_.idle_ns.data()),
                            thrust::raw_pointer_cast(any_event.data())};
    thrust::for_each(Space::policy(), Rows(0), Rows(static_cast<uint32_t>(instance.size())), add);
  }
  std::vector<uint8_t> keeps_op;
  for (profile::OpIndex op{0}; op < profile_.ops.size(); ++op) {
    keeps_op.push_back(filter.keeps_op(op) ? 1 : 0);
  }
  const Vector<uint8_t> keeps_op_there = upload(keeps_op);
  const InstanceCounts counts{
      data(instance_op_),       data(keeps_op_there),
      data(cpu_start_ns_),      keeps_whole_instances_ ? nullptr : data(any_event),
      filter.asks_for_events(), asked_windows()};
  kept_times_.counts.resize(count);
  thrust::transform(Space::policy(), Rows(0), Rows(static_cast<uint32_t>(count)),
                    kept_times_.counts.begin(), counts);
}

template <typename Space>
void ThrustEngine<Space>::set_iterations(const Iterations& iterations) {
  iteration_count_ = iterations.rows.size();
  std::vector<uint32_t> bounds;
  Row end = 0;
  for (const Iteration& iteration : iterations.rows) {
    const bool is_empty = iteration.first_instance == iteration.last_instance;
    if (iteration.first_instance < end && !is_empty) {
      throw std::runtime_error("iterations that overlap");
    }
    bounds.push_back(is_empty ? end : iteration.first_instance);
    if (!is_empty) end = iteration.last_instance;
    bounds.push_back(end);
  }
  const Vector<uint32_t> bounds_there = upload(bounds);
  part_of_run_.resize(profile_.instances.size());
  thrust::upper_bound(Space::policy(), bounds_there.begin(), bounds_there.end(), Rows(0),
                      Rows(static_cast<uint32_t>(part_of_run_.size())), part_of_run_.begin());
  for (auto& rows : group_rows_) rows.reset();
}

// --- Answers
// --------------------------------------------------------------------------------------

template <typename Space>
RowCells ThrustEngine<Space>::rows(Part part, Row first, Row end) {
  using namespace rowwise;
  RowCells result{op_layout_.empty(), event_layout_.empty()};
  const RowRange range{first, end};

  const auto ops = in_range(*op_ranges_, part, instance_totals(part),
                            ValueOf<uint32_t>{data(instances_by_op_)}, range);
  for (std::size_t i = 0; i < ops.keys.size(); ++i) {
    const Totals<5>& op = ops.totals[i];
    op_layout_.ops.set(result.ops, ops.keys[i], op.count, op.sum, op.low);
  }

  const auto cells = in_range(*cell_ranges_, part, event_totals(part),
                              ValueOf<uint32_t>{data(instance_by_cell_)}, range);
  for (std::size_t i = 0; i < cells.keys.size(); ++i) {
    const std::size_t cell = cells.keys[i], kernel_cells = event_layout_.kernels.size;
    const bool kernel = cell < kernel_cells;
    const CellBlock<2>& block = kernel ? event_layout_.kernels : event_layout_.memory_ops;
    const Totals<2>& events = cells.totals[i];
    block.set(result.events, kernel ? cell : cell - kernel_cells, events.count, events.sum,
              events.low);
  }
  return result;
}

template <typename Space>
typename ThrustEngine<Space>::GroupRows ThrustEngine<Space>::group_rows(Part part) const {
  using namespace rowwise;
  const auto places = thrust::make_transform_iterator(
      Rows(0), GroupPlaceOf{data(member_slot_), data(member_instance_), data(part_of_run_)});
  const auto sums =
      thrust::make_transform_iterator(member_instance_.begin(), GroupSumsOf{instances(part)});
  const std::size_t slots = group_layout_.times.size;
  auto runs = reduce_runs<GroupSums>(places, member_slot_.size(),
                                     slots * (2 * iteration_count_ + 1), sums, AddGroupSums());
  const auto slot_of = thrust::make_transform_iterator(runs.first.begin(), SlotOf());
  RangeTotals<Space, GroupTotals, CombineGroups> ranges(slot_of, runs.first.size(), slots,
                                                        options_.chunk_rows);
  auto totals = ranges.add_up(GroupTotalsOf{data(runs.second), data(runs.first)});
  return {std::move(runs.first), std::move(runs.second), std::move(ranges), std::move(totals)};
}

template <typename Space>
Cells ThrustEngine<Space>::groups(Part part, const IterationRange& range) {
  using namespace rowwise;
  auto& groups = group_rows_[static_cast<std::size_t>(part)];
  if (!groups) groups = group_rows(part);
  const RowRange parts{2 * static_cast<uint32_t>(range.first) + 1,
                       2 * static_cast<uint32_t>(range.last) + 2};
  const GroupTotalsOf totals_of{data(groups->sums), data(groups->places)};
  const auto answer =
      groups->rows.in_range(groups->totals, totals_of, PartOfRunOf{data(groups->places)}, parts);
  Cells cells = group_layout_.empty();
  for (std::size_t i = 0; i < answer.keys.size(); ++i) {
    const auto& [times, instances] = answer.totals[i];
    group_layout_.times.set(cells, answer.keys[i], times.count, times.sum, times.low);
    cells.sums[group_layout_.first_instance_count + answer.keys[i]] = instances;
  }
  return cells;
}

template <typename Space>
std::vector<KernelTotals> ThrustEngine<Space>::kernel_totals(Part part) {
  using namespace rowwise;
  const auto part_of_run =
      thrust::make_permutation_iterator(part_of_run_.begin(), event_instance_.begin());
  const auto sums = thrust::make_transform_iterator(
      Rows(0), SumsOfKernel{events(part), data(uses_tensor_cores_)});
  // Kernels come in order of their instances, so that each part of the run is one of keys.
  const auto runs = reduce_runs<KernelSums>(part_of_run, kernels_, 2 * iteration_count_ + 1, sums,
                                            AddKernelSums());
  const std::vector<uint32_t> part_of_runs = download(runs.first);
  const std::vector<KernelSums> kernels = download(runs.second);
  std::vector<KernelTotals> totals(iteration_count_);
  for (std::size_t i = 0; i < part_of_runs.size(); ++i) {
    if (part_of_runs[i] % 2 == 0) continue;
    totals[part_of_runs[i] / 2] += {kernels[i].count, kernels[i].tensor_core_count,
                                    kernels[i].gpu_ns, kernels[i].tensor_core_gpu_ns};
  }
  return totals;
}

template <typename Space>
std::vector<Coverage> ThrustEngine<Space>::covered_before(Part part, profile::DeviceIndex device,
                                                          std::span<const int64_t> times_ns) {
  const std::span<const TimeWindow> windows =
      part == Part::all ? std::span<const TimeWindow>() : windows_here_;
  if (windows.empty()) return covered_before_all(part, device, times_ns);

  // The part in a window is the difference of the values at its bounds.
  std::vector<int64_t> asked_ns(times_ns.begin(), times_ns.end());
  for (const TimeWindow& window : windows) {
    asked_ns.insert(asked_ns.end(), {window.start_ns, window.stop_ns});
  }
  const std::vector<Coverage> covered = covered_before_all(part, device, asked_ns);
  std::vector<Coverage> result(times_ns.size());
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    int64_t ns = 0;  // in the windows that have ended
    std::size_t w = 0;
    const auto before = [&](std::size_t place) { return covered[place].ns[level]; };
    const auto begin = [&] { return times_ns.size() + 2 * w; };
    for (std::size_t t = 0; t < times_ns.size(); ++t) {
      for (; w < windows.size() && windows[w].stop_ns <= times_ns[t]; ++w) {
        ns += before(begin() + 1) - before(begin());
      }
      const bool inside = w < windows.size() && windows[w].start_ns < times_ns[t];
      result[t].ns[level] = ns + (inside ? before(t) - before(begin()) : 0);
    }
  }
  return result;
}

template <typename Space>
std::vector<Coverage> ThrustEngine<Space>::covered_before_all(Part part, Row device,
                                                              std::span<const int64_t> times_ns) {
  using namespace rowwise;
  std::vector<Coverage> result(times_ns.size());
  const DeviceOrder& order = device_orders_[device];
  const std::size_t count = order.start_ns.size();
  if (count == 0 || times_ns.empty()) return result;

  const Vector<int64_t> times(times_ns.begin(), times_ns.end());
  Vector<uint32_t> places(times.size());  // events that start before each time
  thrust::lower_bound(Space::policy(), order.start_ns.begin(), order.start_ns.end(), times.begin(),
                      times.end(), places.begin());
  Vector<int64_t> reached(count), covered(count), before(times.size());
  const uint8_t* keeps_cell = part == Part::all ? nullptr : data(keeps_cell_);
  for (unsigned level = 0; level < kLevelCount; ++level) {
    if ((order.all_levels >> level & 1) == 0) continue;
    const LevelStop stop_of{data(order.start_ns), data(order.stop_ns), data(order.cell),
                            data(order.levels),   keeps_cell,          level};
    const auto stops = thrust::make_transform_iterator(Rows(0), stop_of);
    thrust::inclusive_scan(Space::policy(), stops, stops + static_cast<std::ptrdiff_t>(count),
                           reached.begin(), Higher());
    const auto adds = thrust::make_transform_iterator(Rows(0), LevelAdds{stop_of, data(reached)});
    thrust::inclusive_scan(Space::policy(), adds, adds + static_cast<std::ptrdiff_t>(count),
                           covered.begin());
    thrust::transform(Space::policy(), times.begin(), times.end(), places.begin(), before.begin(),
                      CoveredBefore{data(reached), data(covered)});
    const std::vector<int64_t> here = download(before);
    for (std::size_t t = 0; t < here.size(); ++t) result[t].ns[level] = here[t];
  }
  return result;
}

}  // namespace dlview::aggregate

#include "aggregate/thrust/thrust_upload.h"
