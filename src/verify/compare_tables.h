// All aggregated tables of one stored aggregation, compared with what the raw rows give.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "base/progress.h"
#include "base/result.h"
#include "import/dlprof/stored_tables.h"
#include "profile/profile.h"
#include "verify/compare.h"

namespace dlview::verify {

// One Check for each table. A table or column that is not there is a difference in a database that
// DLProf 1.8 made, and left out in one that an older DLProf made; advice is left out where none is
// stored (spec.md 12).
base::Result<std::vector<Check>> compare_tables(const import::dlprof::StoredTables& tables,
                                                const profile::StoredAggregation& stored,
                                                const profile::Profile& profile,
                                                const aggregate::Aggregation& recomputed,
                                                base::Progress& progress);

}  // namespace dlview::verify
