// The kernels of one iteration, and their totals by op. DLProf stores the totals beside each kernel
// (kernel_iteration_node): a kernel counts in the iteration that holds its op instance, wherever
// and whenever it runs (decisions.md 2), and its time is its own duration, overlaps counted twice.
#pragma once

#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/iterations.h"
#include "aggregate/row_filter.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Rows [first, last) of Profile::kernels.
struct KernelRows {
  profile::Row first = 0, last = 0;
  bool operator==(const KernelRows&) const = default;
};
KernelRows kernels_of(const profile::Profile& profile, const Iteration& iteration);

struct OpKernels {
  profile::Row op = 0;
  KernelTotals totals;
  bool operator==(const OpKernels&) const = default;
};
// One entry for each op with a kernel in the iteration, in order of op row; with a filter, of the
// kernels that it counts.
std::vector<OpKernels> kernels_by_op(const profile::Profile& profile, const Iteration& iteration,
                                     const RowFilter* filter = nullptr);

}  // namespace dlview::aggregate
