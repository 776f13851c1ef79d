// Tables of a run of ranks. The command line and the window read the same declarations.
#pragma once

#include "ranks/run_figures.h"
#include "report/table.h"

namespace dlview::report {

// "ranks": a row for each rank, lowest first.
Table make_ranks(const ranks::SharedRunFigures& run);
// "rank_breakdown": the mean iteration of each rank: the seven parts and exposed communication add
// up to it.
Table make_rank_breakdown(const ranks::SharedRunFigures& run);
// "rank_collectives": a row for each type, group and size; the longest first.
Table make_rank_collectives(const ranks::SharedRunFigures& run);
// "rank_iterations": a row for each iteration of each rank.
Table make_rank_iterations(const ranks::SharedRunFigures& run);

// "rank_ops" and "rank_kernels": sums over all ranks, the most GPU time first.
Table make_rank_ops(const ranks::SharedRunFigures& run);
Table make_rank_kernels(const ranks::SharedRunFigures& run);

}  // namespace dlview::report
