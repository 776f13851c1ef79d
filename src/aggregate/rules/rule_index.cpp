#include "aggregate/rules/rule_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "aggregate/rules/call_savings.h"
#include "aggregate/rules/gpu_events.h"
#include "aggregate/rules/launch_gaps.h"
#include "base/intervals.h"
#include "base/stop_point.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::Profile;

// Which rules need what, and what is not looked at where the file lacks it.
constexpr UntoldRule kNeedCalls[] = {
    {"scalar_reads", "scalar reads (CUDA API calls not recorded)"},
    {"cuda_api_sync", "synchronizations (CUDA API calls not recorded)"},
    {"cuda_memcpy_async", "pageable copies (CUDA API calls not recorded)"},
    {"cuda_memcpy_async_to_host", "pageable copies (CUDA API calls not recorded)"},
    {"cuda_memcpy_sync", "synchronous copies and memsets (CUDA API calls not recorded)"},
    {"cuda_memset_sync", "synchronous copies and memsets (CUDA API calls not recorded)"},
    {"blocking_allocations", "allocations and frees (CUDA API calls not recorded)"},
    {"launch_bound", "launch-bound gaps (CUDA API calls not recorded)"}};
constexpr UntoldRule kNeedMemoryOfCopies[] = {
    {"cuda_memcpy_async", "pageable copies (memory kind missing for some copies)"},
    {"cuda_memcpy_async_to_host", "pageable copies (memory kind missing for some copies)"}};
constexpr UntoldRule kNeedMemoryOfMemsets[] = {
    {"cuda_memset_sync",
     "synchronous memsets of host memory (memory kind missing for some memsets)"}};
constexpr UntoldRule kNeedBytes[] = {
    {"scalar_reads", "scalar reads (sizes of copies not recorded)"}};

}  // namespace

RuleIndex::RuleIndex(const Profile& profile) : RuleIndex(profile, events_of_gpus(profile)) {}

RuleIndex::RuleIndex(const Profile& profile, const std::vector<GpuEvents>& events)
    : gpus_(work_times(profile, events)), idle_gaps_(profile, gpus_), unknown_use_(profile) {
  std::set<int64_t> processes;
  for (const GpuEvents& gpu : events) processes.insert(gpu.process_id);
  process_count_ = std::ssize(processes);
  base::stop_point();
  BlockingCalls found = find_blocking_calls(profile);
  base::stop_point();
  find_call_savings(profile, events, idle_gaps_, found);
  note_what_is_not_recorded(profile, found);
  base::stop_point();
  exposed_ = find_exposed_work(profile, found);
  find_launch_gaps_of(profile, events, found);
  calls_ = std::move(found.calls);
}

void RuleIndex::find_launch_gaps_of(const Profile& profile, const std::vector<GpuEvents>& events,
                                    const BlockingCalls& found) {
  std::map<int64_t, std::vector<base::Interval>> blocked = found.other_waits;
  for (const RuleCall& call : found.calls) {
    blocked[profile.threads[call.thread].process_id].push_back({call.start_ns, call.stop_ns});
  }
  std::map<int64_t, base::IntervalSet> times;
  for (auto& [process, calls] : blocked) times[process] = base::IntervalSet::union_of(calls);
  for (const GpuWorkTimes& gpu : gpus_) {
    std::vector<bool>& gaps = launch_gaps_.emplace_back(gpu.gap_count());
    for (const GpuEvents& process : events) {
      if (process.device != gpu.device()) continue;
      mark_launch_gaps(profile, process, times[process.process_id], gpu, gaps);
    }
  }
}

void RuleIndex::note_what_is_not_recorded(const Profile& profile, const BlockingCalls& found) {
  const auto note = [this](std::span<const UntoldRule> rules) {
    for (const UntoldRule& rule : rules) {
      if (!is_untold(rule.detector)) untold_.push_back(rule);
    }
  };
  if (!profile::tells_of(profile, profile::Evidence::api_calls)) note(kNeedCalls);
  if (found.lacks_memory_of_copies) note(kNeedMemoryOfCopies);
  if (found.lacks_memory_of_memsets) note(kNeedMemoryOfMemsets);
  if (found.lacks_bytes) note(kNeedBytes);
}

bool RuleIndex::is_untold(std::string_view detector) const {
  return std::ranges::find(untold_, detector, &UntoldRule::detector) != untold_.end();
}

std::span<const RuleCall> RuleIndex::calls(InstanceIndex first, InstanceIndex last) const {
  const auto begin = std::ranges::lower_bound(calls_, first, {}, &RuleCall::instance);
  const auto end = std::ranges::lower_bound(begin, calls_.end(), last, {}, &RuleCall::instance);
  return {begin, end};
}

}  // namespace dlview::aggregate
