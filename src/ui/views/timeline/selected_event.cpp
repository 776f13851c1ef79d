#include "ui/views/timeline/selected_event.h"

#include <algorithm>
#include <utility>

#include "base/intervals.h"
#include "profile/display_name.h"
#include "timeline/thread_events.h"

namespace dlview::ui {
namespace {

using profile::KernelIndex;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;
using timeline::EventKind;

bool is_on(const profile::Trace& trace, Row call, const profile::Thread& thread) {
  return call >= trace.api_calls.thread.size() ||
         trace.numbers_of(trace.api_calls.thread[call]) == thread;
}

// A profile does not keep it for kernels: the trace's call of that time on that thread.
std::string find_launch_name(const Profile& profile, KernelIndex kernel) {
  if (!profile.trace) return "";
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  const ThreadIndex thread = profile.launches.thread[profile.kernels.launch[kernel]];
  const int64_t start_ns = profile.kernels.api_start_ns[kernel];
  const auto starts = calls.start_ns.span().first(std::min(calls.size(), calls.name.size()));
  for (auto at = std::ranges::find(starts, start_ns); at != starts.end();
       at = std::find(at + 1, starts.end(), start_ns)) {
    const auto call = static_cast<Row>(at - starts.begin());
    if (calls.end_ns[call] == profile.kernels.api_stop_ns[kernel] &&
        calls.name[call] != profile::kNoText &&
        is_on(*profile.trace, call, profile.threads[thread])) {
      return std::string(profile::call_name(profile.text(calls.name[call])));
    }
  }
  return "";
}

int64_t length_ns(const profile::Kernels& kernels, KernelIndex row) {
  return kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row];
}

LaunchedWork launched_by(const Profile& profile, const profile::Thread& thread,
                         const base::Interval& time) {
  const profile::Kernels& kernels = profile.kernels;
  std::vector<base::Interval> of_gpu;
  for (KernelIndex row{0}; row < kernels.size(); ++row) {
    if (!timeline::has_call(profile, kernels, row) || kernels.api_start_ns[row] < time.start_ns ||
        kernels.api_stop_ns[row] > time.stop_ns ||
        profile.threads[profile.launches.thread[kernels.launch[row]]] != thread) {
      continue;
    }
    of_gpu.push_back({kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row]});
  }
  const auto count = static_cast<int64_t>(of_gpu.size());
  return {count, base::IntervalSet::union_of(std::move(of_gpu)).total_ns()};
}

std::optional<timeline::EventRef> find_other_pass(const profile::OpInstances& instances,
                                                  Row instance) {
  if (instances.forward.empty()) return std::nullopt;
  const std::span<const Row> forward = instances.forward.span();
  if (forward[instance] != profile::kNoRow) {
    return timeline::EventRef{EventKind::op, forward[instance]};
  }
  const auto first = std::ranges::find(forward, instance);
  if (first == forward.end()) return std::nullopt;
  return timeline::EventRef{EventKind::op, static_cast<Row>(first - forward.begin())};
}

}  // namespace

SelectedEvent::SelectedEvent(const timeline::Lanes& lanes, const timeline::Place& place)
    : is_known_(true) {
  const Profile& profile = lanes.events.profile();
  const timeline::EventRef event = event_at(lanes, place);
  if (is_range(event.kind)) {
    launched_ = launched_by(profile, lanes.groups[place.group].thread, lanes.events.time(event));
  }
  if (event.kind == EventKind::op) other_pass_ = find_other_pass(profile.instances, event.row);
  if (event.kind != EventKind::kernel && event.kind != EventKind::launch) return;
  launch_name_ = find_launch_name(profile, KernelIndex(event.row));
  if (event.kind != EventKind::kernel) return;
  kernel_ = KernelIndex(event.row);
  const profile::Kernels& kernels = profile.kernels;
  const int64_t own_ns = length_ns(kernels, kernel_);
  const uint64_t key = lanes.events.name_key(event);
  longer_.push_back(0);
  for (KernelIndex row{0}; row < kernels.size(); ++row) {
    if (lanes.events.name_key({EventKind::kernel, row}) != key) continue;
    same_name_.push_back(row);
    longer_.push_back(longer_.back() + (length_ns(kernels, row) > own_ns ? 1 : 0));
  }
}

SameName SelectedEvent::same_name(const Profile& profile,
                                  const aggregate::Aggregation& aggregation) const {
  const std::vector<aggregate::Iteration>& rows = aggregation.iteration_table->iterations.rows;
  const aggregate::IterationRange range = aggregation.selection.range;
  const auto& first_kernel = profile.instances.first_kernel;
  const KernelIndex first =
      first_kernel[rows[static_cast<std::size_t>(range.first)].first_instance];
  const KernelIndex last = first_kernel[rows[static_cast<std::size_t>(range.last)].last_instance];
  const auto place_of = [this](KernelIndex row) {
    return static_cast<std::size_t>(std::ranges::lower_bound(same_name_, row) - same_name_.begin());
  };
  const std::size_t begin = place_of(first), end = std::max(begin, place_of(last));
  SameName same{static_cast<int64_t>(end - begin), 0};
  if (kernel_ >= first && kernel_ < last) same.rank = longer_[end] - longer_[begin] + 1;
  return same;
}

}  // namespace dlview::ui
