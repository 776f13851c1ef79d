// The building blocks of the SQL in provenance.h: common table expressions over the raw tables.
#pragma once

#include <string>

#include "aggregate/provenance.h"

namespace dlview::aggregate::sql {

// iterations(number, start, stop): all iterations of the split, as cut_iterations() computes them.
std::string iterations(const profile::Profile& profile, const Cut& cut);
// chosen: the iterations of the range. span(start, stop, duration, size): the range as a whole.
std::string chosen(const IterationRange& range);
// instances(op, nth, cpu_start, cpu_stop) of the range, of all ops or of the one with this row.
std::string instances(const profile::Profile& profile, profile::OpIndex op);
// kernels(op, nth, name_id, uses_tc, device_id, gpu_start, gpu_stop) and memory_ops, likewise.
std::string events();
// covered(upto, device, ns): the time on each device, inside the iterations, in which anything of
// the categories up to number `upto` ran; for the number of `category` and the one before it.
std::string covered(Category category);
// As above for kernels only, levels 0 and 1. Communication is at level 0 and all other kernels at
// level 1, or the reverse.
std::string covered_by_kernels(const profile::Profile& profile, bool communication_first);

}  // namespace dlview::aggregate::sql
