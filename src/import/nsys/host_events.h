// What threads did: CUDA runtime and driver calls, calls into the OS and into MPI, and when they
// had a CPU.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_host_events(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
