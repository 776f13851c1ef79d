#include "app/timeline_request.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/time_text.h"

namespace dlview::app {

namespace {

base::Error no_iteration(int64_t number, int64_t count) {
  return {"There is no such iteration",
          fmt::format("number {} was asked for, the iterations are 0:{}", number, count - 1),
          "Choose one of these"};
}

// From the starts of both.
base::Status check_pair_window(const std::vector<aggregate::Iteration>& rows,
                               const ui::timeline::TimeWindow& window) {
  const auto longest = std::ranges::max(rows, {}, &aggregate::Iteration::duration_ns).duration_ns();
  if (window.start_ns <= longest && window.stop_ns() > 0) return base::Success{};
  return base::Error{
      "No iteration has this time",
      fmt::format("side by side it counts from their starts, and the longest lasts {}",
                  base::format_duration(longest)),
      "Choose a time within it"};
}

}  // namespace

base::Status check_timeline_request(const Session& session, const ui::timeline::Request& request,
                                    const ui::IterationPair& compared) {
  const auto& rows = session.aggregation()->iteration_table->iterations.rows;
  const auto count = static_cast<int64_t>(rows.size());
  if (request.iteration && *request.iteration >= count) {
    return no_iteration(*request.iteration, count);
  }
  if (request.side_by_side) {
    for (const auto& number : {compared.iteration, compared.baseline}) {
      if (number && *number >= count) return no_iteration(*number, count);
    }
    return request.window ? check_pair_window(rows, *request.window) : base::Success{};
  }
  if (!request.window || session.lanes() == nullptr) return base::Success{};
  const base::Interval& run = session.lanes()->recorded;
  if (request.window->start_ns <= run.stop_ns && request.window->stop_ns() > run.start_ns) {
    return base::Success{};
  }
  return base::Error{
      "Nothing was recorded in this time",
      fmt::format("the run lasts from {} to {}", ui::timeline::time_text(run.start_ns),
                  ui::timeline::time_text(run.stop_ns)),
      "Choose a time within it"};
}

}  // namespace dlview::app
