#include <algorithm>
#include <optional>
#include <utility>

#include "aggregate/comparison/run_pair.h"
#include "workspace/clock.h"
#include "workspace/run.h"
#include "workspace/workspace.h"

namespace dlview::workspace {

void Workspace::perform(Run& run, const Select& action) {
  if (action.selection == run.session.selection()) return;
  run.session.select(action.selection);
  run.history.visit(run.session.selection(), action.gesture);
  events_.changed();
}
void Workspace::perform(Run& run, const EndGesture&) {
  run.history.end_gesture();
}

void Workspace::go_to(Run& run, const aggregate::Selection* selection) {
  if (selection == nullptr) return;
  run.session.select(*selection);
  events_.changed();
}
void Workspace::perform(Run& run, const GoBack&) {
  go_to(run, run.history.back());
}
void Workspace::perform(Run& run, const GoForward&) {
  go_to(run, run.history.forward());
}

void Workspace::perform(Run& run, const PreviewCut& action) {
  if (run.session.preview_cut(action.cut)) events_.changed();
}

void Workspace::perform(Run& run, const SelectIteration& action) {
  if (action.iteration == run.session.compared().iteration) return;
  run.session.select_iteration(action.iteration);
  events_.changed();
}
void Workspace::perform(Run& run, const SelectBaseline& action) {
  if (action.iteration == run.session.compared().baseline) return;
  run.session.select_baseline(action.iteration);
  events_.changed();
}

void Workspace::perform(Run& run, const ShowView& action) {
  if (action.view == run.view) return;
  run.view = action.view;
  const Run* other = other_of(run);
  if (run.view == kCompareView && other != nullptr && run.other != other->id) {
    perform(run, CompareWith{other->id});
  }
  run.history.end_gesture();
  events_.changed();
}

void Workspace::perform(Run& run, const ShowTable& action) {
  run.look.set_table(action.state);
  run.view = action.view;
  events_.changed();
}

void Workspace::perform(Run& run, const ShowTimeline& action) {
  run.look.set_timeline(action.request);
  perform(run, ShowView{std::string(kTimelineView)});
  events_.changed();
}

void Workspace::perform(Run& run, const ShowKernelDetails& action) {
  run.kernel_details = action.shows;
  if (action.shows) run.what_if = false;
  perform(run, ShowView{std::string(kDashboardView)});
  events_.changed();
}

void Workspace::perform(Run& run, const ShowWhatIf& action) {
  run.what_if = action.shows;
  if (action.shows) run.kernel_details = false;
  perform(run, ShowView{std::string(kDashboardView)});
  events_.changed();
}

void Workspace::perform(const ShowAllRuns& action) {
  shows_all_ = action.all;
  aligns_typical_ = false;
  events_.changed();
}

const Run* Workspace::other_of(const Run& run) const {
  const Run* first = nullptr;
  for (const auto& open : runs_) {
    if (open->id == run.id || open->state() == Session::State::empty) continue;
    if (open->id == run.other) return open.get();
    if (first == nullptr) first = open.get();
  }
  return first;
}

bool Workspace::is_after(const Run& run) const {
  const Run* other = other_of(run);
  if (other == nullptr || run.other == other->id) return run.is_after;
  return *number_of(other->id) < *number_of(run.id);
}

void Workspace::perform(Run& run, const CompareWith& action) {
  const auto number = number_of(action.other);
  if (!number || action.other == run.id) return;
  Run& other = *runs_[*number];
  const bool were_compared = run.other == other.id;
  const bool after = were_compared ? run.is_after : *number < *number_of(run.id);
  run.other = other.id;
  for (Run* const side : {&run, &other}) {
    side->wants_usual_range = !were_compared && !action.keeps_ranges;
    take_usual_range(*side);
  }
  perform(run, CompareAs{after});
  perform(run, ShowView{std::string(kCompareView)});
}

void Workspace::perform(Run& run, const CompareAs& action) {
  const Run* other = other_of(run);
  if (other == nullptr) return;
  run.other = other->id;
  run.is_after = action.is_after;
  Run& its = *runs_[*number_of(other->id)];
  its.other = run.id;
  its.is_after = !action.is_after;
  events_.changed();
}

void Workspace::perform(Run& run, OpenToCompare&& action) {
  const RunId id = run.id;
  const auto same = std::ranges::find_if(runs_, [&](const auto& open) {
    return open->id != id && !action.request.path.empty() && open->path == action.request.path;
  });
  RunId other = 0;
  if (same != runs_.end()) {
    other = (*same)->id;
  } else {
    add_run(run.view);  // which moves no run
    active().first_range = action.range;
    other = active().id;
    open(std::move(action.request));
    activate(*number_of(id));
  }
  perform(run, CompareWith{other, action.range.has_value()});
}

void Workspace::take_usual_range(Run& run) {
  if (!run.wants_usual_range || run.session.state() != Session::State::open) return;
  run.wants_usual_range = false;
  const auto& iterations = run.session.aggregation()->whole().iteration_table->iterations;
  const aggregate::Selection& selection = run.session.selection();
  if (selection.range.size() < static_cast<int64_t>(iterations.rows.size())) return;
  perform(run, Select{selection.with_range(aggregate::usual_range(iterations))});
}

void Workspace::perform(Run& run, const ShowComparedTimelines&) {
  if (run.session.state() != Session::State::open) return;
  RunModel model;
  run.session.describe(model);
  shows_all_ = aligns_typical_ = true;
  perform(run, ShowTimeline{{.window = {}, .iteration = typical_iteration(model)}});
}

void Workspace::perform(const ChooseBudgets& action) {
  budgets_.choose(action.paths);
  events_.changed();
}
void Workspace::perform(const AddCaptures& action) {
  trend_.add(action.paths);
  events_.changed();
}
void Workspace::perform(const RemoveCapture& action) {
  trend_.remove(action.path);
  events_.changed();
}
void Workspace::perform(const RestoreCaptures&) {
  trend_.restore();
  events_.changed();
}
void Workspace::perform(const StopTrend&) {
  trend_.cancel();
  events_.changed();
}
void Workspace::perform(const MeasureTrend&) {
  trend_.measure_again();
  events_.changed();
}

}  // namespace dlview::workspace
