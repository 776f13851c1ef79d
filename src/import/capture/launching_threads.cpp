#include "import/capture/launching_threads.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/stop_point.h"
#include "import/capture/rows_at_once.h"
#include "import/capture/trace_values.h"

namespace dlview::import::capture {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoValue;
using profile::Row;

LaunchingThreads::LaunchingThreads(const profile::Trace& trace, const NvtxRanges& ranges,
                                   const CallIndex& calls, std::span<const Work> work)
    : causes_work_(trace.api_calls.size()) {
  GlobalId last = kNoValue;
  Launches* launches = nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i % kRowsAtOnce == 0) base::stop_point();
    const Work& w = work[i];
    if (w.call == kNoRow) continue;
    causes_work_[w.call] = true;
    if (w.kind != WorkKind::kernel && w.kind != WorkKind::graph) continue;
    const GlobalId thread = value_or(trace.api_calls.thread, w.call, kNoValue);
    if (launches == nullptr || thread != last) launches = &threads_[last = thread];
    ++launches->kernels;
    launches->first_ns = std::min(launches->first_ns, trace.api_calls.start_ns[w.call]);
  }
  for (const auto& [thread, own] : threads_) kernels_[profile::process_of(thread)] += own.kernels;
  std::map<GlobalId, std::pair<int64_t, GlobalId>> earliest;  // by process: time and thread
  const auto look_at = [&earliest](GlobalId thread, int64_t start_ns) {
    const bool has_number = profile::process_id_of(thread) == profile::thread_id_of(thread);
    const std::pair found{has_number ? INT64_MIN : start_ns, thread};
    const auto [entry, is_new] = earliest.try_emplace(profile::process_of(thread), found);
    if (!is_new) entry->second = std::min(entry->second, found);
  };
  for (std::size_t i = 0; i < ranges.threads.size(); ++i) {
    if (ranges.first[i] == ranges.first[i + 1]) continue;
    look_at(ranges.threads[i], ranges.time_of(ranges.ranges[ranges.first[i]]).start_ns);
  }
  const ThreadGroups& by_thread = calls.by_thread();
  for (std::size_t i = 0; i < by_thread.threads.size(); ++i) {
    if (by_thread.first[i] == by_thread.first[i + 1]) continue;
    look_at(by_thread.threads[i], trace.api_calls.start_ns[by_thread.rows[by_thread.first[i]]]);
  }
  for (const auto& [process, found] : earliest) first_threads_[process] = found.second;
}

bool LaunchingThreads::is_first(GlobalId thread) const {
  const auto first = first_threads_.find(profile::process_of(thread));
  return first != first_threads_.end() && first->second == thread;
}

bool LaunchingThreads::is_helper(GlobalId thread) const {
  if (is_first(thread)) return false;
  const auto own = threads_.find(thread);
  const auto all = kernels_.find(profile::process_of(thread));
  if (own == threads_.end() || all == kernels_.end()) return true;
  return own->second.kernels * 10 < all->second;
}

int64_t LaunchingThreads::number_of(GlobalId thread) const {
  const auto own = threads_.find(thread);
  if (own == threads_.end()) return 0;
  const auto order = [](const auto& entry) {
    return std::pair(entry.second.first_ns, entry.first);
  };
  int64_t number = 1;
  for (auto other = threads_.lower_bound(profile::process_of(thread));
       other != threads_.end() && profile::process_of(other->first) == profile::process_of(thread);
       ++other) {
    if (order(*other) < order(*own)) ++number;
  }
  return number;
}

}  // namespace dlview::import::capture
