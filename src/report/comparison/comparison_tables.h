// Tables of a comparison of two runs. The command line, the window and reports read the same
// declarations. Times are whole ns per iteration and GPU; calls are per iteration and GPU that
// worked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aggregate/comparison/comparison.h"
#include "report/table.h"

namespace dlview::report {

using SharedRunComparison = std::shared_ptr<const aggregate::Comparison>;

// "waterfall": the mean iteration, each part of the stack, and below each part its ops. Rows of a
// level add up to the row above it.
Table make_waterfall(const SharedRunComparison& comparison);
// "ops": each op and idle cause of each part: what is known to have changed, then what may be
// chance, in both the largest difference first. They add up to the difference of the mean
// iterations.
Table make_op_changes(const SharedRunComparison& comparison);
// The rows of that table: a part of the waterfall, and an op of it.
struct OpChange {
  std::size_t part = 0, op = 0;
};
std::vector<OpChange> op_changes(const aggregate::Comparison& comparison);
// "kernels": the kernels and memory operations of each op, likewise.
Table make_kernel_changes(const SharedRunComparison& comparison);
// "matching": which op before is which op after, and ops without a partner.
Table make_op_matches(const SharedRunComparison& comparison);
// The rows of that table: ops without a partner have kNoRow in its place.
std::vector<aggregate::OpMatch> op_matches(const aggregate::RunPair& runs);
// Mean over the iterations of the range and the GPUs that launched kernels; nothing without GPU
// activity. Unlike the metric "kernel_launches", which counts those of all GPUs.
Cell launches_per_gpu(const profile::Profile& profile, const aggregate::Aggregation& aggregation);

// "verdict": one row, about the duration of the iteration.
Table make_comparison_verdict(const SharedRunComparison& comparison);
// "checks": what speaks against comparing the runs; empty = nothing does.
Table make_comparison_checks(const SharedRunComparison& comparison);

}  // namespace dlview::report
