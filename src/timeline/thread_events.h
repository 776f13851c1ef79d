// What each thread of the host did, sorted by kind: ops, CUDA API calls, NVTX ranges and OS runtime
// calls.
#pragma once

#include <string>
#include <vector>

#include "aggregate/host/host_record.h"
#include "profile/profile.h"
#include "timeline/event.h"

namespace dlview::timeline {

struct ThreadEvents {
  profile::Thread thread;
  std::vector<EventRef> ops, calls, ranges, os_calls;
  int64_t launches = 0;  // of kernels

  // Neither an op nor a CUDA call nor a range.
  bool is_idle() const { return ops.empty() && calls.empty() && ranges.empty(); }
};

// Threads that ran ops, made CUDA calls or opened ranges, and those of the same processes that were
// busy for at least a hundredth of the run. Those with most kernel launches come first, then work
// whose thread was not recorded, idle threads last; else in order of process and thread. Work that
// was recorded without its call has none.
std::vector<ThreadEvents> events_of_threads(const profile::Profile& profile,
                                            const aggregate::HostRecord& record);

// Whether the call of work, a row of Kernels or MemoryOps, was recorded. An importer of a trace
// without it lets it begin and end where the work begins.
template <typename Work>
bool has_call(const profile::Profile& profile, const Work& work, profile::Row row) {
  const int64_t start_ns = work.api_start_ns[row];
  return !profile.trace || start_ns != work.api_stop_ns[row] || start_ns != work.gpu_start_ns[row];
}

// Of calls in order of time: each once, however many kernels it launched. A thread is in no two
// calls from the same ns to the same ns.
void keep_each_call_once(std::vector<EventRef>& calls, const Events& source);

// "python 1823 · thread 1901 autograd", as far as it is told.
std::string thread_name(const profile::Profile& profile, const profile::Thread& thread);

}  // namespace dlview::timeline
