// Whether all kernels of an iteration take longer alike, as at lower clocks.
#pragma once

#include <cstdint>

#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Returns by what factor kernels take longer than the same ones of the baseline (less than 1: less
// long), or 1 where they do not change alike. The kernels of an iteration are those that start in
// its time and were launched in it or in the two before, as far as a host runs ahead. They are the
// same by op and name, as often launched in both; communication, which waits for others, does not
// count. They change alike if four fifths of the kernel time change by half of the median factor or
// more. The factor is at least 5 %, and there are three kernels or more.
double kernel_slowdown(const profile::Profile& profile, const Iterations& iterations,
                       int64_t iteration, int64_t baseline);

}  // namespace dlview::aggregate
