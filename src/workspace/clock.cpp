#include "workspace/clock.h"

#include <algorithm>
#include <optional>

#include "aggregate/compare.h"

namespace dlview::workspace {
namespace {

// Of the year 2096: what lies beyond is no time of a capture.
constexpr int64_t kLatestUtcNs = 4'000'000'000'000'000'000;

std::optional<int64_t> utc_start_ns(const profile::Profile& profile) {
  if (!profile.trace || !profile.trace->utc_start_ns) return std::nullopt;
  const int64_t start_ns = *profile.trace->utc_start_ns;
  return start_ns > 0 && start_ns < kLatestUtcNs ? std::optional(start_ns) : std::nullopt;
}

int64_t start_ns(const RunModel& run, int64_t iteration) {
  const auto& rows = run.aggregation->iteration_table->iterations.rows;
  if (rows.empty()) return run.profile->first_ns;
  const auto last = static_cast<int64_t>(rows.size()) - 1;
  return rows[static_cast<std::size_t>(std::clamp<int64_t>(iteration, 0, last))].start_ns;
}

int64_t range_start_ns(const RunModel& run) {
  return start_ns(run, run.aggregation->selection.range.first);
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

int64_t typical_iteration(const RunModel& run) {
  const aggregate::Aggregation& aggregation = *run.aggregation;
  if (aggregation.iteration_table->iterations.rows.empty()) return 0;
  return aggregate::typical_iteration(*aggregation.iteration_table, aggregation.selection.range);
}

ClockOffset typical_offset(const RunModel& shown, const RunModel& other) {
  return {start_ns(shown, typical_iteration(shown)) - start_ns(other, typical_iteration(other)),
          ClockOffset::By::typical};
}

}  // namespace dlview::workspace
