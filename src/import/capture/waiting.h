// GPU activity that a thread launches outside its own ranges while another thread waits for it
// (docs/dev/spec.md 49). PyTorch's autograd engine launches the backward pass on its own thread,
// and the program's thread is in its range "Backward" until that is done.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "import/capture/call_index.h"
#include "import/capture/nvtx_ranges.h"
#include "import/capture/op_spans.h"
#include "import/capture/work.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Which threads launch the kernels of their process, and which only help others.
class LaunchingThreads {
 public:
  LaunchingThreads(const profile::Trace& trace, const NvtxRanges& ranges, const CallIndex& calls,
                   std::span<const Work> work);

  // Whether the call, a row of TraceApiCalls, caused a GPU activity or a synchronization.
  bool causes_work(profile::Row call) const { return causes_work_[call]; }
  // The thread that has the number of the process; where there is none, as on Windows, the one
  // whose ranges or calls begin first.
  bool is_first(profile::ThreadId thread) const;
  // Whether the thread launches less than a tenth of its process's kernels and is not its first
  // (docs/dev/spec.md 42).
  bool is_helper(profile::ThreadId thread) const;
  // Counts the threads of a process that launch kernels, from 1 on, by their first such call;
  // 0 = the thread launches none.
  int64_t number_of(profile::ThreadId thread) const;

 private:
  struct Launches {
    int64_t kernels = 0;
    int64_t first_ns = INT64_MAX;
  };

  std::vector<bool> causes_work_;
  std::map<profile::ThreadId, Launches> threads_;
  std::map<profile::ThreadId, int64_t> kernels_;  // by process
  std::map<profile::ThreadId, profile::ThreadId> first_threads_;
};

class BackwardThreads;

bool is_of_library(const NvtxRanges& ranges, const OpSpan& span);

// Where calls of a capture lie.
struct CallPlaces {
  const profile::Trace& trace;
  const NvtxRanges& ranges;
  const CallIndex& calls;
  const LaunchingThreads& launching;
  OpSpans& spans;
  base::UntouchedVector<profile::Row>& span_of_call;  // by row of TraceApiCalls

  // Whether the call lies in no range, or in none but a library's (docs/dev/spec.md 38).
  bool is_free(profile::Row call) const;
};

// Sets the span of free calls of a thread where a user's range is open on exactly one other thread
// of the process that is no helper, and that one is in no CUDA call from the first to the last of
// these calls that causes work. Backward passes that a step waits for stay free: they are ops of
// their own. Library ranges in this time make ops only if they keep a call. Returns which calls
// were given, by row of TraceApiCalls.
std::vector<bool> give_calls_to_waiting(const CallPlaces& places, const BackwardThreads& backward);

// Spans of library ranges of the thread that begin in that time make an op only if a call stays in
// them.
void require_calls(const NvtxRanges& ranges, profile::ThreadId thread, base::Interval time,
                   OpSpans& spans);

}  // namespace dlview::import::capture
