// Workspace: the open runs, one of which is active. It carries out actions, remembers the state of
// each run, and loads files one at a time. `Looks` holds the look of runs. workspace.cpp opens,
// loads and closes runs, workspace_actions.cpp changes open ones, workspace_ranks.cpp reads ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "workspace/action.h"
#include "workspace/bookmark_file.h"
#include "workspace/budget_source.h"
#include "workspace/file_memory.h"
#include "workspace/look.h"
#include "workspace/rank_run.h"
#include "workspace/run.h"
#include "workspace/selection_request.h"
#include "workspace/session.h"
#include "workspace/trend_runs.h"

namespace dlview::workspace {

// Sources of runs and of their saved state. All are called on the main thread.
struct RunSources {
  std::function<OpenRequest()> demo;
  std::function<OpenRequest(const std::string& path)> file;
  // To be compared with an open one; null = as `file`.
  std::function<OpenRequest(const std::string& path)> other_file = {};
  // How the iterations of ranks are chosen.
  SelectionRequest of_ranks = {};
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
  Workspace(base::Scheduler& scheduler, Looks& looks, const RunSources& sources, std::string view,
            Events events);

  // Never empty.
  const std::vector<std::unique_ptr<Run>>& runs() const { return runs_; }
  std::size_t active_run() const { return active_; }
  Run& active() { return *runs_[active_]; }
  const Run& active() const { return *runs_[active_]; }
  // Whether the Timeline shows all of them.
  bool shows_all() const { return shows_all_ && runs_.size() > 1; }
  // With the typical iterations of compared runs aligned.
  bool aligns_typical() const { return aligns_typical_; }
  // Returns all runs, with unique names.
  std::vector<RunInfo> infos() const;

  // Carries out an action. Not while a frame is being built from the workspace.
  void apply(Action action) { apply(active().id, std::move(action)); }
  // As above for a run; ignored if it has been closed.
  void apply(RunId run, Action action);
  // The run that Compare shows with this one: that which it was last compared with, else another
  // one, the first; null = it is alone.
  const Run* other_of(const Run& run) const;
  // Whether the run is the one after: as chosen, else by the order in which they were opened.
  bool is_after(const Run& run) const;
  // A file to compare with.
  OpenRequest other_file(const std::string& path) const;
  // The budgets and captures of the window; captures with the open runs.
  BudgetSource& budgets() { return budgets_; }
  const BudgetSource& budgets() const { return budgets_; }
  const TrendRuns& trend() const { return trend_; }
  // Measures the captures, once no file is loading. In each frame that shows the trend.
  void want_trend();
  // The ranks of the run that the active one belongs to; nullopt = it is not known to have several.
  std::optional<RankModel> ranks() const;
  bool has_ranks() const;  // the same, in a few steps
  bool is_reading_ranks() const { return ranks_.is_reading(); }
  bool is_busy_with_ranks() const { return ranks_.is_busy(); }
  // What the timeline of ranks draws of these, as places in the figures. In each frame that shows
  // it.
  void want_rank_timelines(const std::vector<std::size_t>& ranks);
  // Reads the ranks of the active run if its file has several. In each frame that shows them.
  void want_ranks();
  SharedFiles shared_files() const;
  bool can_close() const {
    return runs_.size() > 1 || active().state() != Session::State::empty || !ranks_.empty();
  }
  // Whether the active run shows nothing and there is a profile to return to.
  bool can_go_back() const;
  std::string name_to_go_back_to() const;  // needs can_go_back(), as ReturnToFile does

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
  void perform(Open&& action);
  void perform(OpenBeside&& action);
  void perform(const CancelLoading& action);
  void perform(const ReturnToFile& action);
  void perform(const Activate& action);
  void perform(const Close& action);
  void perform(const CloseAll& action);
  void perform(const ShowAllRuns& action);
  void perform(Run& run, const Select& action);
  void perform(Run& run, const GoBack& action);
  void perform(Run& run, const GoForward& action);
  void perform(Run& run, const PreviewCut& action);
  void perform(Run& run, const SelectIteration& action);
  void perform(Run& run, const SelectRank& action);
  void perform(Run& run, const SelectBaseline& action);
  void perform(Run& run, const ShowView& action);
  void perform(Run& run, const ShowTable& action);
  void perform(Run& run, const ShowTimeline& action);
  void perform(Run& run, const ShowKernelDetails& action);
  void perform(Run& run, const ShowWhatIf& action);
  void perform(Run& run, const CompareWith& action);
  void perform(Run& run, OpenToCompare&& action);
  void perform(Run& run, const CompareAs& action);
  void perform(Run& run, const ShowComparedTimelines& action);
  void perform(const ChooseBudgets& action);
  void perform(const AddCaptures& action);
  void perform(const RemoveCapture& action);
  void perform(const RestoreCaptures& action);
  void perform(const StopTrend& action);
  void perform(const MeasureTrend& action);
  void perform(const OpenRanks& action);
  void perform(const StopRanks& action);
  void perform(const OnlyRanks& action);
  void perform(const ReadRanksAgain& action);
  void perform(Run& run, const EndGesture& action);

  // Index in runs_; nothing for a run that is not open.
  std::optional<std::size_t> number_of(RunId run) const;
  void add_run(const std::string& view);
  void activate(std::size_t number);
  void open(OpenRequest request);
  void open_beside(OpenRequest request);
  void open_others();
  void share(const Run& run, const SharedFiles& files);
  void take_usual_range(Run& run);
  // The next of the profiles of ranks that can be opened first, in the active run.
  void open_next_rank();
  void open_rank_of_summary();
  // The files of the active run have been given to be read, or read.
  bool are_ranks_read() const;
  void close(std::size_t number);
  void go_to(Run& run, const aggregate::Selection* selection);
  // The run that is active when this one, of several, has been closed.
  std::size_t run_after(std::size_t closed) const { return closed == 0 ? 1 : closed - 1; }
  void load_next();
  void remember(const Run& run);
  void after_loading(Run& run);
  // Checks the run's initial Timeline request. If its target is missing, shows a notice and the
  // whole run.
  void check_first_timeline(Run& run);
  // Loads the bookmarks of a newly opened file, once.
  void begin_bookmarks(Run& run);

  base::Scheduler& scheduler_;
  Looks& looks_;
  const RunSources& sources_;
  Events events_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::size_t active_ = 0;
  bool shows_all_ = false, aligns_typical_ = false;
  BudgetSource budgets_;
  TrendRuns trend_;
  RankRun ranks_;
  std::vector<std::string> first_ranks_;  // profiles to try to open first; the next one last
  bool wants_rank_of_summary_ = false;    // once its summary has been read
  bool shows_ranks_ = false;              // with the first one
  RunId next_id_ = 0;
};

}  // namespace dlview::workspace
