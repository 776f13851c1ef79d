// DLProf's aggregated tables from Aggregations: one id of `aggregations` for each, in order.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "generate/dlprof/dictionary.h"
#include "generate/dlprof/row_order.h"
#include "generate/sqlite_file.h"

namespace dlview::generate::dlprof {

void write_aggregated_tables(const profile::Profile& profile,
                             const std::vector<aggregate::Aggregation>& aggregations,
                             const RowOrder& order, Dictionary& dictionary, SqliteFile& file);

}  // namespace dlview::generate::dlprof
