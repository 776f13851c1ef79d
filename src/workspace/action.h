// Action: a request of a user, a script or a test to the workspace. Workspace::apply() carries it
// out, between frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aggregate/selection.h"
#include "ranks/rank_set.h"
#include "timeline/request.h"
#include "workspace/run_model.h"
#include "workspace/session.h"

namespace dlview::workspace {

// Opens in place of the active run.
struct Open {
  OpenRequest request;
};
// Opens each as a run of its own, in place of the active one if that is empty or failed; activates
// one of them. A file that is open already is only activated.
struct OpenBeside {
  std::vector<OpenRequest> requests;
  std::size_t first_shown = 0;
};
// Cancels loading the active run's file.
struct CancelLoading {};
// Opens what was open before a file that could not be opened.
struct ReturnToFile {};
// A run that is not open is ignored.
struct Activate {
  RunId run = 0;
};
// Closing the only run leaves an empty one.
struct Close {
  RunId run = 0;
};
struct CloseAll {};
// Whether the Timeline shows the other runs, too.
struct ShowAllRuns {
  bool all = true;
};

// The others act on one run: the active one, unless Workspace::apply() is given another.

// Selections of one gesture (a drag, typing both bounds) are one step of the history.
struct Select {
  aggregate::Selection selection;
  int64_t gesture = -1;  // -1 = of none
};
// Through the history of selections.
struct GoBack {};
struct GoForward {};
struct PreviewCut {
  std::optional<aggregate::Cut> cut;  // not set: ends the preview
};
// The two iterations to compare; not set = the views choose.
struct SelectIteration {
  std::optional<int64_t> iteration;
};
// The iterations and GPUs of this rank, in a file that holds several.
struct SelectRank {
  int64_t rank = 0;
};
struct SelectBaseline {
  std::optional<int64_t> iteration;
};
struct ShowView {
  std::string view;  // its name
};
struct ShowTable {
  std::string view;
  TableState state;
};
struct ShowTimeline {
  timeline::Request request;
};
// The Dashboard with or without its pane of kernels.
struct ShowKernelDetails {
  bool shows = true;
};
// The Dashboard with or without its pane of what-if, in the place of that of kernels.
struct ShowWhatIf {
  bool shows = true;
};
// The view Compare of the run, with another open run; that one then compares with this one. Where
// all iterations are selected, the usual range is selected instead.
struct CompareWith {
  RunId other = 0;
  bool keeps_ranges = false;
};
// The same with a file, which is opened beside the run and not activated. A file that is open
// already is that run; the run's own file is opened once more.
struct OpenToCompare {
  OpenRequest request;
  std::optional<aggregate::IterationRange> range = {};  // of it; clamped
};
// Whether the run is the one after in its comparison, and the other one before.
struct CompareAs {
  bool is_after = false;
};
// The Timeline of the run with its typical iteration, and below it that of the other run, as long
// as the Timeline shows all runs.
struct ShowComparedTimelines {};
// The budgets that all runs are judged by; the same files again are read again.
struct ChooseBudgets {
  BudgetPaths paths;
};
// To the trend; and its measurement, which stops, or begins again.
struct AddCaptures {
  std::vector<std::string> paths;
};
// Removes a capture from the trend; an open run stays open.
struct RemoveCapture {
  std::string path;
};
// Restores all removed captures.
struct RestoreCaptures {};
struct StopTrend {};
struct MeasureTrend {};
// The ranks of a run: files, folders, patterns or summaries. The profile of the first rank opens in
// place of the active run where its file is at hand. `shows`: with the view Ranks.
struct OpenRanks {
  std::vector<std::string> names;
  bool shows = true;
};
// Their reading, which stops, or begins again.
struct StopRanks {};
struct ReadRanksAgain {};
// Their figures are to be those of some of them; empty = of all.
struct OnlyRanks {
  ranks::RankSet ranks;
};
// The next selection is a step of its own.
struct EndGesture {};

using Action =
    std::variant<Open, OpenBeside, CancelLoading, ReturnToFile, Activate, Close, CloseAll,
                 ShowAllRuns, Select, GoBack, GoForward, PreviewCut, SelectIteration, SelectRank,
                 SelectBaseline, ShowView, ShowTable, ShowTimeline, ShowKernelDetails, ShowWhatIf,
                 CompareWith, OpenToCompare, CompareAs, ShowComparedTimelines, ChooseBudgets,
                 AddCaptures, RemoveCapture, RestoreCaptures, StopTrend, MeasureTrend, OpenRanks,
                 StopRanks, ReadRanksAgain, OnlyRanks, EndGesture>;

}  // namespace dlview::workspace
