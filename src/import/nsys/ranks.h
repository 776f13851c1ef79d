// Reads what an export has about the ranks of a run. Of environment variables, which may hold
// secrets, only those that launchers set for ranks are looked at.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Fills trace.capture.ranks, but for what NCCL tells, from MPI_RANKS, names of threads and the
// environment; after number_threads().
base::Status read_ranks(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
