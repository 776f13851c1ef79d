#include "workspace/clock.h"

#include <algorithm>
#include <optional>

namespace dlview::workspace {
namespace {

// Of the year 2096: what lies beyond is no time of a capture.
constexpr int64_t kLatestUtcNs = 4'000'000'000'000'000'000;

std::optional<int64_t> utc_start_ns(const profile::Profile& profile) {
  if (!profile.trace || !profile.trace->utc_start_ns) return std::nullopt;
  const int64_t start_ns = *profile.trace->utc_start_ns;
  return start_ns > 0 && start_ns < kLatestUtcNs ? std::optional(start_ns) : std::nullopt;
}

int64_t range_start_ns(const RunModel& run) {
  const auto& rows = run.aggregation->iteration_table->iterations.rows;
  if (rows.empty()) return run.profile->first_ns;
  const auto last = static_cast<int64_t>(rows.size()) - 1;
  const int64_t first = std::clamp<int64_t>(run.aggregation->selection.range.first, 0, last);
  return rows[static_cast<std::size_t>(first)].start_ns;
}

}  // namespace

ClockOffset clock_offset(const RunModel& shown, const RunModel& other) {
  const auto of_shown = utc_start_ns(*shown.profile), of_other = utc_start_ns(*other.profile);
  if (of_shown && of_other) {
    const int64_t ns = *of_other - *of_shown;
    const bool overlap = other.profile->first_ns + ns < shown.profile->last_ns &&
                         shown.profile->first_ns < other.profile->last_ns + ns;
    if (overlap) return {ns, ClockOffset::By::wall_clock};
  }
  return {range_start_ns(shown) - range_start_ns(other), ClockOffset::By::range_start};
}

}  // namespace dlview::workspace
