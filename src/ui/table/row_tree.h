// Queries over rows that contain rows: siblings are sorted among themselves below their parent.
#pragma once

#include "ui/table/table_data.h"

namespace dlview::ui {

// The rows that are shown: those whose parents are all open. With a filter or a search the rows
// that pass, and those that contain them, whether open or not.
base::Result<std::vector<uint32_t>> query_tree(const report::Table& table, const RowTree& tree,
                                               const report::TableQuery& query,
                                               base::Progress& progress);

}  // namespace dlview::ui
