// Events of op instances: kernels, memory operations, synchronizations and CUDA API calls. Read
// after ops, instances and devices.
#pragma once

#include "base/result.h"
#include "import/dlprof/devices.h"
#include "import/dlprof/ops.h"
#include "import/dlprof/tables.h"
#include "import/times.h"

namespace dlview::import::dlprof {

// Checks an event completely before it stores anything: a rejected one adds no thread and no text.
base::Status read_events(Context& context, const OpLookup& ops, const DeviceRows& devices,
                         TimeBudget& budget);

}  // namespace dlview::import::dlprof
