// An open run for its views: its data and the chosen state. The workspace owns the data; views get
// it by value and shared pointer, and never wait for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "aggregate/limits/limits.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/tensor_core_uses.h"
#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/python_frames.h"
#include "report/query.h"

namespace dlview::timeline {
struct Lanes;  // timeline/lanes.h
}

namespace dlview::workspace {

// Views are identified by name (ui/views/registry.cpp). The workspace itself uses these.
inline constexpr std::string_view kDashboardView = "dashboard", kTimelineView = "timeline",
                                  kCompareView = "compare", kBudgetsView = "budgets",
                                  kTrendView = "trend", kRanksView = "ranks";

// Identifies a run while it is open.
using RunId = int;

// A row of the run list; `progress` is set while the run loads.
struct RunInfo {
  std::string name;    // short, but unlike that of any other; empty = nothing is open in it
  std::string path;    // as the user gave it
  bool waits = false;  // for another file that is loading
  std::optional<base::Progress::Snapshot> progress = {};
  bool failed = false;
  std::shared_ptr<const profile::Profile> profile = {};  // set when it is open
};

// Two iterations side by side; where none was chosen, the slowest of the range and the typical one.
struct IterationPair {
  std::optional<int64_t> iteration, baseline;
  bool operator==(const IterationPair&) const = default;
};

// The file to compare with that a state string or --with requests.
struct OtherFile {
  std::string path;  // absolute, or in the folder of the run's own file
  std::optional<aggregate::IterationRange> range = {};  // of its iterations
  bool is_before = false;                               // else it is the run after
  bool operator==(const OtherFile&) const = default;
};

// Files of budgets; empty = none.
struct BudgetPaths {
  std::string budget, baseline;
  bool operator==(const BudgetPaths&) const = default;
};

// Files that all runs of the window share. Absolute, or in the folder of the run's own file.
struct SharedFiles {
  BudgetPaths budgets = {};
  std::vector<std::string> captures = {};        // of the trend
  std::optional<std::string> trend_key_op = {};  // their iteration marker; not in states
  bool operator==(const SharedFiles&) const = default;
  bool empty() const { return *this == SharedFiles(); }
};

// The user's changes to one table that are remembered.
struct TableState {
  std::string table;              // TableLook::id
  report::TableQuery query = {};  // empty = as at first
  std::string selected = {};      // the key of a row
  bool operator==(const TableState&) const = default;
};

// A run in exactly one of four states: nothing open, loading, failed, or open.
struct RunModel {
  RunId run = 0;
  std::string file_name;  // shown in the status bar and the title
  std::optional<base::Progress::Snapshot> loading;
  std::optional<base::Error> error;

  // Set when a profile is open. `aggregation` belongs to aggregation->selection, which lags behind
  // `selection` for a moment if the engine is slow; the old numbers stay on screen until then.
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  std::shared_ptr<const aggregate::Aggregation> unfiltered;  // its range; null without filters
  aggregate::Selection selection;
  std::string engine;         // "CPU"; empty: none is made yet
  std::string engine_reason;  // why it is this one; may be empty
  double aggregation_ms = 0;  // of the last aggregation; 0 = still cached, negative = not shown
  bool aggregating = false;   // a newer selection is being computed

  std::optional<aggregate::IterationRange> steady;  // of the split, whatever the filters
  // Computed in the background, so null for a moment: the outliers among the iterations, whatever
  // the filters; the markers of this profile, best first; the kernels whose Tensor Core use is
  // unknown, which refer to the profile; and the index for the rules of nsys.
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> key_ops;
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown_use;
  std::shared_ptr<const aggregate::RuleIndex> rules;
  // What limits need, once a view has wanted it; keeps the profile.
  std::shared_ptr<const aggregate::LimitIndex> limits;
  // All events in order of time, once the Timeline has been shown.
  std::shared_ptr<const timeline::Lanes> lanes;
  // Python frames of the file, once they have been read; while they are; and why they could not be.
  std::shared_ptr<const profile::PythonFrames> python_frames;
  std::optional<base::Progress::Snapshot> reading_frames;
  std::optional<base::Error> frames_error;
  std::optional<base::Error> frame_lanes_error;  // why `lanes` cannot have them
  // The iterations of the last previewed split; null = no preview, or not there yet.
  std::shared_ptr<const aggregate::IterationTable> preview_table;
  IterationPair compared;  // as far as chosen; lie within the iteration table
};

}  // namespace dlview::workspace
