// Backward passes that a thread launches outside ranges of its own while no thread waits for it
// (docs/decisions.md 101): the first thread of its process goes on launching meanwhile.
#pragma once

#include <span>
#include <vector>

#include "import/nsys/waiting.h"
#include "import/nsys/work.h"
#include "profile/builder.h"

namespace dlview::import::nsys {

// An instance of the op "backward (thread N)".
struct BackwardStretch {
  OpPaths::Node node = OpPaths::kRoot;
  profile::GlobalId thread = 0;
  std::vector<profile::Row> calls;  // of TraceApiCalls, in order of start
};

// Stretches of threads whose free calls launch a kernel named for the backward pass. A stretch
// lies in one span of the first thread of the process, and no range of its own thread but a
// library's lies between its calls; the first and the last cause work.
std::vector<BackwardStretch> find_backward_stretches(const CallPlaces& places,
                                                     std::span<const Work> work,
                                                     profile::ProfileBuilder& builder);

}  // namespace dlview::import::nsys
