// What the views read and what they may ask for. The program (module app) owns the data and hands a
// Model to every frame; views never own facts and never block.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/comparison/counterpart.h"
#include "aggregate/thresholds.h"
#include "timeline/request.h"
#include "workspace/budget_source.h"
#include "workspace/clock.h"
#include "workspace/file_memory.h"
#include "workspace/rank_run.h"
#include "workspace/run_model.h"
#include "workspace/trend_runs.h"

namespace dlview::ui {

struct ItemRect;  // ui/look.h

// In the order of ui::views() (ui/view.h), which may have more.
enum class ViewId {
  dashboard,
  iterations,
  timeline,
  ops,
  op_types,
  groups,
  op_shapes,
  operators,
  modules,
  stacks,
  kernels,
  launches,
  by_iteration,
  by_op,
  cuda_summary,
  gpus,
  communication,
  memory,
  system,
  limits,
  compare,
  budgets,
  trend,
  ranks,
};
// In the order of ui::tabs() (ui/view.h), which may have more.
enum class TabId {
  dashboard,
  iterations,
  timeline,
  ops,
  kernels,
  gpus,
  system,
  limits,
  compare,
  ranks,
};

// What the registry's commands do to the table that has the keyboard.
enum class TableCommand {
  search,
  filters,  // shows or hides the fields below the titles
  copy,
  select_all,
  reset,
  deselect,
  next,
  next_report,  // of the CUDA summary
  previous_report,
  next_stack_style,  // of the Python stacks
  stack_icicle,
  stack_sunburst,
  stack_table,
  stack_measure,        // CPU or GPU time
  stack_internal,       // hides or shows internal frames
  next_group_coloring,  // of the icicle of groups
  group_fit,            // the selected row fills the width, or all rows do
  next_group_match,
  previous_group_match,
  group_save_png,
  limits_fit,       // of Limits: the whole plot
  limits_timeline,  // the longest launch of the selected row
  limits_open,      // the selected row in its own table
  limits_by_op,
  limits_by_kernel,
  limits_by_shape,
  limits_by_group,
  limits_rule,       // the next one
  limits_all_roofs,  // shows or hides those that no row has
  limits_evidence,   // opens or closes the drawer
  limits_pin,        // the selected row as baseline, or none
  limits_copy_shapes,
  limits_save_svg,
  limits_save_png,
  ranks_next_skew,
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
  next_colors,
  color_by_category,
  color_by_op_type,
  color_by_op,
  color_by_direction,
  python_frames,  // shows or hides them
  side_by_side,   // two iterations, or the run again
  differences,    // of their ops, or of their kernels
};

struct TableExport;  // ui/table/table_export.h
enum class ThemeKind { dark, light };
enum class PaletteKind { standard, colorblind };        // the colors of categories
constexpr std::string_view to_text(PaletteKind kind) {  // as for --palette
  return kind == PaletteKind::colorblind ? "colorblind" : "default";
}

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
  dropped_file,  // asks whether to open it or to compare with it
};

// What becomes of a file that is chosen in Overlay::files.
enum class FileUse : uint8_t { open, open_beside, compare, budgets, baseline, captures, ranks };

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

// "Saved /home/me/run.png"; it fades.
struct Notice {
  std::string text;
  float opacity = 1;
};

// How long the last frame took: building it, and drawing it.
struct FrameTimes {
  double build_ms = 0, draw_ms = 0;
};

// Another open run: the Timeline shows it below the active one, Compare against it.
struct OtherRun {
  std::string name;  // as in Model::runs
  workspace::RunModel run;
  workspace::ClockOffset clock;
  // In the Timeline, if the active run is compared with it and both have been matched: events have
  // counterparts, from the active run to this one.
  std::shared_ptr<const aggregate::RunPair> pair;
  aggregate::RunDirection direction;
};

// What a frame shows: the active run, and what the window adds to it.
struct Model : workspace::RunModel {
  ViewId view = ViewId::dashboard;
  ThemeKind theme = ThemeKind::dark;
  PaletteKind palette = PaletteKind::standard;
  bool reduced_motion = false;  // nothing moves or fades by itself
  bool kernel_details = false;  // the Dashboard's Kernel Details pane; command view.kernel_details
  bool what_if = false;         // its What-if pane; command view.what_if
  std::string version;          // of the program
  std::string_view licenses;    // of what it contains; outlives the frame
  std::vector<Notice> notices;  // what the last command did, and problems; the newest one last
  Overlay overlay = Overlay::none;        // host.show_overlay
  std::string definitions_search;         // with which its definitions begin
  std::optional<FrameTimes> frame_times;  // to be shown; command view.frame_times
  // What a Host may replace while a frame is drawn is owned by the frame.
  std::shared_ptr<const std::vector<workspace::RecentFile>> recent;  // newest first; null = none
  int64_t now_s = 0;                            // UNIX time; 0 = ages are not shown
  std::shared_ptr<const FolderListing> folder;  // set while overlay is `files`; host.list_folder
  FileUse file_use = FileUse::open;             // of what is chosen there
  std::string dropped_file;                     // path; of Overlay::dropped_file
  std::span<const CommandInfo> commands;        // in the order of the menus; outlives the frame
  std::vector<workspace::RunInfo> runs;         // open runs, or one empty run; never empty
  std::size_t active_run = 0;                   // index in `runs`
  std::vector<OtherRun> other_runs;             // while the Timeline shows all runs; else none
  // While Compare is shown, the run that the active one is compared with, whatever its state, and
  // whether the active one is the run after; nullopt = no other run is open.
  std::optional<OtherRun> compared_run;
  bool is_after = false;
  // Budgets of the window; null = no file was chosen, or it is being read.
  std::shared_ptr<const workspace::LoadedBudgets> budgets;
  bool reading_budgets = false;
  std::optional<workspace::TrendModel> trend;  // while the view Trend is shown
  std::optional<workspace::RankModel> ranks;   // of the run; nullopt = it has one
  aggregate::AdviceThresholds thresholds;      // of the findings; host.set_thresholds
};

// What a view may ask the program for. Changes to a run take effect after the current frame has
// been built; it is then rebuilt before it is shown, so no panel is a frame behind.
class Host {
 public:
  virtual ~Host() = default;
  virtual void select(const aggregate::Selection& selection) = 0;
  virtual void select_in_run(workspace::RunId run, const aggregate::Selection& selection) = 0;
  // Computes only the iterations of a cut, for a look at it; nothing ends the preview.
  virtual void preview_cut(const std::optional<aggregate::Cut>& cut) = 0;
  virtual void select_iteration(std::optional<int64_t> iteration) = 0;
  virtual void select_baseline(std::optional<int64_t> iteration) = 0;
  virtual void show(ViewId view) = 0;
  virtual void show_tab(TabId tab) = 0;  // the view that it showed last in this run
  virtual void show_table(ViewId view,
                          const workspace::TableState& state) = 0;  // a view with a table like this
  virtual void run_command(std::string_view id) = 0;                // an id of the command registry
  virtual void cancel_loading() = 0;
  virtual void copy_text(const std::string& text) = 0;
  virtual void open_link(const std::string& url) = 0;
  virtual void open_file(const std::string& path) = 0;
  virtual void forget_file(const std::string& path) = 0;  // removes it from Model::recent
  virtual void show_run(std::size_t number) = 0;          // of Model::runs
  // In the view Compare: the active run with Model::runs[number], or with a file that is opened
  // beside it.
  virtual void compare_with_run(std::size_t number) = 0;
  virtual void compare_with_file(const std::string& path) = 0;
  virtual void swap_compared_runs() = 0;
  virtual void show_compared_timelines() = 0;  // their typical iterations, aligned
  virtual void choose_file(FileUse use) = 0;   // in Overlay::files
  // A capture of the trend: its run, or the file as another run. Then in Compare with another
  // capture, the one after, unless that is empty.
  virtual void show_capture(const std::string& path, const std::string& compared_with) = 0;
  virtual void remove_capture(const std::string& path) = 0;
  // A rank in all views.
  virtual void show_rank(const workspace::RankChoice& choice) = 0;
  // In the view Ranks; empty = all.
  virtual void only_ranks(const ranks::RankSet& ranks) = 0;
  // Model::ranks is to have what the timeline draws of these, as places in the figures.
  virtual void want_rank_timelines(const std::vector<std::size_t>& ranks) = 0;
  // In the Timeline of that run.
  virtual void show_in_run(workspace::RunId run, const timeline::Request& request) = 0;
  virtual void list_folder(const std::string& path) = 0;  // fills Model::folder
  virtual void show_overlay(Overlay overlay) = 0;
  // The definitions with these words.
  virtual void show_definitions(std::string_view search) = 0;
  virtual void set_thresholds(const aggregate::AdviceThresholds& thresholds) = 0;
  virtual void export_table(const TableExport& what) = 0;  // into a file, in the background
  // Into a file dlview-NAME-DATE.EXTENSION, in the background.
  virtual void save_text(const std::string& name, std::string_view extension, std::string text) = 0;
  // Part of this frame as PNG, into a file dlview-NAME-DATE.png. Notices are left out of it.
  virtual void save_picture(const std::string& name, const ItemRect& part) = 0;
  virtual void notify(std::string notice) = 0;  // Model::notice for a while
};

}  // namespace dlview::ui
