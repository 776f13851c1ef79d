// The kernels that were launched in the NVTX ranges of each name: what nvtx_kern_sum tells.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "report/nsys/figures.h"
#include "report/nsys/ranges.h"
#include "report/nsys/reports.h"

namespace dlview::report::nsys {

struct KernelsInRanges {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();  // before all others

  int64_t range_name = kNone, kind = kNone, thread = kNone;
  int64_t kernel_name = 0;
  int64_t range_count = 0, kernel_count = 0;  // different ones
  Figures times;                              // of each kernel once for each range around its call
};

// By range name, style, thread and kernel; by range, then thread, the largest sum first. Kernels
// whose calls are in no range stand under none. Ranges have texts and threads, kernels and calls
// are tied.
//
// A range that is never closed holds every kernel after it: pairs of ranges and kernels can be too
// many even to be looked at. For each name the calls in its ranges are gone through once, so that
// memory grows with ranges and kernels, and time with names times kernels.
std::vector<KernelsInRanges> gather_kernels_in_ranges(const Input& input, const RangeNames& names);

}  // namespace dlview::report::nsys
