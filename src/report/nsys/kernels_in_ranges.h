// The kernels launched in the NVTX ranges of each name, for nvtx_kern_sum.
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

// Returns the kernels by range name, style, thread and kernel; sorted by range, then thread,
// largest sum first. Kernels whose calls are in no range have the range kNone. Ranges have texts
// and threads, kernels and calls are tied.
//
// An unclosed range contains every kernel after it, so there may be too many pairs of ranges and
// kernels to enumerate. For each name, the calls in its ranges are processed once: memory grows
// with ranges plus kernels, and time with names times kernels.
std::vector<KernelsInRanges> gather_kernels_in_ranges(const Input& input, const RangeNames& names);

}  // namespace dlview::report::nsys
