// Backward passes that a thread launches outside its own ranges (docs/dev/spec.md 101), unless the
// range that waits for them has no other meaning (49).
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "import/capture/waiting.h"
#include "import/capture/work.h"
#include "profile/builder.h"

namespace dlview::import::capture {

// An instance of the op "backward (thread N)".
struct BackwardStretch {
  OpPaths::Node node = OpPaths::kRoot;
  profile::ThreadId thread = 0;
  std::vector<profile::Row> calls;  // of TraceApiCalls, in order of start
};

// Which backward passes are ops of their own.
class BackwardThreads {
 public:
  // Spans and builder must outlive it.
  BackwardThreads(const CallPlaces& places, std::span<const Work> work,
                  const profile::ProfileBuilder& builder);

  // Whether free calls of the thread launch a kernel named for the backward pass, while the first
  // thread of its process has ranges.
  bool contains(profile::ThreadId thread) const { return threads_.contains(thread); }
  // Whether the span is a time of the first thread of its process in a range that holds others,
  // such as a step, and neither it nor one around it is named for the backward pass: this time may
  // be of anything.
  bool is_time_of_a_step(const OpSpan& span) const;
  // kNoValue: none has ranges.
  profile::ThreadId first_thread(profile::ThreadId process) const;

 private:
  // Threads whose free calls cause work while the first thread of their process has ranges.
  std::set<profile::ThreadId> threads_with_work(const CallPlaces& places) const;

  const OpPaths& paths_;
  const profile::ProfileBuilder& builder_;
  std::map<profile::ThreadId, profile::ThreadId> first_threads_;  // by process
  std::set<profile::ThreadId> threads_;
};

// Stretches of these threads' free calls. A stretch lies in one span of the first thread of the
// process, and no range of its own thread but a library's lies between its calls; the first and
// the last cause work.
std::vector<BackwardStretch> find_backward_stretches(const CallPlaces& places,
                                                     const BackwardThreads& threads,
                                                     profile::ProfileBuilder& builder);

}  // namespace dlview::import::capture
