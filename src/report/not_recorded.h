// Empties the columns of a table that the profile tells nothing of, so that no reader takes a 0 for
// a measurement. Tables of all kinds share the ids of such columns.
#pragma once

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report {

void empty_what_was_not_recorded(Table& table, const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation);

// For Column::csv_for_missing: a DLProf database stores `zero` for what it does not know, an export
// has nothing (spec.md 28).
Cell csv_for_missing(const profile::Profile& profile, const Cell& zero);

}  // namespace dlview::report
