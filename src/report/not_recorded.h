// Empties the columns of a table that the profile does not have, so that nobody takes a 0 for a
// measurement. Tables of all kinds share the ids of such columns.
#pragma once

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report {

void empty_what_was_not_recorded(Table& table, const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation);

// The value of Column::csv_for_missing: a DLProf database stores `zero` for unknown values, an
// export has nothing (spec.md 28).
Cell csv_for_missing(const profile::Profile& profile, const Cell& zero);

}  // namespace dlview::report
