#include "timeline/lanes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/range_paths.h"
#include "aggregate/step_names.h"
#include "base/parallel.h"
#include "base/stop_point.h"
#include "profile/recorded.h"
#include "timeline/frame_events.h"
#include "timeline/line.h"
#include "timeline/range_tree.h"
#include "timeline/stream_role.h"
#include "timeline/thread_events.h"

namespace dlview::timeline {
namespace {

using profile::DeviceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoValue;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;

// Of the whole run, left free before its first event and behind its last.
constexpr int64_t kRoomParts = 100;

std::vector<std::vector<EventRef>> events_of_streams(const profile::Streams& streams) {
  std::vector<std::size_t> counts(streams.rows.size());
  for (const Row stream : streams.of_kernel) ++counts[stream];
  for (const Row stream : streams.of_memory_op) ++counts[stream];
  std::vector<std::vector<EventRef>> events(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) events[i].reserve(counts[i]);
  for (KernelIndex kernel{0}; kernel < streams.of_kernel.size(); ++kernel) {
    events[streams.of_kernel[kernel]].push_back({EventKind::kernel, kernel});
  }
  for (MemoryOpIndex memory_op{0}; memory_op < streams.of_memory_op.size(); ++memory_op) {
    events[streams.of_memory_op[memory_op]].push_back({EventKind::memory_op, memory_op});
  }
  return events;
}

// "Stream 7 · NCCL", with context and process where the number alone is not unique on the device.
std::string stream_name(const profile::Stream& stream, bool is_unique, std::string_view role) {
  if (stream.number == kNoValue) return "All streams";
  std::string name = fmt::format("Stream {}", stream.number);
  if (!role.empty()) name += fmt::format(" · {}", role);
  if (is_unique) return name;
  if (stream.context != kNoValue) name += fmt::format(" · context {}", stream.context);
  if (stream.process_id != kNoValue) name += fmt::format(" · process {}", stream.process_id);
  return name;
}

std::shared_ptr<const base::IntervalSet> busy_times(
    const std::shared_ptr<const aggregate::RuleIndex>& rules, DeviceIndex device) {
  const auto gpu = std::ranges::find(rules->gpus(), device, &aggregate::GpuWorkTimes::device);
  if (gpu == rules->gpus().end()) return std::make_shared<const base::IntervalSet>();
  return {rules, &gpu->busy()};
}

LaneGroup& add_thread(Lanes& lanes, const profile::Thread& thread) {
  LaneGroup& group = lanes.groups.emplace_back();
  group.id = fmt::format("thread_{}_{}", thread.process_id, thread.thread_id);
  group.name = thread_name(lanes.events.profile(), thread);
  group.thread = thread;
  return group;
}

void find_whole(Lanes& lanes) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const LaneGroup& group : lanes.groups) {
    for (const Lane& lane : group.lanes) {
      for (const Line& line : lane.lines) {
        first = std::min(first, lanes.events.time(line[0]).start_ns);
        last = std::max(last, lanes.events.time(line[line.size() - 1]).stop_ns);
      }
    }
  }
  if (first > last) return;
  lanes.recorded = {first, last};
  const int64_t room = (last - first) / kRoomParts;
  lanes.whole = window_between(first - room, last + room);
}

// Places in Lanes::groups.
std::map<aggregate::ThreadKey, std::size_t> groups_of_threads(const Lanes& lanes) {
  std::map<aggregate::ThreadKey, std::size_t> groups;
  for (std::size_t i = 0; i < lanes.groups.size(); ++i) {
    const LaneGroup& group = lanes.groups[i];
    if (group.device != kNoRow || group.is_of_no_thread()) continue;
    groups.try_emplace(aggregate::key_of(group.thread), i);
  }
  return groups;
}

// Lanes whose lines are still to be made.
struct Draft {
  std::size_t group = 0, lane = 0;
  std::vector<EventRef> events;
};

std::map<std::pair<int64_t, int64_t>, std::vector<EventRef>> sync_events(const Profile& profile) {
  std::map<std::pair<int64_t, int64_t>, std::vector<EventRef>> events;
  if (!profile.trace) return events;
  const profile::TraceSyncEvents& syncs = profile.trace->sync_events;
  for (Row row = 0; row < syncs.size(); ++row) {
    events[{syncs.device_id[row], syncs.stream[row]}].push_back({EventKind::gpu_sync, row});
  }
  return events;
}

using CounterSeries = profile::TraceCounters::Series;

class Builder {
 public:
  Builder(Lanes& lanes, std::shared_ptr<const aggregate::RuleIndex> rules)
      : lanes_(lanes),
        profile_(lanes.events.profile()),
        rules_(std::move(rules)),
        record_(rules_->idle_gaps().record()) {}

  void run() {
    add_gpus();
    add_other_metrics();
    add_other_counters();
    add_other_syncs();
    add_overheads();
    add_threads();
    base::parallel_for(drafts_.size(), 1, [this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Draft& draft = drafts_[i];
        Lane& lane = lanes_.groups[draft.group].lanes[draft.lane];
        sort_by_time(draft.events, lanes_.events);
        if (lane.kind == LaneKind::api_calls) keep_each_call_once(draft.events, lanes_.events);
        lane.lines = arrange(std::exchange(draft.events, {}), lanes_.events);
      }
    });
    find_whole(lanes_);
  }

 private:
  void add_gpus() {
    const profile::Streams streams = profile::find_streams(profile_);
    std::vector<std::vector<EventRef>> events = events_of_streams(streams);
    std::vector<std::string> roles(events.size());
    base::parallel_for(events.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) roles[i] = stream_role(events[i], lanes_.events);
    });
    std::map<std::pair<DeviceIndex, int64_t>, int> uses;  // of a number on a device
    for (const profile::Stream& stream : streams.rows) ++uses[{stream.device, stream.number}];
    for (std::size_t i = 0; i < events.size(); ++i) {
      const profile::Stream& stream = streams.rows[i];
      if (i == 0 || streams.rows[i - 1].device != stream.device) add_gpu(stream.device);
      const bool is_unique = uses.at({stream.device, stream.number}) == 1;
      add_lane(LaneKind::stream, stream_name(stream, is_unique, roles[i]), std::move(events[i]));
      const bool is_last = i + 1 == events.size() || streams.rows[i + 1].device != stream.device;
      if (is_last) add_syncs(profile_.devices[stream.device].device_id);
    }
  }
  void add_gpu(DeviceIndex device) {
    const profile::Device& gpu = profile_.devices[device];
    LaneGroup& group = lanes_.groups.emplace_back();
    group.id = fmt::format("gpu_{}", gpu.device_id);
    group.name = fmt::format("GPU {}{}{}", gpu.device_id, gpu.name.empty() ? "" : " · ", gpu.name);
    group.device = device;
    group.busy.emplace(busy_times(rules_, device));
    group.lanes.push_back({LaneKind::busy, "Busy", {}});
    add_memory(group);
    add_metrics(group, gpu.source_id);
    add_counters(group, gpu.source_id);
  }
  void add_memory(LaneGroup& group) {
    const auto gpu = std::ranges::find(gpus_, std::optional(group.device));
    if (gpu == gpus_.end()) return;
    const aggregate::MemoryCurve& curve = curves_[static_cast<std::size_t>(gpu - gpus_.begin())];
    const aggregate::MemoryCurve::Use most = curve.most({INT64_MIN, INT64_MAX});
    group.memory.emplace(GpuMemory{curve, std::max(most.allocated, most.reserved)});
    group.lanes.push_back({LaneKind::memory, "Allocated memory", {}});
  }
  // Those of the device, in the order of the file.
  void add_counters(LaneGroup& group, int64_t device) {
    if (!profile_.trace) return;
    const std::vector<CounterSeries>& all = profile_.trace->counters.series;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].device == device && !has_lane_[i]) add_counter(group, i);
    }
  }
  // Samples of the GPU, by TraceGpu::id.
  void add_metrics(LaneGroup& group, int64_t gpu) {
    if (!profile_.trace) return;
    bool is_detail = false;
    for (MetricLane& metric : metric_lanes(*profile_.trace, gpu)) {
      group.lanes.push_back({LaneKind::metric,
                             metric.name,
                             {},
                             nullptr,
                             std::make_shared<const MetricLane>(std::move(metric)),
                             std::exchange(is_detail, true)});
    }
    const std::vector<CounterSeries>& all = profile_.trace->counters.series;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == profile::CounterKind::sample && all[i].device == gpu) has_lane_[i] = true;
    }
  }
  // Of GPUs that did no work.
  void add_other_metrics() {
    if (!profile_.trace) return;
    for (const int64_t gpu : sampled_gpus(*profile_.trace)) {
      const bool has_group = std::ranges::any_of(lanes_.groups, [&](const LaneGroup& group) {
        return group.device != kNoRow && profile_.devices[group.device].source_id == gpu;
      });
      if (has_group) continue;
      const auto& gpus = profile_.trace->gpus;
      const auto known = std::ranges::find(gpus, gpu, &profile::TraceGpu::id);
      LaneGroup& group = lanes_.groups.emplace_back();
      group.id = fmt::format("metrics_{}", gpu);
      group.name = fmt::format("GPU {}{}{} · no activity", gpu,
                               known == gpus.end() || known->name.empty() ? "" : " · ",
                               known == gpus.end() ? "" : known->name);
      add_metrics(group, gpu);
    }
  }
  void add_counter(LaneGroup& group, std::size_t place) {
    const profile::TraceCounters& counters = profile_.trace->counters;
    const CounterSeries& series = counters.series[place];
    has_lane_[place] = true;
    const std::size_t count = counters.end_of(place) - series.first;
    const bool is_named = !series.value.empty() && series.value != series.counter;
    group.lanes.push_back(
        {LaneKind::counter,
         series.counter + (is_named ? " · " + series.value : ""),
         {},
         std::make_shared<const CounterCurve>(counters.time_ns.span().subspan(series.first, count),
                                              counters.value.span().subspan(series.first, count))});
  }
  // Of processes, and of GPUs that did no work.
  void add_other_counters() {
    if (!profile_.trace) return;
    const std::vector<CounterSeries>& all = profile_.trace->counters.series;
    std::unordered_map<std::string_view, std::size_t> groups;  // of processes
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (has_lane_[i]) continue;
      const std::string& process = all[i].process;
      const auto [place, is_new] = groups.try_emplace(process, lanes_.groups.size());
      if (is_new) {
        LaneGroup& group = lanes_.groups.emplace_back();
        group.id = fmt::format("counters_{}", groups.size() - 1);
        group.name = process.empty() ? "Counters" : fmt::format("Counters · process {}", process);
      }
      add_counter(lanes_.groups[place->second], i);
    }
  }
  // Those of a GPU that have no lane yet, by stream.
  void add_syncs(int64_t device) {
    const auto end = syncs_.upper_bound({device, INT64_MAX});
    for (auto of_stream = syncs_.lower_bound({device, INT64_MIN}); of_stream != end;) {
      const int64_t stream = of_stream->first.second;
      add_lane(LaneKind::syncs,
               stream == kNoValue ? "Synchronization"
                                  : fmt::format("Synchronization · stream {}", stream),
               std::move(of_stream->second));
      of_stream = syncs_.erase(of_stream);
    }
  }
  // Of GPUs that did no work.
  void add_other_syncs() {
    while (!syncs_.empty()) {
      const int64_t device = syncs_.begin()->first.first;
      LaneGroup& group = lanes_.groups.emplace_back();
      const bool is_known = device >= 0;
      group.id = is_known ? fmt::format("syncs_{}", device) : "syncs";
      group.name = is_known ? fmt::format("Synchronization · GPU {}", device) : "Synchronization";
      add_syncs(device);
    }
  }
  void add_overheads() {
    const std::size_t count = profile_.trace ? profile_.trace->overheads.size() : 0;
    if (count == 0) return;
    LaneGroup& group = lanes_.groups.emplace_back();
    group.id = "overhead";
    group.name = "Profiler overhead";
    std::vector<EventRef> events;
    for (Row row = 0; row < count; ++row) events.push_back({EventKind::overhead, row});
    add_lane(LaneKind::overhead, "Overhead", std::move(events));
  }
  void add_threads() {
    GroupInstances instances(profile_, lanes_.events.group_tree());
    for (ThreadEvents& events : events_of_threads(profile_, record_)) {
      LaneGroup& group = add_thread(lanes_, events.thread);
      add_lane(LaneKind::ranges, "Steps", take_out_steps(events));
      // At once: the boxes of groups are numbered across threads.
      if (!events.ranges.empty()) {
        add_lane(
            LaneKind::ranges, profile::is_pytorch_trace(profile_) ? "Annotations" : "NVTX ranges",
            merge_tree(std::move(events.ops), std::move(events.ranges), instances, lanes_.events));
      } else if (!events.ops.empty()) {
        group.lanes.push_back({LaneKind::ranges, "Ops",
                               arrange_ops(std::move(events.ops), instances, lanes_.events)});
      }
      add_lane(LaneKind::api_calls, std::string(profile::gpu_api(profile_)),
               std::move(events.calls));
      add_lane(LaneKind::os_calls, "OS calls", std::move(events.os_calls));
      add_lane(LaneKind::states, "Running on CPU", running_of(events.thread));
    }
  }
  // Those of torch.profiler, for a lane of their own: the ruler of iterations may show the same. A
  // step that has time outside other ops is an op, too, which is left out.
  std::vector<EventRef> take_out_steps(ThreadEvents& events) {
    if (!profile::is_pytorch_trace(profile_)) return {};
    std::vector<EventRef>& ranges = events.ranges;
    const auto steps = std::stable_partition(ranges.begin(), ranges.end(), [this](EventRef range) {
      return !aggregate::is_profiler_step(lanes_.events.full_text(range));
    });
    std::vector<EventRef> taken(steps, ranges.end());
    ranges.erase(steps, ranges.end());
    std::vector<std::pair<int64_t, int64_t>> times;
    for (const EventRef step : taken) times.push_back(times_of(step));
    std::ranges::sort(times);
    std::erase_if(events.ops, [&](EventRef op) {
      if (!std::ranges::binary_search(times, times_of(op)) || !is_op_of_step(op)) return false;
      lanes_.events.add_recorded_range(profile::InstanceIndex(op.row));
      return true;
    });
    return taken;
  }
  std::pair<int64_t, int64_t> times_of(EventRef event) const {
    const base::Interval time = lanes_.events.time(event);
    return {time.start_ns, time.stop_ns};
  }
  bool is_op_of_step(EventRef op) const {
    const profile::OpIndex row = profile_.instances.op[profile::InstanceIndex(op.row)];
    constexpr std::string_view kNumbered = aggregate::kProfilerStep;
    return profile_.text(profile_.ops.type[row]) == kNumbered.substr(0, kNumbered.size() - 1);
  }
  std::vector<EventRef> running_of(const profile::Thread& thread) {
    std::vector<EventRef> events;
    const aggregate::HostThread* const host = record_.find(thread);
    if (host == nullptr) return events;
    for (const base::Interval& time : host->running.intervals()) {
      events.push_back({EventKind::running, lanes_.events.add_running(time)});
    }
    return events;
  }
  // To the last group.
  void add_lane(LaneKind kind, std::string name, std::vector<EventRef> events) {
    if (events.empty()) return;
    std::vector<Lane>& lanes = lanes_.groups.back().lanes;
    drafts_.push_back({lanes_.groups.size() - 1, lanes.size(), std::move(events)});
    lanes.push_back({kind, std::move(name), {}});
  }
  Lanes& lanes_;
  const Profile& profile_;
  const std::vector<aggregate::MemoryCurve> curves_ = aggregate::memory_curves(profile_);
  const std::vector<std::optional<DeviceIndex>> gpus_ = aggregate::gpus_of(profile_, curves_);
  std::shared_ptr<const aggregate::RuleIndex> rules_;
  const aggregate::HostRecord& record_;
  std::vector<Draft> drafts_;
  // By device and stream; streams that are not recorded come first.
  std::map<std::pair<int64_t, int64_t>, std::vector<EventRef>> syncs_ = sync_events(profile_);
  // By series of the trace's counters.
  std::vector<bool> has_lane_ =
      std::vector<bool>(profile_.trace ? profile_.trace->counters.series.size() : 0);
};

// The device that the event ran on, or the row of its thread; of what belongs to neither kNoRow.
struct Owner {
  DeviceIndex device = {};
  ThreadIndex thread = {};
};

Owner owner_of(const Profile& profile, EventRef event) {
  const Row row = event.row;
  switch (event.kind) {
    case EventKind::kernel:
      return {.device = profile.device_of_kernel(KernelIndex(row))};
    case EventKind::memory_op:
      return {.device = profile.memory_ops.device[row]};
    case EventKind::launch:
      return {.thread = profile.launches.thread[profile.kernels.launch[row]]};
    case EventKind::memory_call:
      return {.thread = profile.memory_ops.thread[row]};
    case EventKind::sync:
      return {.thread = profile.syncs.thread[row]};
    case EventKind::api_call:
      return {.thread = profile.api_calls.thread[row]};
    case EventKind::op:
      return {.thread = profile.instances.thread[row]};
    case EventKind::user_range:
      return {.thread = profile.user_ranges.thread[row]};
    case EventKind::group:
    case EventKind::nvtx:
    case EventKind::os_call:
    case EventKind::running:
    case EventKind::frame:
    case EventKind::gpu_sync:
    case EventKind::overhead:
      break;
  }
  return {};
}

LaneKind lane_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
    case EventKind::memory_op:
      return LaneKind::stream;
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::sync:
    case EventKind::api_call:
      return LaneKind::api_calls;
    case EventKind::os_call:
      return LaneKind::os_calls;
    case EventKind::running:
      return LaneKind::states;
    case EventKind::frame:
      return LaneKind::frames;
    case EventKind::gpu_sync:
      return LaneKind::syncs;
    case EventKind::overhead:
      return LaneKind::overhead;
    case EventKind::op:
    case EventKind::group:
    case EventKind::user_range:
    case EventKind::nvtx:
      break;
  }
  return LaneKind::ranges;
}

bool can_hold(const LaneGroup& group, const Profile& profile, const Owner& owner) {
  if (owner.device != kNoRow) return group.device == owner.device;
  if (group.device != kNoRow) return false;
  return owner.thread == kNoRow || group.thread == profile.threads[owner.thread];
}

// The first event of that name from a place on.
std::size_t find_name(const Line& line, std::size_t from, int64_t before_ns, EventRef like,
                      const Events& source) {
  const uint64_t key = source.name_key(like);
  for (std::size_t at = from; at < line.size(); ++at) {
    const EventRef event = line[at];
    if (source.start_ns(event) >= before_ns) break;
    if (event.kind == like.kind && source.name_key(event) == key) return at;
  }
  return line.size();
}

// The last event of that name before a place; of equal starts that of the lower line is nearer.
std::size_t find_name_backwards(const Line& line, std::size_t behind, int64_t after_ns,
                                EventRef like, const Events& source) {
  const uint64_t key = source.name_key(like);
  for (std::size_t at = behind; at > 0; --at) {
    const EventRef event = line[at - 1];
    if (source.start_ns(event) < after_ns) break;
    if (event.kind == like.kind && source.name_key(event) == key) return at - 1;
  }
  return line.size();
}

}  // namespace

std::size_t Lane::event_count() const {
  std::size_t count = 0;
  for (const Line& line : lines) count += line.size();
  return count;
}

bool LaneGroup::is_idle_thread() const {
  return device == kNoRow && std::ranges::all_of(lanes, [](const Lane& lane) {
           return lane.kind == LaneKind::os_calls || lane.kind == LaneKind::states;
         });
}

bool LaneGroup::is_of_no_thread() const {
  if (device != kNoRow || lanes.empty()) return false;
  const LaneKind kind = lanes.front().kind;
  return kind == LaneKind::counter || kind == LaneKind::metric || kind == LaneKind::syncs ||
         kind == LaneKind::overhead;
}

std::shared_ptr<const Lanes> build_lanes(std::shared_ptr<const Profile> profile,
                                         std::shared_ptr<const aggregate::RuleIndex> rules) {
  auto lanes = std::make_shared<Lanes>(std::move(profile));
  Builder(*lanes, std::move(rules)).run();
  return lanes;
}

std::shared_ptr<const Lanes> with_python_frames(
    const Lanes& lanes, std::shared_ptr<const profile::PythonFrames> frames) {
  PutFrames put = put_on_lines(lanes.events.profile(), std::move(frames));
  base::stop_point();
  auto with = std::make_shared<Lanes>(lanes);
  with->events.set_frames(put.events);
  const auto groups = groups_of_threads(*with);
  for (PutFrames::OfThread& of_thread : put.threads) {
    // Some threads have no events of other kinds.
    const auto known = groups.find(aggregate::key_of(of_thread.thread));
    LaneGroup& group =
        known != groups.end() ? with->groups[known->second] : add_thread(*with, of_thread.thread);
    Lane& lane = group.lanes.emplace_back(Lane{LaneKind::frames, "Python", {}});
    for (std::vector<Row>& rows : of_thread.lines) {
      base::stop_point();
      std::vector<EventRef> events;
      events.reserve(rows.size());
      for (const Row row : std::exchange(rows, {})) events.push_back({EventKind::frame, row});
      lane.lines.emplace_back(events, with->events);
    }
  }
  find_whole(*with);
  with->recorded = lanes.recorded;
  return with;
}

std::size_t event_count(const Lanes& lanes) {
  std::size_t count = 0;
  for (const LaneGroup& group : lanes.groups) {
    for (const Lane& lane : group.lanes) count += lane.event_count();
  }
  return count;
}

std::optional<Place> find_place(const Lanes& lanes, EventRef event) {
  const Profile& profile = lanes.events.profile();
  const Owner owner = owner_of(profile, event);
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    // A GPU that only synchronizes has a group of its own.
    const bool may_be_anywhere = event.kind == EventKind::gpu_sync;
    if (!may_be_anywhere && !can_hold(lanes.groups[group], profile, owner)) continue;
    for (std::size_t lane = 0; lane < lanes.groups[group].lanes.size(); ++lane) {
      const Lane& candidate = lanes.groups[group].lanes[lane];
      if (candidate.kind != lane_of(event.kind)) continue;
      for (std::size_t line = 0; line < candidate.lines.size(); ++line) {
        const std::size_t at = candidate.lines[line].find(event, lanes.events);
        if (at < candidate.lines[line].size()) return Place{group, lane, line, at};
      }
    }
  }
  return std::nullopt;
}

std::optional<Place> next_of_name(const Lanes& lanes, const Place& place, int step) {
  const Events& source = lanes.events;
  const EventRef event = event_at(lanes, place);
  const int64_t start_ns = source.start_ns(event);
  const std::vector<Line>& lines = lanes.groups[place.group].lanes[place.lane].lines;
  std::optional<Place> best;
  int64_t limit_ns = step > 0 ? INT64_MAX : INT64_MIN;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    // Of equal starts that of the upper line comes first.
    const std::size_t here = i == place.line
                                 ? place.at + (step > 0 ? 1 : 0)
                                 : line.first_from(start_ns + (i < place.line ? 1 : 0), source);
    const std::size_t at = step > 0 ? find_name(line, here, limit_ns, event, source)
                                    : find_name_backwards(line, here, limit_ns, event, source);
    if (at == line.size()) continue;
    limit_ns = source.start_ns(line[at]);
    best = Place{place.group, place.lane, i, at};
  }
  return best;
}

}  // namespace dlview::timeline
