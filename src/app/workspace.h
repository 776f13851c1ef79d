// Workspace: the open runs, one of which is active. It opens and closes them, keeps what is
// remembered of each, and gives each file its turn to load. The shell makes and frees their views.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/bookmark_file.h"
#include "app/file_memory.h"
#include "app/open_run.h"
#include "app/session.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "ui/model.h"
#include "ui/shell.h"

namespace dlview::app {

// Where runs come from, and where their state is kept. All are called on the main thread.
struct RunSources {
  std::function<OpenRequest()> demo;
  std::function<OpenRequest(const std::string& path)> file;
  std::function<void(const base::Error&)> failed = [](const base::Error&) {};  // to open
  // Both outlive the workspace; null = nothing is remembered.
  FileMemory* memory = nullptr;
  const BookmarkFile* bookmarks = nullptr;
};

class Workspace {
 public:
  struct Events {
    std::function<void(std::string)> notice;  // for the user to read
    std::function<void()> changed;            // a frame would differ from the last one
    std::function<void()> activated;          // another run is active
    std::function<void()> opening;            // a file, in the active run
  };
  // All but `events` outlive the workspace. `view` is what the first run shows.
  Workspace(base::Scheduler& scheduler, ui::Shell& shell, const RunSources& sources,
            ui::ViewId view, Events events);

  // Never empty.
  const std::vector<std::unique_ptr<OpenRun>>& runs() const { return runs_; }
  std::size_t active_run() const { return active_; }
  OpenRun& active() { return *runs_[active_]; }
  const OpenRun& active() const { return *runs_[active_]; }
  // Of all runs, with names that tell them apart.
  std::vector<ui::RunInfo> infos() const;

  // Ignores a number that no run has, as close() does.
  void activate(std::size_t number);
  // Opens in place of the active run.
  void open(OpenRequest request);
  // Opens as a new run; reuses the active run if it is empty or failed. Activates the run of the
  // file if that is open.
  void open_beside(OpenRequest request);
  // Opens each with open_beside(), then activates one of them.
  void open_several(std::vector<OpenRequest> requests, std::size_t first_shown);
  // Cancels loading the active run's file.
  void cancel_loading();
  // Closing the only run leaves an empty one.
  void close(std::size_t number);
  bool can_close() const { return runs_.size() > 1 || active().state() != Session::State::empty; }
  // Whether the active run shows nothing and there is a profile to return to.
  bool can_go_back() const;
  std::string name_to_go_back_to() const;  // needs can_go_back(), as go_back() does
  void go_back();

  // Saves the view state of every open file.
  void remember();
  // Saves the active run's bookmarks if they have changed.
  void keep_bookmarks();

  // Takes over what tasks have finished.
  void poll();
  void take_notices();
  bool is_loading() const;
  // Nothing is loading or being computed; settle() blocks until then.
  bool settled() const;
  void settle();

 private:
  void add_run(ui::ViewId view);
  // The run that is active when this one, of several, has been closed.
  std::size_t run_after(std::size_t closed) const { return closed == 0 ? 1 : closed - 1; }
  void load_next();
  void remember(const OpenRun& run);
  void after_loading(OpenRun& run);
  // Checks the run's initial Timeline request. If its target is missing, shows a notice and the
  // whole run.
  void check_first_timeline(OpenRun& run);
  // Loads the bookmarks of a newly opened file, once.
  void begin_bookmarks(OpenRun& run);

  base::Scheduler& scheduler_;
  ui::Shell& shell_;
  const RunSources& sources_;
  Events events_;
  std::vector<std::unique_ptr<OpenRun>> runs_;
  std::size_t active_ = 0;
  ui::RunId next_id_ = 0;
};

}  // namespace dlview::app
