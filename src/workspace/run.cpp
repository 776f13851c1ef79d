#include "workspace/run.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/lanes.h"
#include "timeline/time_text.h"
#include "workspace/file_names.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

base::Error no_iteration(int64_t number, int64_t count) {
  return {
      fmt::format("Invalid iteration: {}", number),
      fmt::format("the run has iterations 0:{}", count - 1),
      count == 1
          ? "The run is not split: choose an iteration marker with --key-op, or omit --iteration"
          : fmt::format("Valid values: 0 to {}; `dlview table FILE --table iterations_all` lists "
                        "them",
                        count - 1)};
}

// From the starts of both; work may end long after its iteration.
base::Status check_pair_window(int64_t run_ns, const timeline::TimeWindow& window) {
  if (window.start_ns <= run_ns && window.stop_ns() > 0) return base::Success{};
  return base::Error{"The time is outside of both iterations",
                     fmt::format("it counts from the start of each iteration; the run lasts {}",
                                 base::format_duration(run_ns)),
                     "Choose a time within the run"};
}

// Its name alone if it lies in the folder of the run's file, so that both can be moved.
std::string near_run(const Run& run, const std::string& file) {
  const std::filesystem::path path(file);
  const bool is_neighbor = path.parent_path() == std::filesystem::path(run.path).parent_path();
  return is_neighbor ? path.filename().string() : file;
}

std::optional<OtherFile> other_file(const Run& run, const Run* other) {
  if (other == nullptr || other->path.empty()) return std::nullopt;
  OtherFile with{.path = near_run(run, other->path), .is_before = run.is_after};
  if (other->session.state() == Session::State::open) with.range = other->session.selection().range;
  return with;
}

// Those that the view of the run shows.
SharedFiles shown_files(const Run& run, const SharedFiles& shared) {
  SharedFiles shown;
  if (run.view != kBudgetsView && run.view != kTrendView) return shown;
  if (!shared.budgets.budget.empty()) shown.budgets.budget = near_run(run, shared.budgets.budget);
  if (!shared.budgets.baseline.empty()) {
    shown.budgets.baseline = near_run(run, shared.budgets.baseline);
  }
  for (const std::string& capture : shared.captures) {
    if (run.view == kTrendView) shown.captures.push_back(near_run(run, capture));
  }
  return shown;
}

}  // namespace

// An export has nothing else.
bool uses_present_rules(const Session& session) {
  const profile::Profile& profile = *session.profile();
  return !profile.trace && profile.source.by_tensor_core_rules;
}

std::string file_name(const Run& run) {
  return name_of_file(run.name());
}

timeline::Request timeline_state(const Run& run) {
  return run.view == kTimelineView ? run.look.timeline_state() : timeline::Request{};
}

std::string state_of(const Run& run, const Run* other, const SharedFiles& shared) {
  const Session& session = run.session;
  if (session.state() != Session::State::open) return {};
  aggregate::Selection selection = session.selection();
  // The split as it is: by the host where a split by the GPU finds no kernel.
  const aggregate::Aggregation& shown = *session.aggregation();
  if (shown.selection.cut == selection.cut) {
    selection.cut.split_by = shown.iteration_table->iterations.split_by;
  }
  const auto with = run.view == kCompareView ? other_file(run, other) : std::nullopt;
  return state_string(run.view, selection, run.look.table_states(run.view), session.compared(),
                      uses_present_rules(session), timeline_state(run), with,
                      shown_files(run, shared));
}

base::Status check_timeline_request(const Session& session, const timeline::Request& request,
                                    const IterationPair& compared) {
  const auto& rows = session.aggregation()->iteration_table->iterations.rows;
  const auto count = static_cast<int64_t>(rows.size());
  if (request.iteration && *request.iteration >= count) {
    return no_iteration(*request.iteration, count);
  }
  if (request.side_by_side) {
    for (const auto& number : {compared.iteration, compared.baseline}) {
      if (number && *number >= count) return no_iteration(*number, count);
    }
    if (!request.window) return base::Success{};
    return check_pair_window(session.profile()->last_ns - rows.front().start_ns, *request.window);
  }
  if (!request.window || session.lanes() == nullptr) return base::Success{};
  const base::Interval& run = session.lanes()->recorded;
  if (request.window->start_ns <= run.stop_ns && request.window->stop_ns() > run.start_ns) {
    return base::Success{};
  }
  return base::Error{"Nothing was recorded at this time",
                     fmt::format("the run lasts from {} to {}", timeline::time_text(run.start_ns),
                                 timeline::time_text(run.stop_ns)),
                     "Choose a time within the run"};
}

}  // namespace dlview::workspace
