// JSON twins of the reports (spec.md 19):
//
//   {"report": "kernel", "profile_name": "", "iterations": [0, 0],
//    "columns": [{"name": "Total GPU Time", "unit": "ns"}, ...],
//    "rows": [["gemm", 2208, true, null, ...], ...]}
//
// Integers and reals in full, flags as booleans, what was not recorded as null. A table with
// sections keeps its first two columns, "Section" and "Name", and has null where a column does not
// belong to the row's section.
#pragma once

#include <iosfwd>
#include <string_view>

#include "aggregate/selection.h"
#include "base/progress.h"
#include "report/table.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

// Writes row by row. The caller checks the stream for errors. A split by the GPU adds "split_by":
// "gpu".
void write_json(const Table& table, std::string_view profile_name,
                const aggregate::IterationRange& iterations, std::ostream& out,
                aggregate::SplitBy split_by = aggregate::SplitBy::host);

// Writes the shown part of a table: as above, but with "table" instead of "report", the split and
// the filters of the selection, and columns with their ids:
//
//    "split_by": "host", "only": ["op_type=conv2d"],
//    "columns": [{"name": "gpu_time", "title": "GPU Time", "unit": "ns"}, ...]
void write_json(const ShownTable& shown, std::ostream& out, base::Progress& progress);

}  // namespace dlview::report
