// Tables of the differences of two iterations, by op and by kernel: `dlview compare` and the
// Timeline read the same declarations. Largest differences first.
#pragma once

#include <memory>
#include <string_view>

#include "aggregate/compare.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report {

using SharedComparison = std::shared_ptr<const aggregate::IterationComparison>;

// The row of the time in which the GPU is idle, which is no op and has no calls.
inline constexpr std::string_view kIdleId = "gpu_idle", kIdleName = "GPU idle", kIdleType = "idle";

// "ops": row i is comparison->ops[i]. Refers to the profile, which must outlive it.
Table make_op_differences(const profile::Profile& profile, const SharedComparison& comparison);
// "kernels": row i is comparison->kernels[i]; likewise.
Table make_kernel_differences(const profile::Profile& profile, const SharedComparison& comparison);

// Titles the columns of each iteration by its number: "Iteration 57", "Calls in 56". For people;
// the ids stay.
void name_iterations(Table& table, const aggregate::IterationComparison& comparison);

}  // namespace dlview::report
