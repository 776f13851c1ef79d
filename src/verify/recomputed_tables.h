// DLProf's aggregated tables as dlview computes them: the same names, columns and keys as
// import/dlprof/stored_tables.h reads from a database. All but kernel_iteration_node, which has a
// row for each kernel (kernel_iterations.h).
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "base/value_table.h"
#include "profile/profile.h"

namespace dlview::verify {

std::vector<base::ValueTable> recomputed_tables(const profile::Profile& profile,
                                                const aggregate::Aggregation& aggregation);

}  // namespace dlview::verify
