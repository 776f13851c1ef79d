// What happened during the op instances: kernels, memory operations, synchronisations and CUDA API
// calls. Comes after ops, instances and devices.
#pragma once

#include "base/result.h"
#include "import/dlprof/devices.h"
#include "import/dlprof/ops.h"
#include "import/dlprof/tables.h"

namespace dlview::import::dlprof {

base::Status read_events(Context& context, const OpIndex& ops, const DeviceRows& devices);

}  // namespace dlview::import::dlprof
