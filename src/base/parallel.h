// Loops over index ranges on all cores, on top of oneTBB.
#pragma once

#include <cstddef>
#include <functional>

namespace dlview::base {

// Calls body(begin, end) on several threads for disjoint pieces that cover [0, count), in any
// order; returns when all are done. Each piece has at least `grain` indices, which is not 0. Fewer
// than 2 * grain indices run as one piece on the calling thread.
// When a body throws, pieces that have not begun are skipped; the exception, or one of several, is
// rethrown once no body runs.
// A body may call parallel_for, and the outer loop may run another piece on that thread meanwhile:
// hold no lock across the call.
// Pieces run in the job of the calling thread, and none begins once that job was canceled: then
// the call throws Stopped (base/stop_point.h).
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// Calls `body`. Loops of oneTBB in it begin no further piece once the job of this thread is
// canceled; then the call throws Stopped, and what they have made is incomplete.
void run_stoppable(const std::function<void()>& body);

}  // namespace dlview::base
