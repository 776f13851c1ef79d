#include "aggregate/exclusive/exclusive_data.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "aggregate/exclusive/lanes.h"
#include "aggregate/exclusive/window_sweep.h"
#include "aggregate/host/io_calls.h"
#include "base/intervals.h"
#include "base/parallel.h"
#include "profile/communication.h"
#include "profile/data_loading.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::Thread;

constexpr std::size_t kChunks = 64;      // of the windows of a GPU
constexpr std::size_t kLeastBlock = 16;  // iterations between two stored sums

std::vector<bool> loading_ops(const Profile& profile) {
  std::vector<bool> loads(profile.ops.size());
  for (OpIndex op{0}; op < profile.ops.size(); ++op) loads[op] = profile::loads_data(profile, op);
  return loads;
}

// By row of Profile::threads: the clock first, then by process and thread.
std::vector<uint32_t> thread_ranks(const Profile& profile, const std::optional<Thread>& clock) {
  std::vector<Row> order(profile.threads.size());
  for (Row t = 0; t < order.size(); ++t) order[t] = t;
  std::sort(order.begin(), order.end(), [&](Row a, Row b) {
    const Thread &first = profile.threads[a], &second = profile.threads[b];
    return std::tuple(!(first == clock), first.process_id, first.thread_id, a) <
           std::tuple(!(second == clock), second.process_id, second.thread_id, b);
  });
  std::vector<uint32_t> ranks(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) ranks[order[r]] = static_cast<uint32_t>(r);
  return ranks;
}

class ExclusiveDataMaker {
 public:
  ExclusiveDataMaker(const Profile& profile, const RuleIndex& rules, const Iterations& iterations,
                     const Cut& cut, ExclusiveData& data)
      : profile_(profile),
        rules_(rules),
        iterations_(iterations),
        data_(data),
        windows_(windows_of(iterations)),
        kernels_(kernel_cells(profile, profile::communication_kernels(profile))),
        memory_(memory_cells(profile)),
        cells_(kernels_, memory_, profile.ops.size()),
        loads_data_(loading_ops(profile)),
        clock_(clock_thread(profile, cut)) {}

  void make() {
    find_host_lanes();
    find_host_times();
    find_gpu_lanes();
    number_windows();
    const std::size_t gpus = gpu_count();
    data_.gpus.resize(gpus);
    used_.assign(gpus, {});
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) add_gpu(gpu);
    number_rows();
  }

 private:
  // Without GPUs the host has its time in the place of one.
  std::size_t gpu_count() const { return std::max<std::size_t>(profile_.devices.size(), 1); }

  PartKey key_of(uint32_t cell, DeviceIndex device) const {
    PartKey key{.device = device};
    if (cell < cells_.memory_ops) {
      const EventCell& kernel = kernels_.cells[cell % std::max<uint32_t>(cells_.hidden, 1)];
      key.part = kernel.communicates && cell < cells_.hidden ? StackPart::exposed_communication
                 : kernel.uses_tensor_cores                  ? StackPart::tensor_core_kernels
                                                             : StackPart::other_kernels;
      key.op = kernel.op;
      key.name = kernel.name;
    } else if (cell < cells_.loader) {
      const EventCell& memory_op = memory_.cells[cell - cells_.memory_ops];
      key.part = StackPart::memory;
      key.op = memory_op.op;
      key.name = memory_op.name;
    } else {
      const auto set = [&](StackPart part, uint32_t first, bool has_op) {
        const std::size_t number = cell - first, cause = number % kGapCells;
        key.part = part;
        if (has_op) key.op = OpIndex(static_cast<Row>(number / kGapCells));
        if (cause < kGapCauseCount) key.gap = static_cast<GapCause>(cause);
      };
      if (cell < cells_.io) {
        set(StackPart::data_loader, cells_.loader, true);
      } else if (cell < cells_.cpu) {
        set(StackPart::io, cells_.io, false);
      } else if (cell < cells_.other) {
        set(StackPart::cpu, cells_.cpu, true);
      } else {
        set(StackPart::other, cells_.other, false);
      }
    }
    return key;
  }

  void find_host_lanes() {
    const std::vector<uint32_t> ranks = thread_ranks(profile_, clock_);
    const profile::OpInstances& instances = profile_.instances;
    std::vector<RankedSpan> loader, others;
    for (InstanceIndex i{0}; i < instances.size(); ++i) {
      const OpIndex op = instances.op[i];
      const uint32_t first = loads_data_[op] ? cells_.loader : cells_.cpu;
      (loads_data_[op] ? loader : others)
          .push_back({{instances.cpu_start_ns[i], instances.cpu_stop_ns[i],
                       first + static_cast<uint32_t>(op * kGapCells)},
                      ranks[instances.thread[i]]});
    }
    host_.loader = owners_by_rank(loader);
    host_.cpu = owners_by_rank(others);
    const IntervalSet io = io_intervals(profile_);
    for (const Interval& time : io.intervals()) {
      host_.io.push_back({time.start_ns, time.stop_ns, cells_.io});
    }
  }

  // What the clock's thread does in the time of each iteration on the host.
  void find_host_times() {
    const auto is_clock = [&](profile::ThreadIndex thread) {
      return !clock_ || profile_.threads[thread] == *clock_;
    };
    const profile::OpInstances& instances = profile_.instances;
    std::vector<Interval> runs, loads, waits;
    for (InstanceIndex i{0}; i < instances.size(); ++i) {
      if (!is_clock(instances.thread[i])) continue;
      const Interval time{instances.cpu_start_ns[i], instances.cpu_stop_ns[i]};
      runs.push_back(time);
      if (loads_data_[instances.op[i]]) loads.push_back(time);
    }
    std::map<profile::StringId, bool> is_wait;
    const auto add_waits = [&](const auto& calls) {
      for (std::size_t c = 0; c < calls.size(); ++c) {
        const auto [known, added] = is_wait.try_emplace(calls.name[c], false);
        if (added) {
          known->second =
              profile_.text(calls.name[c]).find("Synchronize") != std::string_view::npos;
        }
        if (!known->second || !is_clock(calls.thread[c])) continue;
        waits.push_back({calls.api_start_ns[c], calls.api_stop_ns[c]});
      }
    };
    add_waits(profile_.syncs);
    add_waits(profile_.api_calls);
    const IntervalSet waiting = IntervalSet::union_of(std::move(waits));
    const IntervalSet running = IntervalSet::union_of(std::move(runs)).without(waiting);
    const IntervalSet loading = IntervalSet::union_of(std::move(loads)).without(waiting);
    for (auto* sums :
         {&data_.durations_before_ns, &data_.host_before_ns, &data_.loader_before_ns}) {
      sums->push_back(0);
    }
    for (const Iteration& iteration : iterations_.rows) {
      const Interval host = iteration.host_time();
      const auto add = [](std::vector<int64_t>& sums, int64_t ns) {
        sums.push_back(sums.back() + ns);
      };
      add(data_.durations_before_ns, iteration.duration_ns());
      add(data_.host_before_ns, running.covered_ns(host.start_ns, host.stop_ns));
      add(data_.loader_before_ns, loading.covered_ns(host.start_ns, host.stop_ns));
    }
  }

  static LaneKind kind_of(const EventCell& kernel) {
    return kernel.communicates        ? kCommunicationLane
           : kernel.uses_tensor_cores ? kTensorCoreLane
                                      : kComputeLane;
  }

  void find_gpu_lanes() {
    const std::size_t gpus = gpu_count();
    std::vector<std::array<base::LargeVector<Row>, kMemoryLane + 1>> rows(gpus);
    for (Row k = 0; k < kernels_.of_event.size(); ++k) {
      const EventCell& cell = kernels_.cells[kernels_.of_event[k]];
      const LaneKind kind = kind_of(cell);
      rows[cell.device][kind].push_back(k);
      if (kind == kCommunicationLane && cell.uses_tensor_cores) {
        rows[cell.device][kHiddenTensorCoreLane].push_back(k);
      }
    }
    for (Row m = 0; m < memory_.of_event.size(); ++m) {
      rows[memory_.cells[memory_.of_event[m]].device][kMemoryLane].push_back(m);
    }
    std::vector<bool> ran_kernel(gpus);
    for (const EventCell& cell : kernels_.cells) ran_kernel[cell.device] = true;
    const bool none_ran = std::ranges::find(ran_kernel, true) == ran_kernel.end();
    lanes_.resize(gpus);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      lanes_[gpu].counts_host = none_ran || ran_kernel[gpu];
    }
    for (const GpuWorkTimes& work : rules_.gpus()) lanes_[work.device()].work = &work;
    base::parallel_for(gpus * (kMemoryLane + 1), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t gpu = i / (kMemoryLane + 1), kind = i % (kMemoryLane + 1);
        lanes_[gpu].events[kind] = lane_of(static_cast<LaneKind>(kind), std::move(rows[gpu][kind]));
      }
    });
    base::parallel_for(gpus, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t gpu = begin; gpu < end; ++gpu) {
        lanes_[gpu].crowded = crowded_times(lanes_[gpu]);
      }
    });
  }

  // Of iterations that do not overlap: windows are in order of iterations.
  void number_windows() {
    std::size_t reached = 0;
    for (const auto& [first, end] : windows_.of_iteration) {
      if (first != reached) return;
      reached = end;
    }
    if (reached != windows_.times.size()) return;
    for (const auto& [first, end] : windows_.of_iteration) data_.first_window.push_back(first);
    data_.first_window.push_back(reached);
    data_.windows_before_ns.push_back(0);
    for (const Interval& time : windows_.times) {
      data_.windows_before_ns.push_back(data_.windows_before_ns.back() + time.stop_ns -
                                        time.start_ns);
    }
  }

  EventLane lane_of(LaneKind kind, base::LargeVector<Row> rows) const {
    if (kind == kMemoryLane) {
      const auto& events = profile_.memory_ops;
      return {events.gpu_start_ns.span(), events.gpu_stop_ns.span(), memory_.of_event,
              cells_.memory_ops, std::move(rows)};
    }
    const auto& events = profile_.kernels;
    return {events.gpu_start_ns.span(), events.gpu_stop_ns.span(), kernels_.of_event,
            kind == kHiddenTensorCoreLane ? cells_.hidden : 0, std::move(rows)};
  }

  void add_gpu(std::size_t gpu) {
    const std::size_t windows = windows_.times.size();
    const std::size_t chunks = std::min(kChunks, windows);
    const SweepInput input{rules_, windows_, cells_, host_, !data_.first_window.empty()};
    const DeviceIndex device(static_cast<Row>(gpu));
    std::vector<SweptEntries> parts(chunks);
    base::parallel_for(chunks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        parts[c] = sweep_windows(input, lanes_[gpu], device, windows * c / chunks,
                                 windows * (c + 1) / chunks);
      }
    });
    ExclusiveData::Gpu& result = data_.gpus[gpu];
    for (const SweptEntries& part : parts) {
      result.whole.insert(result.whole.end(), part.whole.begin(), part.whole.end());
    }
    if (!result.whole.empty()) add_alone_before(lanes_[gpu].crowded, result);
    lanes_[gpu] = {};

    std::vector<std::span<const CellEntry>> of_window;
    std::vector<std::vector<CellEntry>> spilled(windows);
    for (const SweptEntries& part : parts) {
      std::size_t at = 0;
      for (const std::size_t count : part.counts) {
        of_window.push_back(std::span(part.entries).subspan(at, count));
        at += count;
      }
      for (const LaterEntry& spill : part.spills) spilled[spill.window].push_back(spill.entry);
    }

    std::vector<uint32_t> local(cells_.count, std::numeric_limits<uint32_t>::max());
    const auto number_of = [&](uint32_t cell) {
      uint32_t& number = local[cell];
      if (number == std::numeric_limits<uint32_t>::max()) {
        number = static_cast<uint32_t>(used_[gpu].size());
        used_[gpu].push_back(cell);
      }
      return number;
    };
    const auto add = [&](const CellEntry& entry) {
      result.cell.push_back(number_of(entry.cell));
      result.exclusive_ns.push_back(entry.exclusive_ns);
      result.total_ns.push_back(entry.total_ns);
    };
    for (const auto& [first, end] : windows_.of_iteration) {
      result.first.push_back(result.cell.size());
      for (std::size_t window = first; window < end; ++window) {
        for (const CellEntry& entry : of_window[window]) add(entry);
        for (const CellEntry& entry : spilled[window]) add(entry);
      }
    }
    result.first.push_back(result.cell.size());
    for (ExclusiveData::WholeWindows& whole : result.whole) whole.cell = number_of(whole.cell);
    std::ranges::stable_sort(result.whole, {}, &ExclusiveData::WholeWindows::window);
    add_blocks(used_[gpu].size(), result);
  }

  void add_alone_before(const IntervalSet& crowded, ExclusiveData::Gpu& gpu) const {
    gpu.alone_before_ns.push_back(0);
    for (const Interval& time : windows_.times) {
      gpu.alone_before_ns.push_back(gpu.alone_before_ns.back() + time.stop_ns - time.start_ns -
                                    crowded.covered_ns(time.start_ns, time.stop_ns));
    }
  }

  // No more sums than half of the entries.
  static void add_blocks(std::size_t cells, ExclusiveData::Gpu& gpu) {
    const std::size_t iterations = gpu.first.size() - 1;
    const std::size_t entries = std::max<std::size_t>(gpu.cell.size(), 1);
    gpu.block = std::max(kLeastBlock, 2 * cells * iterations / entries);
    std::vector<int64_t> sums(2 * cells);
    for (std::size_t i = 0; i < iterations; ++i) {
      if (i % gpu.block == 0) gpu.before.insert(gpu.before.end(), sums.begin(), sums.end());
      for (std::size_t e = gpu.first[i]; e < gpu.first[i + 1]; ++e) {
        sums[2 * gpu.cell[e]] += gpu.exclusive_ns[e];
        sums[2 * gpu.cell[e] + 1] += gpu.total_ns[e];
      }
    }
    gpu.before.insert(gpu.before.end(), sums.begin(), sums.end());  // of all
  }

  void number_rows() {
    const auto place = [&](const PartKey& key) {
      return std::tuple(key.part, Row{key.op}, profile_.text(key.name),
                        key.gap ? static_cast<int>(*key.gap) : -1, Row{key.device});
    };
    const auto before = [&](const PartKey& a, const PartKey& b) { return place(a) < place(b); };
    const auto row_key = [&](uint32_t cell, std::size_t gpu) {
      return key_of(cell < cells_.shared ? cell : cell - cells_.shared,
                    DeviceIndex(static_cast<Row>(gpu)));
    };
    std::vector<PartKey>& rows = data_.rows;
    for (std::size_t gpu = 0; gpu < used_.size(); ++gpu) {
      for (const uint32_t cell : used_[gpu]) rows.push_back(row_key(cell, gpu));
    }
    std::sort(rows.begin(), rows.end(), before);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (std::size_t gpu = 0; gpu < used_.size(); ++gpu) {
      for (const uint32_t cell : used_[gpu]) {
        const auto row = std::lower_bound(rows.begin(), rows.end(), row_key(cell, gpu), before);
        const std::size_t sums = cell < cells_.shared ? 0 : rows.size();
        data_.gpus[gpu].cells.push_back(
            static_cast<Row>(sums + static_cast<std::size_t>(row - rows.begin())));
      }
    }
  }

  const Profile& profile_;
  const RuleIndex& rules_;
  const Iterations& iterations_;
  ExclusiveData& data_;
  IterationWindows windows_;
  EventCells kernels_, memory_;
  CellNumbers cells_;
  std::vector<bool> loads_data_;
  std::optional<Thread> clock_;
  HostLanes host_;
  std::vector<GpuLanes> lanes_;              // by device
  std::vector<std::vector<uint32_t>> used_;  // cells of a device, in order of first use
};

}  // namespace

std::optional<Thread> clock_thread(const Profile& profile, const Cut& cut) {
  if (cut.kind == CutKind::stored || cut.key_op.empty()) return std::nullopt;
  std::optional<KeyThread> most;
  for (const KeyThread& candidate : threads_of_key(profile, cut.key_op)) {
    if (cut.clock && !cut.clock->is(candidate.thread)) continue;
    if (!most || candidate.instances > most->instances) most = candidate;
  }
  if (!most) return std::nullopt;
  return most->thread;
}

ExclusiveData exclusive_data(const Profile& profile, const RuleIndex& rules,
                             const Iterations& iterations, const Cut& cut) {
  ExclusiveData data;
  ExclusiveDataMaker(profile, rules, iterations, cut, data).make();
  return data;
}

}  // namespace dlview::aggregate
