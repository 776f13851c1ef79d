#include "ui/views/timeline/event_details.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/instance_times.h"
#include "base/units.h"
#include "profile/display_name.h"
#include "profile/launch_attributes.h"
#include "profile/launch_sizes.h"
#include "profile/python_frames.h"
#include "profile/recorded.h"
#include "timeline/thread_events.h"
#include "timeline/time_text.h"
#include "ui/chart/iteration_name.h"
#include "ui/explanations.h"

namespace dlview::ui {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::LaunchIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using timeline::EventKind;
using timeline::EventRef;
using timeline::Lanes;
using timeline::Place;

// Ranges of a PyTorch trace are ops inside ops, annotations, modules and events of other kinds.
std::string_view kind_of_range(const Profile& profile, EventRef event) {
  if (!profile::is_pytorch_trace(profile)) return "NVTX range";
  const auto& kinds = profile.trace->nvtx.event_kind;
  if (event.kind != EventKind::nvtx || event.row >= kinds.size()) return "Range";
  switch (kinds[event.row]) {
    case profile::HostEventKind::op:
      return "Op";
    case profile::HostEventKind::annotation:
      return "Annotation";
    case profile::HostEventKind::module:
      return "Module";
    case profile::HostEventKind::other:
      break;
  }
  return "Range";
}

std::string kind_text(const Profile& profile, EventRef event) {
  switch (event.kind) {
    case EventKind::kernel:
      return "Kernel";
    case EventKind::memory_op:
      return "Memory operation";
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::api_call:
      return std::string(profile::gpu_api(profile)) + " call";
    case EventKind::sync:
      return "Synchronization";
    case EventKind::op:
      return "Op";
    case EventKind::group:
      return "Group";
    case EventKind::user_range:
    case EventKind::nvtx:
      return std::string(kind_of_range(profile, event));
    case EventKind::os_call:
      return "OS runtime call";
    case EventKind::running:
      return "Running on CPU";
    case EventKind::frame:
      return "Python frame";
    case EventKind::gpu_sync:
      return "GPU synchronization";
    case EventKind::overhead:
      return "Profiler overhead";
  }
  return "";
}

std::string dimensions(const profile::Dim3& size) {
  return fmt::format("{}, {}, {}", size.x, size.y, size.z);
}

bool is_whole_graph(const Profile& profile, KernelIndex kernel) {
  return profile::is_whole_graph(profile.text(profile.kernels.name[kernel]));
}

// A DLProf database tells by a size of 0 that it lacks it.
bool has_grid(const Profile& profile, KernelIndex kernel) {
  return profile::has_launch_size(profile, kernel) &&
         profile.launches.grid[profile.kernels.launch[kernel]].x > 0;
}

// "13.0 GB/s", of a memory operation or its call; "" where the work takes no time.
std::string rate_text(const timeline::Events& events, EventRef event) {
  const base::Interval time = events.time(work_of(event));
  if (time.stop_ns <= time.start_ns) return "";
  const auto bytes = static_cast<double>(events.profile().memory_ops.bytes[event.row]);
  return base::format_byte_rate(bytes / static_cast<double>(time.stop_ns - time.start_ns) * 1e9);
}

class Facts {
 public:
  Facts(const Lanes& lanes, const aggregate::Aggregation& aggregation,
        const aggregate::RuleIndex* rules, const Place& place, const SelectedEvent& selected)
      : lanes_(lanes),
        profile_(lanes.events.profile()),
        aggregation_(aggregation),
        rules_(rules),
        selected_(selected),
        place_(place),
        event_(event_at(lanes, place)) {}

  EventDetails run() {
    const bool is_graph =
        event_.kind == EventKind::kernel && is_whole_graph(profile_, KernelIndex(event_.row));
    details_.kind = is_graph ? std::string(profile::kWholeGraph) : kind_text(profile_, event_);
    details_.name = full_event_name(lanes_, event_, selected_);
    const base::Interval time = lanes_.events.recorded_time(event_);
    const bool is_gpu = event_.kind == EventKind::kernel || event_.kind == EventKind::memory_op;
    add("start", is_gpu ? "GPU start" : "Start", timeline::time_text(time.start_ns));
    add("duration", "Duration", base::format_duration(time.stop_ns - time.start_ns));
    if (event_.kind == EventKind::kernel) add_kernel();
    if (event_.kind == EventKind::memory_op || event_.kind == EventKind::memory_call) add_bytes();
    if (is_gpu) add_gpu_work();
    if (event_.kind == EventKind::gpu_sync) add_sync_event();
    if (is_range(event_.kind)) add_range(time);
    if (event_.kind == EventKind::frame) add_frame(time);
    add("marker", "NVTX text", marker_text(lanes_.events, event_));
    if (is_call(event_.kind) || event_.kind == EventKind::op || event_.kind == EventKind::os_call ||
        event_.kind == EventKind::running || event_.kind == EventKind::frame) {
      add_thread();
    }
    if (event_.kind == EventKind::op) add_op();
    if (!is_gpu) add_samples(lanes_.groups[place_.group].thread, time);
    add_instance();
    if (event_.kind == EventKind::kernel && selected_.is_known()) add_same_name();
    return std::move(details_);
  }

 private:
  void add(std::string id, std::string label, std::string value) {
    if (!value.empty())
      details_.facts.push_back({std::move(id), std::move(label), std::move(value)});
  }
  void add_link(std::string id, std::string label, EventRef event) {
    if (find_place(lanes_, event)) {
      details_.links.push_back({std::move(id), std::move(label), event});
    }
  }

  void add_range(const base::Interval& time) {
    add("stop", "Stop", timeline::time_text(time.stop_ns));
    add_thread();
    const LaunchedWork& launched = selected_.launched();
    if (selected_.is_known()) add("kernels", "Kernels", base::format_count(launched.kernels));
    if (launched.kernels > 0) {
      add("kernel_time", "Kernel time (union)", base::format_duration(launched.kernel_ns));
    }
    const auto iteration = add_iteration(time.start_ns);
    if (!iteration) return;
    const auto& rows = aggregation_.iteration_table->iterations.rows;
    add_share(rows[static_cast<std::size_t>(*iteration)], time);
  }
  void add_frame(const base::Interval& time) {
    const timeline::FrameEvents& frames = *lanes_.events.frames();
    const Row frame = event_.row;
    add("self", "Self time", base::format_duration(frames.self_ns(frame)));
    add("gpu_time", "GPU time launched", base::format_duration(frames.gpu_ns(frame)));
    const profile::FrameName name = profile::split_frame_name(frames.name(frame));
    add("function", "Function", name.file.empty() ? "" : std::string(name.function));
    add("file", "File", std::string(name.file));
    add("line", "Line", std::string(name.line));
    add_iteration(time.start_ns);
    const Row module = frames.module_around(frame);
    if (module != kNoRow) add("module", "Module", std::string(frames.name(module)));
    const Row caller = frames.caller(frame);
    if (caller == kNoRow) return add("caller", "Caller", "not recorded");
    add("caller", "Caller", std::string(frames.name(caller)));
    add_link("caller", "Go to caller", {EventKind::frame, caller});
  }
  // The one in which the host does what begins at the time.
  std::optional<int64_t> add_iteration(int64_t start_ns) {
    const aggregate::Iterations& iterations = aggregation_.iteration_table->iterations;
    const auto iteration = iteration_at_host_time(iterations, start_ns);
    add("iteration", "Iteration",
        iteration ? iteration_number(iterations, *iteration) : "outside all iterations");
    return iteration;
  }
  // Of what lies within it. Where the next one begins at once, it ends one ns before that.
  void add_share(const aggregate::Iteration& iteration, const base::Interval& time) {
    const int64_t iteration_ns = iteration.duration_ns();
    if (iteration.host) return;  // the iteration lasts on the GPU, the range on the host
    if (time.stop_ns > iteration.stop_ns + 1 || iteration_ns <= 0) return;
    const int64_t length_ns = std::min(time.stop_ns - time.start_ns, iteration_ns);
    const double percent = 100 * static_cast<double>(length_ns) / static_cast<double>(iteration_ns);
    add("share", "Share of iteration", base::format_percent(percent));
  }
  void add_kernel() {
    const profile::Kernels& kernels = profile_.kernels;
    const KernelIndex kernel(event_.row);
    add("tensor_cores", "Tensor Cores",
        tensor_core_text(profile_, kernels.uses_tensor_cores[kernel] != 0, kernel));
    if (has_grid(profile_, kernel)) add_grid(kernels.launch[kernel]);
    add_attributes(profile::launch_attributes(profile_, kernel));
  }
  void add_attributes(const profile::LaunchAttributes& launch) {
    const auto count = [](int64_t number) { return base::format_count(number); };
    const auto millionths = [](int64_t number) {
      return base::format_number(static_cast<double>(number) / 1e6);
    };
    const auto add_if = [this](const char* id, const char* label,
                               const std::optional<int64_t>& value, const auto& text) {
      if (value) add(id, label, text(*value));
    };
    add_if("registers", "Registers per thread", launch.registers_per_thread, count);
    add_if("shared_memory", "Shared memory", launch.shared_bytes,
           [](int64_t bytes) { return base::format_bytes(bytes); });
    add_if("blocks_per_sm", "Blocks per SM", launch.blocks_per_sm_millionths, millionths);
    add_if("warps_per_sm", "Warps per SM", launch.warps_per_sm_millionths, millionths);
    add_if("occupancy", "Est. achieved occupancy", launch.occupancy_percent, [](int64_t percent) {
      return percent == 0 ? std::string("below 0.5%") : fmt::format("{}%", percent);
    });
    add_if("graph_node", "CUDA graph node", launch.graph_node,
           [](int64_t node) { return std::to_string(node); });
  }
  void add_grid(LaunchIndex launch) {
    add("grid", "Grid · block",
        fmt::format("{} · {}", dimensions(profile_.launches.grid[launch]),
                    dimensions(profile_.launches.block[launch])));
  }
  void add_sync_event() {
    const profile::TraceSyncEvents& syncs = profile_.trace->sync_events;
    const auto number = [](int64_t value, const char* none) {
      return value == profile::kNoValue ? std::string(none) : std::to_string(value);
    };
    const int32_t device = syncs.device_id[event_.row];
    add("gpu", "GPU", device < 0 ? "not recorded" : std::to_string(device));
    add("stream", "Stream", number(syncs.stream[event_.row], "none"));
    add("waits_for", "Waits for stream", number(syncs.waits_for_stream[event_.row], ""));
    add("event", "CUDA event", number(syncs.event[event_.row], ""));
  }
  void add_bytes() {
    add("bytes", "Size", base::format_bytes(profile_.memory_ops.bytes[event_.row]));
    add("throughput", "Throughput", rate_text(lanes_.events, event_));
  }
  void add_gpu_work() {
    const timeline::LaneGroup& group = lanes_.groups[place_.group];
    add("stream", "Stream", stream_text());
    add("gpu", "GPU", std::to_string(profile_.devices[group.device].device_id));
    const EventRef call = call_of(event_);
    const auto call_place = find_place(lanes_, call);
    add("launched_by", "Launched by", call_place ? launcher_name(call) : "not recorded");
    if (call_place) add_latency(lanes_.events.time(call));
    const auto gap = gap_before(lanes_, place_);
    if (gap) add("gap", "Stream gap before", base::format_duration(*gap));
    add_idle(group);
    add_link("launch", "Go to launch", call);
  }
  // "7 · NCCL".
  std::string stream_text() const {
    constexpr std::string_view kStream = "Stream ";
    if (!profile_.trace) return "not recorded";
    const std::string& name = lanes_.groups[place_.group].lanes[place_.lane].name;
    return name.starts_with(kStream) ? name.substr(kStream.size()) : name;
  }
  void add_latency(const base::Interval& call) {
    const int64_t start_ns = lanes_.events.time(event_).start_ns;
    const int64_t latency = start_ns - call.start_ns, queued = start_ns - call.stop_ns;
    add("latency", "Launch latency",
        latency < 0 ? "starts before its call"
                    : fmt::format("{} from call start", base::format_duration(latency)));
    if (latency < 0) return;
    add("queue", "Queue time",
        queued > 0 ? fmt::format("{} from call end", base::format_duration(queued))
                   : "none, starts within its call");
  }
  // Of the whole GPU, and what the host did meanwhile.
  void add_idle(const timeline::LaneGroup& gpu) {
    if (!gpu.busy) return;
    const auto idle = gpu.busy->idle_before(lanes_.events.time(event_).start_ns);
    if (!idle) return;
    const int64_t ns = idle->stop_ns - idle->start_ns;
    add("idle", "GPU idle before", ns > 0 ? base::format_duration(ns) : "none, GPU busy");
    const InstanceIndex instance = instance_of(profile_, event_);
    if (ns <= 0 || rules_ == nullptr || instance == kNoRow) return;
    const aggregate::HostTime host =
        rules_->idle_gaps().host_time(gpu.device, idle->start_ns, idle->stop_ns, instance);
    add("meanwhile", "Host activity", host_cause_text(host));
    if (host.asleep_ns > 0) add("asleep", "Asleep", base::format_duration(host.asleep_ns));
    if (host.call != 0) {
      add("host_call", std::string(profile::gpu_api(profile_)) + " call",
          std::string(profile::call_name(profile_.text(host.call))));
    }
    if (host.range != profile::kNoText) {
      add("host_range", "Host range",
          std::string(profile::bare_range_name(profile_.text(host.range))));
    }
    if (host.other) {
      add("busy_thread", "Busy thread", aggregate::thread_text(profile_, host.other->id));
      add("busy_time", "Busy for", base::format_duration(host.other->busy_ns));
      add("busy_in", "Busy in", aggregate::busy_in_text(profile_, *host.other));
    }
    add_samples(
        host.other ? profile_.trace->numbers_of(host.other->id) : profile_.threads[host.thread],
        *idle);
    if (host.instance == kNoRow || host.instance == instance) return;
    add("host_op", "Host op",
        std::string(profile_.text(profile_.ops.name[profile_.instances.op[host.instance]])));
  }
  std::string launcher_name(EventRef call) const {
    if (call.kind == EventKind::memory_call) return lanes_.events.name(call);
    return selected_.launch_name().empty() ? "an API call" : selected_.launch_name();
  }
  void add_samples(const profile::Thread& thread, const base::Interval& time) {
    if (rules_ == nullptr) return;
    details_.samples = prepare_samples(profile_, rules_->idle_gaps().record(), thread, time);
  }
  void add_thread() {
    const timeline::LaneGroup& group = lanes_.groups[place_.group];
    add("thread", "Thread", timeline::thread_name(profile_, group.thread));
    if (work_of(event_) == event_) return;
    add("work", "Launches", lanes_.events.name(work_of(event_)));
    add_link("work", event_.kind == EventKind::launch ? "Go to kernel" : "Go to memory operation",
             work_of(event_));
  }
  void add_op() {
    const profile::OpInstances& instances = profile_.instances;
    const InstanceIndex instance(event_.row);
    const OpIndex op = instances.op[instance];
    add("type", "Type", std::string(profile_.text(profile_.ops.type[op])));
    add("direction", "Direction", std::string(profile_.text(profile_.ops.direction[op])));
    add_other_pass(instance);
    const KernelIndex first = instances.first_kernel[instance];
    const KernelIndex last = instances.first_kernel[instance + 1];
    add("kernels", "Kernels", base::format_count(last - first));
    const MemoryOpIndex first_copy = instances.first_memory_op[instance];
    const MemoryOpIndex last_copy = instances.first_memory_op[instance + 1];
    if (first_copy < last_copy) {
      add("memory_ops", "Memory operations", base::format_count(last_copy - first_copy));
    }
    if (first == last && first_copy == last_copy) return;
    add("gpu_time", "GPU time",
        base::format_duration(aggregate::InstanceTimer(profile_).times_of(instance).gpu));
    if (first < last) {
      add_link("work", "Go to its first kernel", {EventKind::kernel, first});
    } else {
      add_link("work", "Go to its first memory operation", {EventKind::memory_op, first_copy});
    }
  }
  void add_other_pass(InstanceIndex instance) {
    const std::optional<EventRef> other = selected_.other_pass();
    if (!other) return;
    const bool is_backward = profile_.instances.forward[instance] != kNoRow;
    add("other_pass", is_backward ? "Forward op" : "Backward op", lanes_.events.name(*other));
    add_link("other_pass", is_backward ? "Go to forward op" : "Go to backward op", *other);
  }
  void add_instance() {
    const InstanceIndex instance = instance_of(profile_, event_);
    if (instance == kNoRow) return;
    if (event_.kind != EventKind::op) {
      add("op", "Op",
          std::string(profile_.text(profile_.ops.name[profile_.instances.op[instance]])));
      add_link("op", "Go to op", {EventKind::op, instance});
    }
    const profile::Thread& thread = profile_.threads[profile_.instances.thread[instance]];
    const int64_t at = event_.kind == EventKind::op ? lanes_.events.time(event_).start_ns
                                                    : lanes_.events.time(call_of(event_)).start_ns;
    add("ranges", "Enclosing ranges", range_path_at(lanes_, thread, at));
    const aggregate::Iterations& iterations = aggregation_.iteration_table->iterations;
    const auto iteration = iteration_of(iterations, instance);
    add("iteration", "Iteration",
        iteration ? iteration_number(iterations, *iteration) : "outside all iterations");
  }
  void add_same_name() {
    const SameName same = selected_.same_name(profile_, aggregation_);
    add("same_name", "Launches in range", base::format_count(same.count));
    if (same.rank > 0 && same.count > 1) {
      add("rank", "Duration rank",
          fmt::format("{} of {}", base::format_count(same.rank), base::format_count(same.count)));
    }
  }

  const Lanes& lanes_;
  const Profile& profile_;
  const aggregate::Aggregation& aggregation_;
  const aggregate::RuleIndex* rules_;
  const SelectedEvent& selected_;
  Place place_;
  EventRef event_;
  EventDetails details_;
};

}  // namespace

std::string full_event_name(const Lanes& lanes, EventRef event, const SelectedEvent& selected) {
  const Profile& profile = lanes.events.profile();
  if (event.kind == EventKind::kernel) {
    const std::string_view name = profile.text(profile.kernels.long_name[event.row]);
    return name.empty() ? lanes.events.name(event) : std::string(name);
  }
  if (event.kind == EventKind::launch) {
    return selected.launch_name().empty() ? lanes.events.name(event) : selected.launch_name();
  }
  if (event.kind == EventKind::op) {
    return std::string(profile.text(profile.ops.name[profile.instances.op[event.row]]));
  }
  if (event.kind == EventKind::group) {
    const Row group = lanes.events.groups()[event.row].group;
    return std::string(aggregate::group_name(profile, lanes.events.group_tree().groups[group]));
  }
  return lanes.events.name(event);
}

std::string frame_place_text(const timeline::Events& events, EventRef event) {
  if (event.kind != EventKind::frame) return "";
  const profile::FrameName name = profile::split_frame_name(events.frames()->name(event.row));
  return name.file.empty() ? "" : fmt::format("{}, line {}", name.file, name.line);
}

std::string frame_times_text(const timeline::Events& events, EventRef event) {
  if (event.kind != EventKind::frame) return "";
  const timeline::FrameEvents& frames = *events.frames();
  return fmt::format("Self {} · GPU time launched {}",
                     base::format_duration(frames.self_ns(event.row)),
                     base::format_duration(frames.gpu_ns(event.row)));
}

std::string marker_text(const timeline::Events& events, EventRef event) {
  if (event.kind != EventKind::nvtx && event.kind != EventKind::user_range) return "";
  const std::string_view text = events.full_text(event);
  return events.name(event) == text ? "" : std::string(text);
}

std::string transfer_text(const timeline::Events& events, EventRef event) {
  if (event.kind != EventKind::memory_op && event.kind != EventKind::memory_call) return "";
  const std::string rate = rate_text(events, event);
  return base::format_bytes(events.profile().memory_ops.bytes[event.row]) +
         (rate.empty() ? "" : " at " + rate);
}

std::string sync_text(const timeline::Events& events, EventRef event) {
  if (event.kind != EventKind::gpu_sync) return "";
  const profile::TraceSyncEvents& syncs = events.profile().trace->sync_events;
  const int64_t stream = syncs.waits_for_stream[event.row], number = syncs.event[event.row];
  std::string text;
  if (stream != profile::kNoValue) text = fmt::format("Waits for stream {}", stream);
  if (number != profile::kNoValue) {
    text += fmt::format("{}CUDA event {}", text.empty() ? "" : " · ", number);
  }
  return text;
}

std::optional<int64_t> iteration_of(const aggregate::Iterations& iterations,
                                    profile::InstanceIndex instance) {
  const auto behind = std::ranges::upper_bound(iterations.rows, instance, {},
                                               &aggregate::Iteration::first_instance);
  // Iterations without instances share their first one with the next.
  for (auto row = behind; row != iterations.rows.begin();) {
    --row;
    if (instance < row->last_instance) return row - iterations.rows.begin();
    if (row->first_instance < row->last_instance) break;
  }
  return std::nullopt;
}

std::optional<int64_t> iteration_at(const aggregate::Iterations& iterations, int64_t time_ns) {
  const auto behind =
      std::ranges::upper_bound(iterations.rows, time_ns, {}, &aggregate::Iteration::start_ns);
  if (behind == iterations.rows.begin() || (behind - 1)->stop_ns < time_ns) return std::nullopt;
  return behind - 1 - iterations.rows.begin();
}

std::optional<int64_t> iteration_at_host_time(const aggregate::Iterations& iterations,
                                              int64_t time_ns) {
  const auto start = [](const aggregate::Iteration& row) { return row.host_time().start_ns; };
  const auto behind = std::ranges::upper_bound(iterations.rows, time_ns, {}, start);
  if (behind == iterations.rows.begin() || (behind - 1)->host_time().stop_ns < time_ns) {
    return std::nullopt;
  }
  return behind - 1 - iterations.rows.begin();
}

std::string range_path_at(const Lanes& lanes, const profile::Thread& thread, int64_t time_ns) {
  std::string path;
  for (const timeline::LaneGroup& group : lanes.groups) {
    if (group.device != kNoRow || group.thread != thread) continue;
    for (const timeline::Lane& lane : group.lanes) {
      if (lane.kind != timeline::LaneKind::ranges) continue;
      for (const timeline::Line& line : lane.lines) {
        const std::size_t at = line.first_visible(time_ns, lanes.events);
        if (at == line.size() || lanes.events.start_ns(line[at]) > time_ns ||
            !lanes.events.is_recorded_range(line[at])) {
          continue;
        }
        path += (path.empty() ? "" : " › ") + lanes.events.name(line[at]);
      }
    }
  }
  return path;
}

std::optional<int64_t> gap_before(const Lanes& lanes, const Place& place) {
  if (place.at == 0) return std::nullopt;
  const timeline::Line& line = line_at(lanes, place);
  return lanes.events.time(line[place.at]).start_ns - lanes.events.time(line[place.at - 1]).stop_ns;
}

EventDetails prepare_event_details(const Lanes& lanes, const aggregate::Aggregation& aggregation,
                                   const aggregate::RuleIndex* rules, const Place& place,
                                   const SelectedEvent& selected) {
  return Facts(lanes, aggregation, rules, place, selected).run();
}

}  // namespace dlview::ui
