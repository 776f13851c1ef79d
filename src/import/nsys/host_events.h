// Reads thread activity: CUDA runtime and driver calls, OS and MPI calls, and when threads had a
// CPU.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_host_events(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
