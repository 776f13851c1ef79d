#include "aggregate/cpu/device_timeline.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <tbb/parallel_sort.h>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::Profile;
using profile::Row;

// A look-up sweeps over half as many events on average.
constexpr std::size_t kStride = 256;
// Under filters all events are swept, in about this many pieces at once.
constexpr std::size_t kPieces = 16;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// `communication` false: no kernel of the device communicates, and nobody asks for the rest.
Levels levels_of_cell(const EventCell& kernel, bool communication) {
  const Levels nested =
      from_level(kernel.uses_tensor_cores ? Level::tensor_core_kernels : Level::kernels);
  if (!communication) return nested;
  return nested | level_bit(kernel.communicates ? Level::communication : Level::computation);
}

// Union of the op instances of all threads; of DataLoader ops only, or of all ops.
IntervalSet host_intervals(const Profile& profile, bool data_loader_only) {
  const auto& instances = profile.instances;
  std::vector<Interval> intervals;
  for (Row i = 0; i < instances.size(); ++i) {
    if (data_loader_only && profile.text(profile.ops.type[instances.op[i]]) != kDataLoaderOpType) {
      continue;
    }
    intervals.push_back({instances.cpu_start_ns[i], instances.cpu_stop_ns[i]});
  }
  return IntervalSet::union_of(std::move(intervals));
}

}  // namespace

DeviceTimeline::DeviceTimeline(const Profile& profile, const ProfileIndex& index, Row device,
                               std::shared_ptr<const Host> host)
    : profile_(&profile),
      index_(&index),
      host_(std::move(host)),
      has_communication_(std::ranges::any_of(
          index.kernels.cells,
          [device](const EventCell& cell) { return cell.device == device && cell.communicates; })),
      all_levels_(level_table()) {
  sort_events(device);
  sweep_all();
}

DeviceTimeline::LevelTable DeviceTimeline::level_table() const {
  LevelTable table;
  for (const EventCell& cell : index_->kernels.cells) {
    table.kernels.push_back(levels_of_cell(cell, has_communication_));
  }
  table.memory_ops.assign(index_->memory_ops.cells.size(), from_level(Level::gpu));
  table.data_loader = from_level(Level::gpu_data_loader);
  table.any_op = from_level(Level::gpu_host);
  return table;
}

DeviceTimeline::LevelTable DeviceTimeline::level_table(const Kept& kept) const {
  constexpr auto kGpuLevels = static_cast<Levels>(~kHostLevels);
  LevelTable table{all_levels_.kernels, all_levels_.memory_ops};
  for (Row cell = 0; cell < table.kernels.size(); ++cell) {
    table.kernels[cell] &= kept.keeps_kernel_cell(cell) ? kGpuLevels : Levels{0};
  }
  for (Row cell = 0; cell < table.memory_ops.size(); ++cell) {
    table.memory_ops[cell] &= kept.keeps_memory_cell(cell) ? kGpuLevels : Levels{0};
  }
  return table;
}

inline Levels DeviceTimeline::levels_of(Event event, const LevelTable& levels) const {
  const std::size_t kernels = profile_->kernels.size();
  if (event < kernels) return levels.kernels[index_->kernels.of_event[event]];
  const std::size_t memory_ops = profile_->memory_ops.size();
  if (event < kernels + memory_ops) {
    return levels.memory_ops[index_->memory_ops.of_event[event - kernels]];
  }
  return event < kernels + memory_ops + host_->data_loader.size() ? levels.data_loader
                                                                  : levels.any_op;
}

inline base::Interval DeviceTimeline::time_of(Event event) const {
  const auto& kernels = profile_->kernels;
  if (event < kernels.size()) return {kernels.gpu_start_ns[event], kernels.gpu_stop_ns[event]};
  std::size_t behind = event - kernels.size();
  const auto& memory_ops = profile_->memory_ops;
  if (behind < memory_ops.size()) {
    return {memory_ops.gpu_start_ns[behind], memory_ops.gpu_stop_ns[behind]};
  }
  behind -= memory_ops.size();
  const std::size_t loads = host_->data_loader.size();
  return behind < loads ? host_->data_loader.intervals()[behind]
                        : host_->any_op.intervals()[behind - loads];
}

void DeviceTimeline::sort_events(Row device) {
  const auto& kernel_cells = index_->kernels;
  const auto kernels = static_cast<Event>(profile_->kernels.size());
  const auto memory_ops = static_cast<Event>(profile_->memory_ops.size());
  const auto starts_before = [this](Event a, Event b) {
    const int64_t start_a = time_of(a).start_ns;
    const int64_t start_b = time_of(b).start_ns;
    return start_a != start_b ? start_a < start_b : a < b;
  };
  // Brings the events from `first` on in order, then all.
  const auto sort_from = [&](std::size_t first) {
    const auto middle = events_.begin() + static_cast<std::ptrdiff_t>(first);
    tbb::parallel_sort(middle, events_.end(), starts_before);
    std::inplace_merge(events_.begin(), middle, events_.end(), starts_before);
  };
  for (Row k = 0; k < kernels; ++k) {
    const EventCell& cell = kernel_cells.cells[kernel_cells.of_event[k]];
    if (cell.device != device) continue;
    events_.push_back(k);
  }
  sort_from(0);
  const std::size_t kernel_events = events_.size();
  for (Row m = 0; m < memory_ops; ++m) {
    if (profile_->memory_ops.device[m] == device) events_.push_back(kernels + m);
  }
  sort_from(kernel_events);
  const std::size_t gpu_events = events_.size();
  events_.resize(gpu_events + host_->data_loader.size() + host_->any_op.size());
  std::iota(events_.begin() + static_cast<std::ptrdiff_t>(gpu_events), events_.end(),
            kernels + memory_ops);
  sort_from(gpu_events);
}

void DeviceTimeline::sweep_all() {
  Sweep sweep;
  std::size_t next_clean = events_.size() / kPieces;
  for (std::size_t e = 0; e < events_.size(); ++e) {
    const Interval span = time_of(events_[e]);
    if (e % kStride == 0) {
      checkpoints_.push_back(sweep);
      check_ns_.push_back(span.start_ns);
    }
    if (e > 0 && e >= next_clean && sweep.reached_ns(Level::gpu) <= span.start_ns) {
      clean_.push_back(e);
      next_clean = e + events_.size() / kPieces;
    }
    sweep.add(levels_of(events_[e], all_levels_), span.start_ns, span.stop_ns);
  }
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns) const {
  std::vector<Coverage> result(times_ns.size());
  if (events_.empty()) return result;
  base::parallel_for(times_ns.size(), 1024, [&](std::size_t begin, std::size_t end) {
    Sweep sweep;
    std::size_t next = 0;  // event that the sweep has come to
    for (std::size_t t = begin; t < end; ++t) {
      const auto from = check_ns_.begin() + static_cast<std::ptrdiff_t>(next / kStride);
      const auto after = std::lower_bound(from, check_ns_.end(), times_ns[t]);
      const auto check = static_cast<std::size_t>(after - check_ns_.begin());
      if (check > 0 && (check - 1) * kStride >= next) {
        sweep = checkpoints_[check - 1];
        next = (check - 1) * kStride;
      }
      for (; next < events_.size(); ++next) {
        const Interval span = time_of(events_[next]);
        if (span.start_ns >= times_ns[t]) break;
        sweep.add(levels_of(events_[next], all_levels_), span.start_ns, span.stop_ns);
      }
      result[t] = sweep.before(times_ns[t]);
    }
  });
  return result;
}

std::vector<Coverage> DeviceTimeline::covered_before(std::span<const int64_t> times_ns,
                                                     const Kept& kept) const {
  std::vector<Coverage> result(times_ns.size());
  if (events_.empty()) return result;
  const LevelTable levels = level_table(kept);
  // Piece p sweeps events [first_event[p], first_event[p + 1]) and answers the times that lie
  // behind its first event and not behind that of the next.
  std::vector<std::size_t> first_event{0}, first_time{0};
  for (const std::size_t e : clean_) {
    const int64_t start_ns = time_of(events_[e]).start_ns;
    first_event.push_back(e);
    first_time.push_back(static_cast<std::size_t>(
        std::upper_bound(times_ns.begin(), times_ns.end(), start_ns) - times_ns.begin()));
  }
  const std::size_t pieces = first_event.size();
  first_event.push_back(events_.size());
  first_time.push_back(times_ns.size());

  for (const TimeWindow& window : kept.windows()) {
    std::vector<Coverage> totals(pieces);
    std::vector<Coverage> in_window(times_ns.size());
    base::parallel_for(pieces, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        Sweep sweep;
        std::size_t e = first_event[p];
        // Adds event `e` and goes on, unless it starts at `end_ns` or later.
        const auto add_before = [&](int64_t end_ns) {
          const Levels kept_levels = levels_of(events_[e], levels);
          if (kept_levels != 0) {
            const Interval span = time_of(events_[e]);
            if (span.start_ns >= end_ns) return false;
            sweep.add(kept_levels, std::max(span.start_ns, window.start_ns),
                      std::min(span.stop_ns, window.stop_ns));
          }
          ++e;
          return true;
        };
        for (std::size_t t = first_time[p]; t < first_time[p + 1]; ++t) {
          while (e < first_event[p + 1] && add_before(times_ns[t])) {
          }
          in_window[t] = sweep.before(times_ns[t]);
        }
        while (e < first_event[p + 1] && add_before(kForever)) {
        }
        totals[p] = sweep.total();
      }
    });
    Coverage before_piece;
    for (std::size_t p = 0; p < pieces; ++p) {
      for (std::size_t t = first_time[p]; t < first_time[p + 1]; ++t) {
        if (times_ns[t] <= window.start_ns) continue;
        result[t] += before_piece;
        result[t] += in_window[t];
      }
      before_piece += totals[p];
    }
  }
  return result;
}

std::vector<DeviceTimeline> device_timelines(const Profile& profile, const ProfileIndex& index) {
  std::vector<bool> ran_kernel(profile.devices.size());
  for (const EventCell& cell : index.kernels.cells) ran_kernel[cell.device] = true;
  const bool none_ran = std::ranges::find(ran_kernel, true) == ran_kernel.end();
  using Host = DeviceTimeline::Host;
  const auto host =
      std::make_shared<const Host>(host_intervals(profile, true), host_intervals(profile, false));
  const auto no_host = std::make_shared<const Host>();
  std::vector<DeviceTimeline> timelines;
  for (Row device = 0; device < ran_kernel.size(); ++device) {
    // decisions.md 7: idle devices of a run that used others get no host time.
    const bool host_counts = none_ran || ran_kernel[device];
    timelines.emplace_back(profile, index, device, host_counts ? host : no_host);
  }
  return timelines;
}

}  // namespace dlview::aggregate::cpu
