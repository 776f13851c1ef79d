// What ran on the GPUs: kernels, copies, sets, synchronizations, and whole CUDA graphs where their
// nodes were not traced.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_gpu_work(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
