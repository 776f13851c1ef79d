// Run: an open profile and its own state: session, view, history and bookmarks. Switching runs
// does not change it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "timeline/request.h"
#include "workspace/look.h"
#include "workspace/run_model.h"
#include "workspace/selection_history.h"
#include "workspace/session.h"

namespace dlview::workspace {

struct Run {
  Run(base::Scheduler& scheduler, RunId run_id, RunLook& look_of_run, std::string shown_view)
      : id(run_id), look(look_of_run), session(scheduler), view(std::move(shown_view)) {}

  // The previous profile and its state, restored when opening the next file fails or is canceled.
  struct Left {
    std::string name, path, state;
  };

  // A run that waits for its turn to load is loading, too.
  Session::State state() const { return waiting ? Session::State::loading : session.state(); }

  const std::string& name() const { return waiting ? waiting->name : session.name(); }

  RunId id;
  RunLook& look;
  Session session;
  std::optional<OpenRequest> waiting;  // until no other file is loading; the session is empty then
  std::string path;                    // key of its remembered state; empty = not remembered
  std::string view;                    // name of the one that is shown
  bool kernel_details = false;         // the pane of the Dashboard
  bool what_if = false;                // likewise; at most one of them
  SelectionHistory history;
  std::string identity;           // run_identity(); empty = not yet known
  timeline::Bookmarks bookmarks;  // as last saved
  std::optional<Left> left;       // until another one is open
  // Initial view state from the request, applied after loading.
  std::optional<std::string> first_view;
  std::vector<TableState> first_tables;
  IterationPair first_compared;
  std::optional<OtherFile> first_other;
  timeline::Request first_timeline;
  // The range of iterations to begin with, clamped; of a file that was opened to be compared.
  std::optional<aggregate::IterationRange> first_range;

  // The run that it was last compared with, and whether it is the one after.
  std::optional<RunId> other;
  bool is_after = false;
  bool has_several_ranks = false;  // of its open profile
  // A comparison has begun: where all iterations are selected, it begins with the usual ones.
  bool wants_usual_range = false;
};

// Whether its Tensor Core use is by dlview's rules and not by the flags of the file.
bool uses_present_rules(const Session& session);
std::string file_name(const Run& run);
// The Timeline settings that differ from the defaults; empty when another view is shown.
timeline::Request timeline_state(const Run& run);
// The state string; empty while nothing is open. `other`: the run that the view Compare shows with
// it; null = none is named. `shared`: what the views Budgets and Trend show.
std::string state_of(const Run& run, const Run* other = nullptr, const SharedFiles& shared = {});

// Checks whether the open file has what --iteration, --time or a state string request for the
// Timeline. A time window can be checked only when the lanes exist. To compare iterations, both
// must exist.
base::Status check_timeline_request(const Session& session, const timeline::Request& request,
                                    const IterationPair& compared);

}  // namespace dlview::workspace
