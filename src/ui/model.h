// What the views read and what they may ask for. The program (module app) owns the data and hands a
// Model to every frame; views never own facts and never block.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "aggregate/outliers.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/thresholds.h"
#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::timeline {
struct Lanes;  // timeline/lanes.h
}

namespace dlview::ui {

// In the order of ui::views() (ui/view.h), which may have more.
enum class ViewId {
  dashboard,
  iterations,
  timeline,
  op_types,
  groups,
  ops,
  by_iteration,
  by_op,
  gpus,
  cuda_summary,
  system,
};

// What the registry's commands do to the table that has the keyboard.
enum class TableCommand {
  search,
  copy,
  select_all,
  reset,
  deselect,
  next,
  next_report,  // of the CUDA summary
  previous_report,
};
// What they do in the Timeline.
enum class TimelineCommand : uint8_t {
  zoom_in,  // around the pointer
  zoom_out,
  pan_left,
  pan_right,
  show_selection,     // with room around it
  zoom_to_selection,  // alone
  whole_run,
  back,  // to the window before
  next,  // of the selected event's name
  previous,
  filter_time,  // everything to the selected stretch of time
  measure,      // begins, or ends
  deselect,
  search,  // puts the cursor into its field
  next_hit,
  previous_hit,
  gaps,       // opens or closes their panel
  bookmark,   // sets one
  bookmarks,  // opens or closes their list
  next_colours,
  colour_by_category,
  colour_by_op_type,
  colour_by_op,
  colour_by_direction,
  side_by_side,  // two iterations, or the run again
  differences,   // of their ops, or of their kernels
};

struct TableExport;  // ui/table/table_export.h
struct TableState;   // ui/table/tables.h
enum class ThemeKind { dark, light };

// What lies above the view until it is closed (Escape).
enum class Overlay {
  none,
  commands,
  jump,
  files,
  keys,
  definitions,
  about,
  data_quality,
  thresholds,
};

// An entry of the command registry, as menus, the palette and the list of keys show it.
struct CommandInfo {
  std::string id;        // "file.screenshot"
  std::string title;     // "Screenshot"
  std::string shortcut;  // "F12"; empty = none
  std::string menu;  // "File", "Range", "View", "Timeline", "Table" or "Help"; empty = in no menu
  std::string help;  // one sentence
  bool enabled = true;
};

// A folder of the user's, for the list of files.
struct FolderListing {
  struct Entry {
    std::string name;
    bool is_folder = false;
    int64_t bytes = 0;
  };
  std::string path;            // absolute
  std::vector<Entry> entries;  // folders first, then databases, each in order of the name
  std::string problem;         // why it cannot be read; empty = it can
};

// Two iterations side by side; where none was chosen, the slowest of the range and the typical one.
struct IterationPair {
  std::optional<int64_t> iteration, baseline;
  bool operator==(const IterationPair&) const = default;
};

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

// How long the last frame took: building it, and drawing it.
struct FrameTimes {
  double build_ms = 0, draw_ms = 0;
};

// Exactly one of the four states: nothing open (an empty state), loading, failed, or open.
struct Model {
  ViewId view = ViewId::dashboard;
  ThemeKind theme = ThemeKind::dark;
  bool kernel_details = false;  // the Dashboard's Kernel Details pane; command view.kernel_details
  std::string version;          // of the program
  std::string_view licenses;    // of what it contains; outlives the frame
  std::string notice;        // what the last command did ("Saved /home/me/run.png"); may be empty
  float notice_opacity = 1;  // it fades
  Overlay overlay = Overlay::none;        // host.show_overlay
  std::string definitions_search;         // with which its definitions begin
  std::optional<FrameTimes> frame_times;  // to be shown; command view.frame_times
  // What a Host may replace while a frame is drawn is owned by the frame.
  std::vector<std::string> recent_files;        // newest first
  std::shared_ptr<const FolderListing> folder;  // set while overlay is `files`; host.list_folder
  bool opens_beside = false;                    // what is chosen there
  std::span<const CommandInfo> commands;        // in the order of the menus; outlives the frame
  std::vector<RunInfo> runs;                    // open runs, or one empty run; never empty
  std::size_t active_run = 0;                   // index in `runs`; all fields below describe it
  RunId run = 0;
  std::string file_name;  // shown in the status bar and the title
  std::optional<base::Progress::Snapshot> loading;
  std::optional<base::Error> error;

  // Set when a profile is open. `aggregation` belongs to aggregation->selection, which lags behind
  // `selection` for a moment when the engine is slow; old numbers stay on screen meanwhile.
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  std::shared_ptr<const aggregate::Aggregation> unfiltered;  // its range; null without filters
  aggregate::Selection selection;
  std::string engine;         // "CPU"; empty: none is made yet
  std::string engine_reason;  // why it is this one; may be empty
  double aggregation_ms = 0;  // of the last aggregation; 0 = it was kept, negative = not shown
  bool aggregating = false;   // a newer selection is being computed

  std::optional<aggregate::IterationRange> steady;  // of the cut, whatever the filters
  // Found in the background, so null for a moment: the outliers among the iterations, whatever the
  // filters, the ops that could cut this profile, best first, and what the rules of nsys look at.
  std::shared_ptr<const aggregate::Outliers> outliers;
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> key_ops;
  std::shared_ptr<const aggregate::RuleIndex> rules;
  // All events in order of time, once the Timeline has been shown.
  std::shared_ptr<const timeline::Lanes> lanes;
  aggregate::AdviceThresholds thresholds;  // of the findings; host.set_thresholds
  // Of the cut that was last given to Host::preview_cut; null = no preview, or not there yet.
  std::shared_ptr<const aggregate::IterationTable> preview_table;
  IterationPair compared;  // as far as chosen; lie within the iteration table
};

// What a view may ask the program for. All take effect at once: the frame is rebuilt before it is
// shown, so that no panel is a frame behind.
class Host {
 public:
  virtual ~Host() = default;
  virtual void select(const aggregate::Selection& selection) = 0;
  // Computes only the iterations of a cut, for a look at it; nothing ends the preview.
  virtual void preview_cut(const std::optional<aggregate::Cut>& cut) = 0;
  virtual void select_iteration(std::optional<int64_t> iteration) = 0;
  virtual void select_baseline(std::optional<int64_t> iteration) = 0;
  virtual void show(ViewId view) = 0;
  virtual void show_table(ViewId view,
                          const TableState& state) = 0;  // a view with a table like this
  virtual void run_command(std::string_view id) = 0;     // an id of the command registry
  virtual void cancel_loading() = 0;
  virtual void copy_text(const std::string& text) = 0;
  virtual void open_link(const std::string& url) = 0;
  virtual void open_file(const std::string& path) = 0;
  virtual void show_run(std::size_t number) = 0;          // of Model::runs
  virtual void list_folder(const std::string& path) = 0;  // fills Model::folder
  virtual void show_overlay(Overlay overlay) = 0;
  // The definitions with these words.
  virtual void show_definitions(std::string_view search) = 0;
  virtual void set_thresholds(const aggregate::AdviceThresholds& thresholds) = 0;
  virtual void export_table(const TableExport& what) = 0;  // into a file, in the background
  virtual void notify(std::string notice) = 0;             // Model::notice for a while
};

}  // namespace dlview::ui
