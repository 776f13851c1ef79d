// Reads NVTX: marks and ranges, and the names of domains and threads from the same table.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

// Fills trace.nvtx and trace.nvtx_domains, and begins context.known_threads.
base::Status read_nvtx(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
