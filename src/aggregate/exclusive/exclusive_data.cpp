#include "aggregate/exclusive/exclusive_data.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "aggregate/exclusive/lanes.h"
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

constexpr std::size_t kChunks = 64;                    // of the windows of a GPU
constexpr std::size_t kLeastBlock = 16;                // iterations between two stored sums
constexpr std::size_t kGapCells = kGapCauseCount + 1;  // the last one: not in a gap

// Disjoint pieces of the iterations. Iterations of a stored list may overlap.
struct Windows {
  std::vector<Interval> times;                                    // in order, none is empty
  std::vector<std::pair<std::size_t, std::size_t>> of_iteration;  // [first, end)
};

Windows windows_of(const Iterations& iterations) {
  std::vector<std::pair<int64_t, int>> bounds;  // +1: an iteration begins
  for (const Iteration& iteration : iterations.rows) {
    if (iteration.stop_ns <= iteration.start_ns) continue;
    bounds.emplace_back(iteration.start_ns, +1);
    bounds.emplace_back(iteration.stop_ns, -1);
  }
  std::sort(bounds.begin(), bounds.end());
  Windows windows;
  int64_t open = 0, since_ns = 0;
  for (const auto& [time_ns, change] : bounds) {
    if (open > 0 && time_ns > since_ns) windows.times.push_back({since_ns, time_ns});
    since_ns = time_ns;
    open += change;
  }
  const auto place = [&](int64_t time_ns) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(windows.times, time_ns, {}, &Interval::start_ns) -
        windows.times.begin());
  };
  for (const Iteration& iteration : iterations.rows) {
    const std::size_t first = place(iteration.start_ns);
    windows.of_iteration.emplace_back(first, std::max(first, place(iteration.stop_ns)));
  }
  return windows;
}

// A place in a lane of either kind that moves on in time.
class LaneCursor {
 public:
  LaneCursor() = default;
  LaneCursor(const EventLane& lane, int64_t time_ns) : events_(&lane), size_(lane.size()) {
    seek([&](std::size_t i) { return lane.stop_ns(i); }, time_ns);
  }
  LaneCursor(const HostLane& lane, int64_t time_ns) : host_(&lane), size_(lane.size()) {
    seek([&](std::size_t i) { return lane[i].stop_ns; }, time_ns);
  }
  // Moves to the first segment that ends after the time.
  void advance(int64_t time_ns) {
    while (now_.stop_ns <= time_ns) {
      ++place_;
      load();
    }
  }
  const LaneSegment& now() const { return now_; }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  template <typename StopOf>
  void seek(const StopOf& stop_of, int64_t time_ns) {
    std::size_t end = size_;
    while (place_ < end) {
      const std::size_t middle = place_ + (end - place_) / 2;
      if (stop_of(middle) <= time_ns) {
        place_ = middle + 1;
      } else {
        end = middle;
      }
    }
    load();
  }
  void load() {
    now_ = place_ >= size_      ? LaneSegment{kNever, kNever, 0}
           : events_ != nullptr ? events_->segment(place_)
                                : (*host_)[place_];
  }

  const EventLane* events_ = nullptr;
  const HostLane* host_ = nullptr;
  std::size_t place_ = 0, size_ = 0;
  LaneSegment now_{kNever, kNever, 0};
};

// In order of priority. hidden_tensor_cores: communication kernels that use Tensor Cores, which the
// breakdown gives to those where another kernel runs.
enum LaneKind : uint8_t {
  kUsesTensorCores,
  kHiddenTensorCores,
  kComputes,
  kCommunicates,
  kMemory,
  kLoader,
  kIo,
  kCpu,
  kKinds,
};

// Each event is in one of these.
constexpr std::array kEventKinds{kUsesTensorCores, kComputes, kCommunicates, kMemory};

struct Entry {
  uint32_t cell = 0, exclusive_ns = 0, total_ns = 0;
};

// Values of a later window.
struct Spill {
  std::size_t window = 0;
  Entry entry;
};

// What one piece of the windows of a GPU gives.
struct ChunkEntries {
  std::vector<Entry> entries;
  std::vector<std::size_t> counts;  // of each window
  std::vector<Spill> spills;        // into later windows
  std::vector<ExclusiveData::WholeWindows> whole;
};

template <typename Take>
void add_entry(uint32_t cell, int64_t exclusive_ns, int64_t total_ns, const Take& take) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  do {
    const int64_t exclusive = std::min(exclusive_ns, kMost), total = std::min(total_ns, kMost);
    take(Entry{cell, static_cast<uint32_t>(exclusive), static_cast<uint32_t>(total)});
    exclusive_ns -= exclusive;
    total_ns -= total;
  } while (exclusive_ns > 0 || total_ns > 0);
}

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

// Cells of everything that can have time, block by block.
struct CellNumbers {
  CellNumbers(const EventCells& kernels, const EventCells& memory, std::size_t ops)
      : hidden(static_cast<uint32_t>(kernels.cells.size())),
        memory_ops(2 * hidden),
        loader(memory_ops + static_cast<uint32_t>(memory.cells.size())),
        io(loader + static_cast<uint32_t>(ops * kGapCells)),
        cpu(io + kGapCells),
        other(cpu + static_cast<uint32_t>(ops * kGapCells)),
        shared(other + kGapCells),
        count(shared + loader) {}
  // Kernels begin at 0. Of the host, each op and I/O has a cell for each idle cause. shared: for
  // each cell of the GPU, its events that run beside others: the time they run alone, and all.
  uint32_t hidden, memory_ops, loader, io, cpu, other, shared;
  std::size_t count;
};

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
  struct GpuLanes {
    std::array<EventLane, kMemory + 1> events;  // by LaneKind
    IntervalSet crowded;                        // in which two events or more run
    bool counts_host = true;
    const GpuWorkTimes* work = nullptr;  // null = did nothing
  };

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
    loader_ = owners_by_rank(loader);
    cpu_ = owners_by_rank(others);
    const IntervalSet io = io_intervals(profile_);
    for (const Interval& time : io.intervals()) {
      io_.push_back({time.start_ns, time.stop_ns, cells_.io});
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
    return kernel.communicates        ? kCommunicates
           : kernel.uses_tensor_cores ? kUsesTensorCores
                                      : kComputes;
  }

  void find_gpu_lanes() {
    const std::size_t gpus = gpu_count();
    std::vector<std::array<base::LargeVector<Row>, kMemory + 1>> rows(gpus);
    for (Row k = 0; k < kernels_.of_event.size(); ++k) {
      const EventCell& cell = kernels_.cells[kernels_.of_event[k]];
      const LaneKind kind = kind_of(cell);
      rows[cell.device][kind].push_back(k);
      if (kind == kCommunicates && cell.uses_tensor_cores) {
        rows[cell.device][kHiddenTensorCores].push_back(k);
      }
    }
    for (Row m = 0; m < memory_.of_event.size(); ++m) {
      rows[memory_.cells[memory_.of_event[m]].device][kMemory].push_back(m);
    }
    std::vector<bool> ran_kernel(gpus);
    for (const EventCell& cell : kernels_.cells) ran_kernel[cell.device] = true;
    const bool none_ran = std::ranges::find(ran_kernel, true) == ran_kernel.end();
    lanes_.resize(gpus);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      lanes_[gpu].counts_host = none_ran || ran_kernel[gpu];
    }
    for (const GpuWorkTimes& work : rules_.gpus()) lanes_[work.device()].work = &work;
    base::parallel_for(gpus * (kMemory + 1), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t gpu = i / (kMemory + 1), kind = i % (kMemory + 1);
        lanes_[gpu].events[kind] = lane_of(static_cast<LaneKind>(kind), std::move(rows[gpu][kind]));
      }
    });
    base::parallel_for(gpus, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t gpu = begin; gpu < end; ++gpu) lanes_[gpu].crowded = crowded(lanes_[gpu]);
    });
  }

  // All events in order of start: after the start of the last one, two run until the second latest
  // stop so far.
  static IntervalSet crowded(const GpuLanes& lanes) {
    constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
    std::array<std::size_t, kEventKinds.size()> next{};
    std::vector<Interval> found;
    int64_t since_ns = 0, last_stop_ns = std::numeric_limits<int64_t>::min(),
            second_stop_ns = last_stop_ns;
    while (true) {
      LaneSegment first{kNever, kNever, 0};
      std::size_t from = 0;
      for (std::size_t k = 0; k < kEventKinds.size(); ++k) {
        const EventLane& lane = lanes.events[kEventKinds[k]];
        if (next[k] == lane.rows().size()) continue;
        const LaneSegment event = lane.event(lane.rows()[next[k]]);
        if (event.start_ns >= first.start_ns) continue;
        first = event;
        from = k;
      }
      const int64_t until_ns = std::min(second_stop_ns, first.start_ns);
      if (until_ns > since_ns) {
        if (!found.empty() && found.back().stop_ns == since_ns) {
          found.back().stop_ns = until_ns;
        } else {
          found.push_back({since_ns, until_ns});
        }
      }
      if (first.start_ns == kNever) break;
      ++next[from];
      since_ns = first.start_ns;
      second_stop_ns = std::max(second_stop_ns, std::min(last_stop_ns, first.stop_ns));
      last_stop_ns = std::max(last_stop_ns, first.stop_ns);
    }
    return IntervalSet::union_of_sorted(found);
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
    if (kind == kMemory) {
      const auto& events = profile_.memory_ops;
      return {events.gpu_start_ns.span(), events.gpu_stop_ns.span(), memory_.of_event,
              cells_.memory_ops, std::move(rows)};
    }
    const auto& events = profile_.kernels;
    return {events.gpu_start_ns.span(), events.gpu_stop_ns.span(), kernels_.of_event,
            kind == kHiddenTensorCores ? cells_.hidden : 0, std::move(rows)};
  }

  // Of the windows [first, end) of a GPU.
  class Chunk {
   public:
    Chunk(const ExclusiveDataMaker& maker, std::size_t gpu, std::size_t first, std::size_t end)
        : maker_(maker),
          lanes_(maker.lanes_[gpu]),
          device_(static_cast<Row>(gpu)),
          times_(maker.windows_.times),
          exclusive_ns_(maker.cells_.count),
          total_ns_(maker.cells_.count) {
      const int64_t start_ns = times_[first].start_ns;
      for (std::size_t kind = 0; kind <= kMemory; ++kind) {
        const EventLane& lane = lanes_.events[kind];
        cursors_[kind] = LaneCursor(lane, start_ns);
        const auto begins = std::ranges::lower_bound(
            lane.rows(),
            first == 0 ? std::numeric_limits<int64_t>::min() : times_[first - 1].stop_ns, {},
            [&](Row row) { return lane.event(row).start_ns; });
        next_[kind] = static_cast<std::size_t>(begins - lane.rows().begin());
      }
      if (lanes_.counts_host) {
        cursors_[kLoader] = LaneCursor(maker.loader_, start_ns);
        cursors_[kIo] = LaneCursor(maker.io_, start_ns);
        cursors_[kCpu] = LaneCursor(maker.cpu_, start_ns);
      }
      if (lanes_.work != nullptr) {
        busy_ = lanes_.work->busy().intervals();
        busy_place_ = static_cast<std::size_t>(
            std::ranges::lower_bound(busy_, start_ns, {}, &Interval::start_ns) - busy_.begin());
      }
      for (std::size_t window = first; window < end; ++window) {
        divide(times_[window]);
        add_totals(window);
        flush();
      }
    }
    ChunkEntries take() { return std::move(result_); }

   private:
    void add(uint32_t cell, int64_t exclusive_ns, int64_t total_ns) {
      if (exclusive_ns_[cell] == 0 && total_ns_[cell] == 0) touched_.push_back(cell);
      exclusive_ns_[cell] += exclusive_ns;
      total_ns_[cell] += total_ns;
    }

    void divide(const Interval& window) {
      for (int64_t time_ns = window.start_ns; time_ns < window.stop_ns;) {
        int64_t until_ns = window.stop_ns;
        const std::optional<uint32_t> cell = cell_at(time_ns, until_ns);
        add(cell ? *cell : maker_.cells_.other + gap_number(until_ns), until_ns - time_ns, 0);
        time_ns = until_ns;
      }
    }

    // Lowers `until_ns` to the next time at which this may change.
    std::optional<uint32_t> cell_at(int64_t time_ns, int64_t& until_ns) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        LaneCursor& cursor = cursors_[kind];
        cursor.advance(time_ns);
        const LaneSegment& now = cursor.now();
        if (now.start_ns > time_ns) {
          until_ns = std::min(until_ns, now.start_ns);
          continue;
        }
        if (kind == kHiddenTensorCores) {
          LaneCursor& computes = cursors_[kComputes];
          computes.advance(time_ns);
          if (computes.now().start_ns > time_ns) continue;  // exposed
          until_ns = std::min(until_ns, computes.now().stop_ns);
        }
        until_ns = std::min(until_ns, now.stop_ns);
        return kind < kLoader ? now.cell : now.cell + gap_number(until_ns);
      }
      return std::nullopt;
    }

    // The cause of a stretch in which the GPU is idle and which ends then; kGapCauseCount = no gap.
    uint32_t gap_number(int64_t until_ns) {
      while (busy_place_ < busy_.size() && busy_[busy_place_].start_ns < until_ns) ++busy_place_;
      if (busy_place_ == 0 || busy_place_ == busy_.size()) return kGapCauseCount;
      if (known_gap_ != busy_place_) {
        known_gap_ = busy_place_;
        const GpuWorkTimes::Gap gap = lanes_.work->gap(busy_place_ - 1);
        known_cause_ =
            maker_.rules_.idle_gaps().cause(device_, gap.start_ns, gap.stop_ns, gap.instance);
      }
      return static_cast<uint32_t>(known_cause_);
    }

    // The time of an event in a window.
    void add_piece(uint32_t cell, const Interval& event, std::size_t window, std::size_t in) {
      const Interval& time = times_[in];
      const int64_t start_ns = std::max(event.start_ns, time.start_ns),
                    stop_ns = std::min(event.stop_ns, time.stop_ns), ns = stop_ns - start_ns;
      if (ns <= 0) return;
      const int64_t crowded_ns = lanes_.crowded.covered_ns(start_ns, stop_ns);
      const uint32_t shared = maker_.cells_.shared + cell;
      if (in == window) {
        add(cell, 0, ns);
        if (crowded_ns > 0) add(shared, ns - crowded_ns, ns);
        return;
      }
      const auto spill = [&](const Entry& entry) { result_.spills.push_back({in, entry}); };
      add_entry(cell, 0, ns, spill);
      if (crowded_ns > 0) add_entry(shared, ns - crowded_ns, ns, spill);
    }

    void add_totals(std::size_t window) {
      for (const LaneKind kind : kEventKinds) {
        const EventLane& lane = lanes_.events[kind];
        for (std::size_t& next = next_[kind]; next < lane.rows().size(); ++next) {
          const LaneSegment event = lane.event(lane.rows()[next]);
          if (event.start_ns >= times_[window].stop_ns) break;
          const Interval time{event.start_ns, event.stop_ns};
          add_piece(event.cell, time, window, window);
          if (event.stop_ns <= times_[window].stop_ns) continue;
          const auto end = static_cast<std::size_t>(
              std::ranges::lower_bound(times_, event.stop_ns, {}, &Interval::start_ns) -
              times_.begin());
          std::size_t later = window + 1;
          // An event with a damaged end can cover all later windows, as can many such events.
          if (end > later + 1 && !maker_.data_.first_window.empty()) {
            result_.whole.push_back({later, event.cell, +1});
            result_.whole.push_back({end - 1, event.cell, -1});
            later = end - 1;
          }
          for (; later < end; ++later) add_piece(event.cell, time, window, later);
        }
      }
    }

    void flush() {
      const std::size_t before = result_.entries.size();
      for (const uint32_t cell : touched_) {
        add_entry(cell, exclusive_ns_[cell], total_ns_[cell],
                  [&](const Entry& entry) { result_.entries.push_back(entry); });
        exclusive_ns_[cell] = total_ns_[cell] = 0;
      }
      touched_.clear();
      result_.counts.push_back(result_.entries.size() - before);
    }

    const ExclusiveDataMaker& maker_;
    const GpuLanes& lanes_;
    DeviceIndex device_;
    const std::vector<Interval>& times_;
    std::vector<int64_t> exclusive_ns_, total_ns_;  // by cell, of this window
    std::vector<uint32_t> touched_;
    std::array<LaneCursor, kKinds> cursors_;
    std::array<std::size_t, kMemory + 1> next_{};  // event by LaneKind
    std::span<const Interval> busy_;
    std::size_t busy_place_ = 0, known_gap_ = std::numeric_limits<std::size_t>::max();
    GapCause known_cause_ = GapCause::nothing;
    ChunkEntries result_;
  };

  void add_gpu(std::size_t gpu) {
    const std::size_t windows = windows_.times.size();
    const std::size_t chunks = std::min(kChunks, windows);
    std::vector<ChunkEntries> parts(chunks);
    base::parallel_for(chunks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        parts[c] = Chunk(*this, gpu, windows * c / chunks, windows * (c + 1) / chunks).take();
      }
    });
    ExclusiveData::Gpu& result = data_.gpus[gpu];
    for (const ChunkEntries& part : parts) {
      result.whole.insert(result.whole.end(), part.whole.begin(), part.whole.end());
    }
    if (!result.whole.empty()) add_alone_before(lanes_[gpu].crowded, result);
    lanes_[gpu] = {};

    std::vector<std::span<const Entry>> of_window;
    std::vector<std::vector<Entry>> spilled(windows);
    for (const ChunkEntries& part : parts) {
      std::size_t at = 0;
      for (const std::size_t count : part.counts) {
        of_window.push_back(std::span(part.entries).subspan(at, count));
        at += count;
      }
      for (const Spill& spill : part.spills) spilled[spill.window].push_back(spill.entry);
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
    const auto add = [&](const Entry& entry) {
      result.cell.push_back(number_of(entry.cell));
      result.exclusive_ns.push_back(entry.exclusive_ns);
      result.total_ns.push_back(entry.total_ns);
    };
    for (const auto& [first, end] : windows_.of_iteration) {
      result.first.push_back(result.cell.size());
      for (std::size_t window = first; window < end; ++window) {
        for (const Entry& entry : of_window[window]) add(entry);
        for (const Entry& entry : spilled[window]) add(entry);
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
  Windows windows_;
  EventCells kernels_, memory_;
  CellNumbers cells_;
  std::vector<bool> loads_data_;
  std::optional<Thread> clock_;
  HostLane loader_, io_, cpu_;
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
