// Which pairs of times a profile accepts.
#pragma once

#include <cstdint>

namespace dlview::import::dlprof {

// Until 2043, even if counted from 1970: later times are damage, and would overflow sums.
inline constexpr int64_t kLatestNs = int64_t{1} << 61;

// Why the range cannot be used; nullptr if it can.
inline const char* time_problem(int64_t start_ns, int64_t stop_ns) {
  if (start_ns < 0) return "it starts before the capture";
  if (stop_ns < start_ns) return "it stops before it starts";
  return stop_ns > kLatestNs ? "it stops later than any clock tells" : nullptr;
}

}  // namespace dlview::import::dlprof
