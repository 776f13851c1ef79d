// Empties the columns of a table that the profile does not have, so that nobody takes a 0 for a
// measurement. Tables of all kinds share the ids of such columns.
#pragma once

#include "aggregate/aggregation.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report {

void empty_what_was_not_recorded(Table& table, const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation);

// Empties the cells of Tensor Core use that the rules do not know, in a view of kernels or ops: a
// flag, or the time and the number of kernels with Tensor Cores of an op. Unknown, and not in the
// numbers, is a name of which any kernel is unknown; in a view by op and name, one of an op that
// has unknown kernels; an op of which any kernel is unknown and none counts as using them. Views of
// single launches do so themselves. Other tables stay as they are. The texts of the table are those
// of the profile.
void empty_unknown_use(Table& table, const profile::Profile& profile,
                       const aggregate::UnknownTensorCoreUse& unknown);

// The value of Column::csv_for_missing: a DLProf database stores `zero` for unknown values, an
// export has nothing (spec.md 28).
Cell csv_for_missing(const profile::Profile& profile, const Cell& zero);

}  // namespace dlview::report
