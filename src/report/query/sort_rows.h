// Rows of a table in the order of one column's cells.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "report/table.h"

namespace dlview::report {

// Stable: rows with equal cells keep their order, so that several keys are sorted by from the last
// to the first. Numbers by value, no before yes, texts byte by byte; what was not recorded comes
// last in either direction. When `progress` is canceled the order is any.
void sort_rows(const Column& column, SortDirection direction, std::vector<uint32_t>& rows,
               base::Progress& progress);

}  // namespace dlview::report
