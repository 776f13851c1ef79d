// The aggregations that DLProf stored: which range, which key op, which iterations, and what cannot
// be computed again from raw rows. Their numbers are read by stored_tables.h.
#pragma once

#include "base/result.h"
#include "import/dlprof/tables.h"

namespace dlview::import::dlprof {

// Fills context.builder.stored_aggregations, in order of id.
base::Status read_aggregations(Context& context);

}  // namespace dlview::import::dlprof
