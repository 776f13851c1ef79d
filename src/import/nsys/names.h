// The names of processes and threads.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

// Completes context.known_threads: what a program called its thread through NVTX (nvtx.h) goes
// before what the OS calls it.
base::Status read_names(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
