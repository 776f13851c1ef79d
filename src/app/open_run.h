// OpenRun: an open profile and its own state: session, view, history and bookmarks. Switching runs
// does not change it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/selection_history.h"
#include "app/session.h"
#include "timeline/request.h"
#include "ui/model.h"
#include "ui/run_views.h"
#include "ui/table/tables.h"

namespace dlview::app {

struct OpenRun {
  OpenRun(base::Scheduler& scheduler, ui::RunId run_id, ui::RunViews& run_views,
          ui::ViewId shown_view)
      : id(run_id), views(run_views), session(scheduler), view(shown_view) {}

  // The previous profile and its state, restored when opening the next file fails or is canceled.
  struct Left {
    std::string name, path, state;
  };

  // A run that waits for its turn to load is loading, too.
  Session::State state() const { return waiting ? Session::State::loading : session.state(); }

  const std::string& name() const { return waiting ? waiting->name : session.name(); }

  ui::RunId id;
  ui::RunViews& views;  // of the shell
  Session session;
  std::optional<OpenRequest> waiting;  // until no other file is loading; the session is empty then
  std::string path;                    // key of its remembered state; empty = not remembered
  ui::ViewId view;
  bool kernel_details = false;
  SelectionHistory history;
  std::string identity;           // run_identity(); empty = not yet known
  timeline::Bookmarks bookmarks;  // as last saved
  std::optional<Left> left;       // until another one is open
  // Initial view state from the request, applied after loading.
  std::optional<ui::ViewId> first_view;
  std::vector<ui::TableState> first_tables;
  ui::IterationPair first_compared;
  timeline::Request first_timeline;
};

// Whether its Tensor Core use is by dlview's rules and not by the flags of the file.
bool uses_present_rules(const Session& session);
std::string file_name(const OpenRun& run);
// The Timeline settings that differ from the defaults; empty when another view is shown.
timeline::Request timeline_state(const OpenRun& run);
// The state string; empty while nothing is open.
std::string state_of(const OpenRun& run);

}  // namespace dlview::app
