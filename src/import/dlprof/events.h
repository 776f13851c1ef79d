// What happened during the op instances: kernels, memory operations, synchronizations and CUDA API
// calls. Comes after ops, instances and devices.
#pragma once

#include "base/result.h"
#include "import/dlprof/devices.h"
#include "import/dlprof/ops.h"
#include "import/dlprof/tables.h"
#include "import/times.h"

namespace dlview::import::dlprof {

// An event is checked whole before anything of it is kept: one that is rejected leaves no thread
// and no text behind.
base::Status read_events(Context& context, const OpLookup& ops, const DeviceRows& devices,
                         TimeBudget& budget);

}  // namespace dlview::import::dlprof
