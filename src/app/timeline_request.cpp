#include "app/timeline_request.h"

#include <fmt/format.h>

#include "ui/timeline/lanes.h"
#include "ui/timeline/time_text.h"

namespace dlview::app {

base::Status check_timeline_request(const Session& session, const ui::timeline::Request& request) {
  const auto count =
      static_cast<int64_t>(session.aggregation()->iteration_table->iterations.rows.size());
  if (request.iteration && *request.iteration >= count) {
    return base::Error{"There is no such iteration",
                       fmt::format("number {} was asked for, the iterations are 0:{}",
                                   *request.iteration, count - 1),
                       "Choose one of these"};
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
