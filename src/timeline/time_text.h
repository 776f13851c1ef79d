// Points in time as people read and write them, exact to the nanosecond, and round times for a
// ruler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

// "10.527 308 114 s" with 9 decimals, "10.5 s" with 1; what lies below the last one is cut off.
std::string time_text(int64_t time_ns, int decimals = 9);

// "60.200 s–60.300 s", to about a hundredth of the window.
std::string span_text(const TimeWindow& window);

// "1.2s", "350ms", "17us", "17µs", "1200ns", "2min"; without a unit whole ns. Exact: nothing
// below a ns is taken.
std::optional<int64_t> parse_time(std::string_view text);
// "1.20s:1.25s".
base::Result<TimeWindow> parse_window(std::string_view text);

struct TimeTick {
  int64_t time_ns = 0;
  std::string label;
};
struct TimeTicks {
  std::vector<TimeTick> ticks;
  // Where they are closer than a ms and far from 0, labels count from here: "3.620 s", "+40 µs".
  std::optional<TimeTick> origin;
};
// Steps are 1, 2 or 5 times a power of ten, at most so many in the window.
TimeTicks time_ticks(const TimeWindow& window, int most);

}  // namespace dlview::timeline
