// The aggregated tables of a DLProf database as plain values, surrogate ids resolved to the texts
// and numbers they stand for. Only `verify` reads them; the program computes its own numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "base/value_table.h"

namespace dlview::import::dlprof {

// One ValueTable for each aggregated table, in a fixed order, with the rows of one aggregation.
// Tables and columns that an older database does not have are left out.
base::Result<std::vector<base::ValueTable>> read_stored_tables(const std::filesystem::path& path,
                                                               int64_t aggregation_id);

}  // namespace dlview::import::dlprof
