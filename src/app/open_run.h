// OpenRun: one profile of the window with all that is its own: what was asked of it, how it is
// looked at, and where the user has been in it. Switching to another one changes none of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/selection_history.h"
#include "app/session.h"
#include "ui/model.h"
#include "ui/shell.h"
#include "ui/table/tables.h"
#include "ui/timeline/command.h"

namespace dlview::app {

struct OpenRun {
  OpenRun(base::Scheduler& scheduler, ui::RunId run_id, ui::ViewId shown_view)
      : id(run_id), session(scheduler), view(shown_view) {}

  // What was open here before a file that could not be opened, or was not waited for: as it was
  // left.
  struct Left {
    std::string name, path, state;
  };

  ui::RunId id;
  Session session;
  std::string path;  // under which it is remembered; empty = it is not
  ui::ViewId view;
  bool kernel_details = false;
  SelectionHistory history;
  std::string identity;               // run_identity(); empty = not yet known
  ui::timeline::Bookmarks bookmarks;  // as they are kept
  std::optional<Left> left;           // until another one is open
  // What its request asked to begin with, until it is there and was checked.
  std::optional<ui::ViewId> first_view;
  std::vector<ui::TableState> first_tables;
  ui::IterationPair first_compared;
  ui::timeline::Request first_timeline;
};

}  // namespace dlview::app
