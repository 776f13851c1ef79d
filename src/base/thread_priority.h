// Threads whose work may wait a moment.
#pragma once

namespace dlview::base {

// When this thread is woken it takes no core from a thread that runs, such as one that builds a
// frame: it waits for a free one, or for its turn. Threads that it makes do the same. Without
// effect where a system cannot do that.
void give_way_to_other_threads();

}  // namespace dlview::base
