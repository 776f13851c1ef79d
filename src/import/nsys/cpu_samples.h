// CPU samples with their call stacks (COMPOSITE_EVENTS and SAMPLING_CALLCHAINS).
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

base::Status read_cpu_samples(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
