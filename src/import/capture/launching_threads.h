// LaunchingThreads: which threads launch the kernels of their process, and which only help others.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "import/capture/call_index.h"
#include "import/capture/nvtx_ranges.h"
#include "import/capture/work.h"
#include "profile/trace.h"

namespace dlview::import::capture {

class LaunchingThreads {
 public:
  LaunchingThreads(const profile::Trace& trace, const NvtxRanges& ranges, const CallIndex& calls,
                   std::span<const Work> work);

  // Whether the call, a row of TraceApiCalls, caused a GPU activity or a synchronization.
  bool causes_work(profile::Row call) const { return causes_work_[call]; }
  // The thread that bears the number of the process; where there is none, as on Windows, the one
  // whose ranges or calls begin first.
  bool is_first(profile::GlobalId thread) const;
  // Whether the thread launches less than a tenth of its process's kernels and is not its first
  // (docs/decisions.md 42).
  bool is_helper(profile::GlobalId thread) const;
  // Counts the threads of a process that launch kernels, from 1 on, by their first such call;
  // 0 = the thread launches none.
  int64_t number_of(profile::GlobalId thread) const;

 private:
  struct Launches {
    int64_t kernels = 0;
    int64_t first_ns = INT64_MAX;
  };

  std::vector<bool> causes_work_;
  std::map<profile::GlobalId, Launches> threads_;
  std::map<profile::GlobalId, int64_t> kernels_;  // by process
  std::map<profile::GlobalId, profile::GlobalId> first_threads_;
};

}  // namespace dlview::import::capture
