// Numbers and names of the processes and threads of a PyTorch profiler trace, whose pid and tid may
// be any text.
#pragma once

#include <vector>

#include "import/pytorch/trace_events.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

// The numbers of processes and threads, used or not; a text that is none gets one below 0.
std::vector<profile::Thread> thread_numbers(const std::vector<TraceEventThread>& threads);

// Fills Trace::processes and Trace::threads with those in use, in order of their numbers. Returns
// the ids of `threads`; those of threads not in use mean nothing.
std::vector<profile::ThreadId> number_threads(const std::vector<TraceEventThread>& threads,
                                              profile::Trace& trace);

}  // namespace dlview::import::pytorch
