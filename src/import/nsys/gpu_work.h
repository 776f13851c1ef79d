// Reads GPU activity: kernels, memcpys, memsets, synchronizations, whole CUDA graphs if their
// nodes were not traced, page faults of unified memory, and allocations and frees.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_gpu_work(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
