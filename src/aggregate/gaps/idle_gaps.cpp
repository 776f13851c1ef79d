#include "aggregate/gaps/idle_gaps.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "aggregate/gaps/range_times.h"
#include "aggregate/row_filter.h"
#include "aggregate/rules/range_view.h"
#include "aggregate/step_names.h"
#include "base/intervals.h"
#include "profile/data_loading.h"
#include "profile/display_name.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

bool waits_for_gpu(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos;
}

int64_t length(const Interval& time) {
  return time.stop_ns - time.start_ns;
}

// "pthread_cond_timedwait", "epoll_wait", "futex": calls in which a thread does nothing but wait.
bool waits_for_others(std::string_view os_call) {
  constexpr std::array<std::string_view, 8> kParts{"wait",  "poll", "select",     "futex",
                                                   "sleep", "join", "mutex_lock", "rwlock"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return os_call.find(part) != std::string_view::npos; });
}

// What of a set of ops or calls the named one doesn't cover.
int64_t beside(const IntervalSet& all, const Interval& named) {
  return all.total_ns() - all.covered_ns(named.start_ns, named.stop_ns);
}

// When the scheduler tells that the thread had no CPU.
IntervalSet asleep(const HostThread& thread, const Interval& window) {
  const IntervalSet outside = IntervalSet::union_of({window}).without(thread.told);
  return IntervalSet::union_of({window}).without(outside.united_with(thread.running));
}

// Names the range that takes most of the cause's time, at least `least_ns`; for data loading, of
// those that load data. `of_cause`: the time that goes to the cause. Returns the range's; 0 = none.
int64_t name_range(const Profile& profile, std::span<const RangeTime> ranges,
                   const IntervalSet& of_cause, int64_t least_ns, HostTime& host) {
  struct Named {
    StringId text = profile::kNoText;  // of the first one
    int64_t ns = 0;
  };
  std::map<std::string_view, Named> by_name;
  for (const RangeTime& range : ranges) {
    if (host.cause == GapCause::data_loader && !range.loads_data) continue;
    Named& named = by_name[profile::bare_range_name(profile.text(range.text))];
    if (named.text == profile::kNoText) named.text = range.text;
    for (const Interval& time : range.time.intervals()) {
      named.ns += of_cause.covered_ns(time.start_ns, time.stop_ns);
    }
  }
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second.ns; });
  if (most == by_name.end() || most->second.ns < std::max<int64_t>(least_ns, 1)) return 0;
  host.range = most->second.text;
  return most->second.ns;
}

// Makes data loading in another thread the cause; this thread waits for it.
void become_data_loading(HostTime& host) {
  host.cause = GapCause::data_loader;
  host.instance = {};
  host.call = 0;
  host.range = profile::kNoText;
  host.others_ns = 0;
}

// The windows of the range that the filters ask for, in order.
std::vector<Interval> windows_of(const Profile& profile, const Aggregation& aggregation) {
  const RangeView view(aggregation);
  const Interval whole{view.gaps_from_ns(), view.stop_ns()};
  const RowFilter filter(profile, aggregation.selection.filters);
  if (!filter.asks_for_time()) return {whole};
  std::vector<Interval> windows;
  for (const TimeWindow& window : filter.windows()) {
    const Interval part{std::max(whole.start_ns, window.start_ns),
                        std::min(whole.stop_ns, window.stop_ns)};
    if (part.start_ns < part.stop_ns) windows.push_back(part);
  }
  return windows;
}

// Gaps of many stretches of time, the longest first, of equal ones in order of the GPUs and of
// time.
class ByLength {
 public:
  void add(const GpuWorkTimes& gpu, const GpuWorkTimes::Gaps& gaps) {
    if (gaps.empty()) return;
    const std::size_t longest = gpu.longest(gaps);
    stretches_.push({&gpu, gaps, longest, gpu.gap(longest)});
  }
  bool empty() const { return stretches_.empty(); }
  IdleGap take() {
    const Stretch stretch = stretches_.top();
    stretches_.pop();
    add(*stretch.gpu, {stretch.gaps.first, stretch.longest});
    add(*stretch.gpu, {stretch.longest + 1, stretch.gaps.end});
    return {.device = stretch.gpu->device(),
            .start_ns = stretch.gap.start_ns,
            .stop_ns = stretch.gap.stop_ns,
            .instance = stretch.gap.instance};
  }

 private:
  struct Stretch {
    const GpuWorkTimes* gpu = nullptr;
    GpuWorkTimes::Gaps gaps;
    std::size_t longest = 0;
    GpuWorkTimes::Gap gap = {};  // the longest

    bool operator<(const Stretch& other) const {
      return std::tuple(gap.duration_ns(), other.gpu->device(), other.gap.start_ns) <
             std::tuple(other.gap.duration_ns(), gpu->device(), gap.start_ns);
    }
  };
  std::priority_queue<Stretch> stretches_;
};

std::map<int64_t, IntervalSet> loading_times(const Profile& profile) {
  if (profile.trace) return {};
  std::vector<bool> loads_data(profile.ops.size());
  for (profile::OpIndex op{0}; op < profile.ops.size(); ++op) {
    loads_data[op] = profile::loads_data(profile, op);
  }
  const profile::OpInstances& instances = profile.instances;
  std::map<int64_t, std::vector<Interval>> times;
  for (InstanceIndex i{0}; i < instances.size(); ++i) {
    if (!loads_data[instances.op[i]]) continue;
    times[profile.threads[instances.thread[i]].process_id].push_back(
        {instances.cpu_start_ns[i], instances.cpu_stop_ns[i]});
  }
  std::map<int64_t, IntervalSet> unions;
  for (auto& [process, spans] : times) unions[process] = IntervalSet::union_of(std::move(spans));
  return unions;
}

}  // namespace

std::string_view to_text(GapCause cause) {
  switch (cause) {
    case GapCause::queued:
      return "already launched";
    case GapCause::wait:
      return "synchronization";
    case GapCause::api_call:
      return "API call";
    case GapCause::data_loader:
      return "data loading";
    case GapCause::os_call:
      return "OS call";
    case GapCause::asleep:
      return "asleep";
    case GapCause::op:
      return "op";
    case GapCause::host_range:
      return "host range";
    case GapCause::nothing:
      return "nothing recorded";
    case GapCause::launch:
      break;
  }
  return "launch";
}

IdleGaps::IdleGaps(const Profile& profile, const std::vector<GpuWorkTimes>& gpus)
    : profile_(profile),
      gpus_(gpus),
      host_(profile),
      record_(profile),
      loading_(loading_times(profile)) {}

std::vector<IdleGap> IdleGaps::longest(const Aggregation& aggregation, std::size_t most) const {
  const std::vector<Interval> windows = windows_of(profile_, aggregation);
  ByLength by_length;
  for (const GpuWorkTimes& gpu : gpus_) {
    const DeviceIndex device = gpu.device();
    if (!keep_device(aggregation.selection.filters, profile_.devices[device].device_id)) continue;
    for (const Interval& window : windows) {
      by_length.add(gpu, gpu.gaps_in(window.start_ns, window.stop_ns));
    }
  }
  const RangeView view(aggregation);
  std::vector<IdleGap> gaps;
  while (!by_length.empty() && gaps.size() < most) gaps.push_back(by_length.take());
  for (IdleGap& gap : gaps) {
    const Launch launch = launch_of(gap.device, gap.stop_ns, gap.instance);
    gap.next = launch.name;
    gap.iteration = view.iteration_of_gap(gap.start_ns, gap.stop_ns);
    gap.host = host_time(launch, gap.start_ns, gap.stop_ns, gap.instance);
  }
  return gaps;
}

HostTime IdleGaps::host_time(DeviceIndex device, int64_t start_ns, int64_t stop_ns,
                             InstanceIndex instance) const {
  return host_time(launch_of(device, stop_ns, instance), start_ns, stop_ns, instance);
}

GapCause IdleGaps::cause(DeviceIndex device, int64_t start_ns, int64_t stop_ns,
                         InstanceIndex instance) const {
  constexpr bool kNamesOther = true;
  return host_time(launch_of(device, stop_ns, instance), start_ns, stop_ns, instance, !kNamesOther)
      .cause;
}

IdleGaps::Launch IdleGaps::launch_of(DeviceIndex device, int64_t start_ns,
                                     InstanceIndex instance) const {
  const profile::OpInstances& instances = profile_.instances;
  const profile::Kernels& kernels = profile_.kernels;
  // Events of an instance are in order of start.
  const auto first_at = [&](const auto& events, const auto& first) {
    const auto starts =
        events.gpu_start_ns.span().subspan(first[instance], first[instance + 1] - first[instance]);
    return static_cast<Row>(std::ranges::lower_bound(starts, start_ns) - starts.begin()) +
           first[instance];
  };
  KernelIndex kernel{first_at(kernels, instances.first_kernel)};
  for (; kernel < instances.first_kernel[instance + 1] && kernels.gpu_start_ns[kernel] == start_ns;
       ++kernel) {
    if (profile_.device_of_kernel(kernel) != device || kernels.gpu_stop_ns[kernel] <= start_ns) {
      continue;
    }
    return {kernels.api_start_ns[kernel], profile_.launches.thread[kernels.launch[kernel]],
            kernels.name[kernel]};
  }
  const profile::MemoryOps& memory_ops = profile_.memory_ops;
  MemoryOpIndex memory_op{first_at(memory_ops, instances.first_memory_op)};
  while (memory_ops.device[memory_op] != device || memory_ops.gpu_stop_ns[memory_op] <= start_ns) {
    ++memory_op;
  }
  return {memory_ops.api_start_ns[memory_op], memory_ops.thread[memory_op],
          memory_ops.name[memory_op]};
}

HostTime IdleGaps::host_time(const Launch& launch, int64_t start_ns, int64_t stop_ns,
                             InstanceIndex instance, bool names_other) const {
  HostTime result{.thread = launch.thread};
  if (launch.api_start_ns <= start_ns) {
    result.cause = GapCause::queued;
    result.cause_ns = stop_ns - start_ns;
    result.instance = instance;
    return result;
  }
  const Interval before{start_ns, std::min(launch.api_start_ns, stop_ns)};

  std::vector<Interval> waits, other_calls, loads, os_calls, ops, in_ranges;
  std::map<StringId, int64_t> waits_ns, calls_ns, os_calls_ns;
  host_.for_each_call(launch.thread, before, [&](const HostActivity::Call& call) {
    const bool is_wait = waits_for_gpu(profile_.text(call.name));
    (is_wait ? waits : other_calls).push_back(call.time);
    (is_wait ? waits_ns : calls_ns)[call.name] += length(call.time);
  });
  Interval longest, longest_load;
  InstanceIndex loading_op;
  host_.for_each_instance(launch.thread, before, [&](InstanceIndex running, const Interval& time) {
    const bool loads_data = profile::loads_data(profile_, profile_.instances.op[running]);
    (loads_data ? loads : ops).push_back(time);
    if (loads_data && length(time) > length(longest_load)) {
      longest_load = time;
      loading_op = running;
    }
    if (length(time) <= length(longest)) return;
    longest = time;
    result.instance = running;
  });

  IntervalSet sleeping;
  const HostThread* const thread = record_.find(profile_.threads[launch.thread]);
  if (thread != nullptr) {
    record_.for_each_os_call(*thread, before, [&](StringId name, const Interval& time) {
      os_calls.push_back(time);
      os_calls_ns[name == profile::kNoText ? 0 : name] += length(time);
    });
    sleeping = asleep(*thread, before);
    result.asleep_ns = sleeping.total_ns();
    result.running_ns = HostRecord::states(*thread, before).running_ns;
  }

  const IntervalSet waiting = IntervalSet::union_of(std::move(waits));
  const IntervalSet calling = waiting.united_with(IntervalSet::union_of(std::move(other_calls)));
  const int64_t launch_ns = stop_ns - before.stop_ns;
  const IntervalSet in_ops = IntervalSet::union_of(std::move(ops));
  std::vector<RangeTime> ranges;
  // Otherwise host ranges cannot change the cause.
  const bool is_open =
      2 * std::max({waiting.total_ns(), calling.total_ns() - waiting.total_ns(), launch_ns}) <=
      stop_ns - start_ns;
  if (thread != nullptr && is_open) {
    ranges = range_times(profile_, host_, record_, launch.thread, *thread, before,
                         in_ops.united_with(IntervalSet::union_of({loads.begin(), loads.end()})));
  }
  for (const RangeTime& range : ranges) {
    std::vector<Interval>& of_kind = range.loads_data ? loads : in_ranges;
    of_kind.insert(of_kind.end(), range.time.intervals().begin(), range.time.intervals().end());
  }
  const IntervalSet loading = calling.united_with(IntervalSet::union_of(std::move(loads)));
  const IntervalSet in_os = loading.united_with(IntervalSet::union_of(std::move(os_calls)));
  const IntervalSet resting = in_os.united_with(sleeping);
  const IntervalSet working = resting.united_with(in_ops);
  const IntervalSet known = working.united_with(IntervalSet::union_of(std::move(in_ranges)));
  const std::array<std::pair<GapCause, int64_t>, 9> parts{{
      {GapCause::wait, waiting.total_ns()},
      {GapCause::api_call, calling.total_ns() - waiting.total_ns()},
      {GapCause::data_loader, loading.total_ns() - calling.total_ns()},
      {GapCause::os_call, in_os.total_ns() - loading.total_ns()},
      {GapCause::asleep, resting.total_ns() - in_os.total_ns()},
      {GapCause::op, working.total_ns() - resting.total_ns()},
      {GapCause::host_range, known.total_ns() - working.total_ns()},
      {GapCause::nothing, length(before) - known.total_ns()},
      {GapCause::launch, launch_ns},
  }};
  std::tie(result.cause, result.cause_ns) =
      *std::ranges::max_element(parts, {}, &std::pair<GapCause, int64_t>::second);

  if (result.cause == GapCause::launch) result.instance = instance;
  const bool is_in_op = 2 * length(longest) > result.cause_ns;
  switch (result.cause) {
    case GapCause::host_range:
      result.instance = {};
      result.others_ns =
          result.cause_ns - name_range(profile_, ranges, known.without(working), 1, result);
      break;
    case GapCause::data_loader: {
      const int64_t named_ns =
          name_range(profile_, ranges, loading.without(calling), length(longest_load) + 1, result);
      result.instance = named_ns > 0 ? InstanceIndex() : loading_op;
      if (named_ns > 0) result.others_ns = result.cause_ns - named_ns;
      break;
    }
    case GapCause::os_call:
    case GapCause::asleep:
      if (is_in_op) break;
      result.instance = {};
      name_range(profile_, ranges,
                 result.cause == GapCause::asleep ? resting.without(in_os) : in_os.without(loading),
                 result.cause_ns / 2 + 1, result);
      break;
    case GapCause::nothing:
      result.instance = {};
      break;
    case GapCause::queued:
    case GapCause::wait:
    case GapCause::api_call:
    case GapCause::op:
    case GapCause::launch:
      break;
  }
  const auto* const named = result.cause == GapCause::wait       ? &waits_ns
                            : result.cause == GapCause::api_call ? &calls_ns
                            : result.cause == GapCause::os_call  ? &os_calls_ns
                                                                 : nullptr;
  if (named != nullptr) {
    const auto most =
        std::ranges::max_element(*named, {}, [](const auto& entry) { return entry.second; });
    result.call = most->first;
    result.others_ns = std::max<int64_t>(0, result.cause_ns - most->second);
  } else if (result.cause == GapCause::op) {
    result.others_ns = beside(working.without(resting), longest);
  }
  if (may_wait(thread, before, stop_ns - start_ns)) look_at_others(before, names_other, result);
  return result;
}

bool IdleGaps::may_wait(const HostThread* thread, const Interval& before, int64_t gap_ns) const {
  if (thread == nullptr) return true;
  std::vector<Interval> calls, waits;
  record_.for_each_os_call(*thread, before, [&](StringId name, const Interval& time) {
    calls.push_back(time);
    if (name != profile::kNoText && waits_for_others(profile_.text(name))) waits.push_back(time);
  });
  const IntervalSet window = IntervalSet::union_of({before});
  const IntervalSet told = window.without(window.without(thread->told));
  const IntervalSet waiting = IntervalSet::union_of(std::move(waits)).without(thread->running);
  if (2 * waiting.united_with(asleep(*thread, before)).total_ns() >= gap_ns) return true;
  int64_t known_ns = told.united_with(IntervalSet::union_of(std::move(calls))).total_ns();
  if (told.empty()) known_ns = std::max(known_ns, record_.sampled_ns(*thread, before));
  return 2 * (length(before) - known_ns) >= gap_ns;
}

bool IdleGaps::waits_for_loader(int64_t process_id, const Interval& before, HostTime& host) const {
  const auto loading = loading_.find(process_id);
  if (loading == loading_.end()) return false;
  const int64_t loading_ns = loading->second.covered_ns(before.start_ns, before.stop_ns);
  if (2 * loading_ns < length(before)) return false;
  host.cause = GapCause::data_loader;
  host.cause_ns = loading_ns;
  return true;
}

// A thread that does nothing itself waits for one that loads data, if there is such a one. One
// whose own name says that it loads data waits for its workers.
void IdleGaps::look_at_others(const Interval& before, bool names_other, HostTime& host) const {
  switch (host.cause) {
    case GapCause::queued:
    case GapCause::wait:
    case GapCause::api_call:
    case GapCause::launch:
      return;
    case GapCause::data_loader:
    case GapCause::os_call:
    case GapCause::asleep:
    case GapCause::op:
    case GapCause::host_range:
    case GapCause::nothing:
      break;
  }
  const profile::Thread& thread = profile_.threads[host.thread];
  // A thread that writes the model waits for no batch.
  const bool writes = host.range != profile::kNoText && writes_the_model(profile_.text(host.range));
  const bool is_idle = !writes && host.cause != GapCause::data_loader && host.cause != GapCause::op;
  if (is_idle && waits_for_loader(thread.process_id, before, host)) return;
  const HostThread* const recorded = record_.find(thread);
  if (is_idle && recorded != nullptr && recorded->is_named_loader) {
    become_data_loading(host);
    return;
  }
  if (names_other) {
    host.other = record_.busiest_other(thread, before);
  } else if (is_idle) {
    host.other = record_.busiest_loader(thread, before);
  }
  if (!is_idle || !host.other || !host.other->loads_data) return;
  become_data_loading(host);
}

}  // namespace dlview::aggregate
