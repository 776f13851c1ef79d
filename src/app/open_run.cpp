#include "app/open_run.h"

#include "app/file_names.h"
#include "app/view_state.h"

namespace dlview::app {

// An export has nothing else.
bool uses_present_rules(const Session& session) {
  const profile::Profile& profile = *session.profile();
  return !profile.trace && profile.source.by_tensor_core_rules;
}

std::string file_name(const OpenRun& run) {
  return name_of_file(run.name());
}

timeline::Request timeline_state(const OpenRun& run) {
  if (run.view != ui::ViewId::timeline) return {};
  timeline::Request state{.window = run.views.timeline_window(), .iteration = {}};
  const timeline::ColourBy colours = run.views.timeline_colours();
  if (colours != timeline::ColourBy::category) state.colours = colours;
  state.side_by_side = run.views.timeline_is_side_by_side();
  return state;
}

std::string state_of(const OpenRun& run) {
  const Session& session = run.session;
  if (session.state() != Session::State::open) return {};
  aggregate::Selection selection = session.selection();
  // The split as it is: by the host where a split by the GPU finds no kernel.
  const aggregate::Aggregation& shown = *session.aggregation();
  if (shown.selection.cut == selection.cut) {
    selection.cut.split_by = shown.iteration_table->iterations.split_by;
  }
  return state_string(run.view, selection, run.views.table_states(run.view), session.compared(),
                      uses_present_rules(session), timeline_state(run));
}

}  // namespace dlview::app
