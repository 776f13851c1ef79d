// Program: the whole interactive program except for where it draws. It takes input events, holds
// the workspace and what its runs share, and draws frames into whatever framebuffer is bound, so
// the window, the screenshots and the tests run the same code. program_files.cpp opens files,
// program_frame.cpp builds frames, program.cpp does the rest.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_registry.h"
#include "app/held_keys.h"
#include "app/imgui_input.h"
#include "app/imgui_setup.h"
#include "app/notices.h"
#include "app/table_exporter.h"
#include "base/scheduler.h"
#include "render/input_event.h"
#include "render/window.h"
#include "ui/model.h"
#include "ui/run_views.h"
#include "ui/shell.h"
#include "workspace/workspace.h"

namespace dlview::app {

struct ProgramOptions {
  ui::ThemeKind theme = ui::ThemeKind::dark;
  ui::PaletteKind palette = ui::PaletteKind::standard;
  bool reduced_motion = false;
  ui::ViewId view = ui::ViewId::dashboard;
  float display_scale = 1;  // of the monitor, or as --scale says
  float zoom = 1;           // the user's, on top of it
  aggregate::AdviceThresholds thresholds = {};
  bool show_timings = true;  // false: pictures that must not differ between two runs; no notice
                             // fades, no key goes on
};

// What only the surroundings can do. All are called on the main thread, inside a frame.
struct ProgramHooks : workspace::RunSources {
  std::function<void(const std::string& url)> open_link;
  std::function<void()> quit;
};

class Program final : public ui::Host {
 public:
  // Needs a current OpenGL context, also at destruction. One Program at a time. `scheduler` runs
  // what takes longer than a frame; its wake says that poll() may have something to do.
  Program(const ProgramOptions& options, ProgramHooks hooks, base::Scheduler& scheduler);

  // Does what the action asks of the active run; while a frame is being built, when that is done.
  void act(workspace::Action action);
  void act(workspace::RunId run, workspace::Action action);
  void open(workspace::OpenRequest request);
  void open_demo() { open(hooks_.demo()); }
  void open_beside(workspace::OpenRequest request);
  void open_several(std::vector<workspace::OpenRequest> requests, std::size_t first_shown = 0);
  bool can_go_back_to_file() const { return workspace_.can_go_back(); }
  void go_back_to_file();
  // Puts down what is being looked at in the open files. Call it before the end, too.
  void remember() { workspace_.remember(); }
  void forget_files();
  void forget_file(const std::string& path) override;

  void add_input(const std::vector<render::InputEvent>& events);
  // Takes over what tasks have finished.
  void poll();
  // Blocks until the file that is loading is there for poll(), or for so long.
  void await_loading(std::chrono::milliseconds longest) const { session().await_loading(longest); }
  bool is_loading() const { return workspace_.is_loading(); }
  // A progress bar is on screen.
  bool shows_progress() const {
    return is_loading() || session().is_reading_python_frames() || is_measuring_trend() ||
           workspace_.is_busy_with_ranks();
  }
  // Nothing is loading or being computed; settle() blocks until then.
  bool settled() const;
  void settle();

  // Whether a frame drawn now could differ from the last one.
  bool wants_frame() const;
  // A held button repeats and scrolls on its own: frames are wanted as long as it is held.
  bool mouse_is_down() const { return input_.mouse_is_down(); }
  // Seconds after which a frame differs from the last one without any input; 0 = never.
  double next_change_s() const;
  // Builds a frame and draws it into the bound framebuffer. When the frame itself changed what it
  // shows (a dragged bound), it is built anew before it is drawn, so all panels always agree.
  void draw_frame(int width, int height, float seconds);

  render::CursorShape cursor() const;
  std::string title() const;

  // Of the frame that was just drawn.
  struct PictureRequest {
    std::string name;                  // of the file: dlview-NAME; empty = dlview
    std::optional<ui::ItemRect> part;  // nullopt = all
  };
  // Set when a command asked for a picture; cleared by the call.
  std::optional<PictureRequest> take_picture_request();
  void show_notice(std::string notice);
  // Stays for its time, whatever is said meanwhile.
  void show_problem(std::string notice);
  // There is no browser: the address goes onto the clipboard.
  void link_failed(const std::string& url);

  void set_display_scale(float scale);
  // Multiplies the zoom, within 0.5 .. 3; 0 resets it.
  void change_zoom(float factor);
  void toggle_theme();
  void toggle_palette();
  void toggle_reduced_motion();
  // Opens or closes the Dashboard's pane; from another view it shows the Dashboard with it.
  void toggle_kernel_details();
  void toggle_what_if();
  // Tensor Core use as a DLProf database has it, or by the present rules.
  bool can_change_tensor_core_rules() const;
  void toggle_tensor_core_rules();
  void toggle_frame_times();
  void go_back();
  void go_forward();
  void copy_state();
  // The list above the view, else the pane in it or the selection of its table; a popup closes
  // itself.
  bool can_close_something() const;
  void close_topmost();
  bool is_typing() const;
  // A control is drawn with the keyboard's ring; it uses arrows and Enter itself.
  bool has_focus_ring() const { return shell_.has_focus_ring(); }
  void open_context_menu();
  bool focus_takes_keys() const { return shell_.focus_takes_keys(); }
  void request_screenshot();
  // A page about the range, in Compare about both runs, as an HTML file.
  void save_page();
  void run(ui::TableCommand command);
  void run(ui::TimelineCommand command, double steps = 1);
  bool has_timeline_selection() const { return views().has_timeline_selection(); }
  // The Timeline is shown, and in it Python frames once they have been read.
  bool shows_frames_in_timeline() const {
    return view() == ui::ViewId::timeline && views().timeline_shows_python_frames();
  }
  bool timeline_can_set_bookmark() const { return views().timeline_can_set_bookmark(); }
  bool is_searching_timeline() const { return views().is_searching_timeline(); }
  // The Timeline is shown, and in it two iterations.
  bool is_side_by_side() const {
    return view() == ui::ViewId::timeline && views().timeline_is_side_by_side();
  }
  // Of the views Budgets and Trend.
  void choose_budgets(const std::string& path);
  bool has_budgets() const { return !workspace_.budgets().paths().budget.empty(); }
  void reload_budgets() { act(workspace::ChooseBudgets{workspace_.budgets().paths()}); }
  void measure_trend() { act(workspace::MeasureTrend{}); }
  void restore_captures() { act(workspace::RestoreCaptures{}); }
  bool has_removed_captures() const { return workspace_.trend().removed() > 0; }
  void stop_trend() { act(workspace::StopTrend{}); }
  bool is_measuring_trend() const { return workspace_.trend().is_measuring(); }
  // Of the view Ranks: a folder, a pattern, summaries, or files that are ranks of one run.
  void open_ranks(const std::vector<std::string>& names, bool shows = true);
  bool is_reading_ranks() const { return workspace_.is_reading_ranks(); }
  void stop_ranks() { act(workspace::StopRanks{}); }
  void read_ranks_again() { act(workspace::ReadRanksAgain{}); }
  bool has_ranks() const { return workspace_.has_ranks(); }
  std::optional<workspace::RankModel> ranks() const { return workspace_.ranks(); }
  // The rank before (-1) or after (1) the active one, whose profile is available.
  std::optional<workspace::RankChoice> next_rank(int step) const;
  void show_next_rank(int step);
  void show_typical_rank();
  void show_slowest_rank();
  void show_side_by_side();
  void toggle_digits();
  bool can_show_row_in_timeline() const { return views().can_show_row_in_timeline(view()); }
  void show_row_in_timeline();
  // Closes runs()[number]. Closing the only run leaves an empty one.
  void close_run(std::size_t number);
  void close_run() { close_run(active_run()); }
  void close_all_runs();
  bool can_close_run() const { return workspace_.can_close(); }
  bool shows_all_runs() const { return workspace_.shows_all(); }
  void toggle_all_runs();
  // Activates the next (step = 1) or previous (-1) run; wraps around.
  void show_next_run(int step);
  // Of the active run.
  bool wants_python_frames() const { return views().wants_python_frames(view()); }
  void read_python_frames();
  void cancel_python_frames();
  void quit() { hooks_.quit(); }

  // ui::Host
  void select(const aggregate::Selection& selection) override;
  void show(ui::ViewId view) override;
  void show_tab(ui::TabId tab) override;
  void show_table(ui::ViewId view, const workspace::TableState& state) override;
  void run_command(std::string_view id) override;
  void cancel_loading() override;
  void copy_text(const std::string& text) override;
  void open_link(const std::string& url) override;
  void open_file(const std::string& path) override;
  void open_files(const std::vector<std::string>& paths, std::size_t first_shown = 0);
  void show_run(std::size_t number) override;
  void compare_with_run(std::size_t number) override;
  void compare_with_file(const std::string& path) override;
  void swap_compared_runs() override;
  void show_compared_timelines() override;
  void choose_file(ui::FileUse use) override;
  void show_capture(const std::string& path, const std::string& compared_with) override;
  void remove_capture(const std::string& path) override { act(workspace::RemoveCapture{path}); }
  void show_rank(const workspace::RankChoice& choice) override;
  void only_ranks(const ranks::RankSet& ranks) override;
  void want_rank_timelines(const std::vector<std::size_t>& ranks) override;
  void select_in_run(workspace::RunId run, const aggregate::Selection& selection) override;
  void show_in_run(workspace::RunId run, const timeline::Request& request) override;
  void list_folder(const std::string& path) override;
  void show_overlay(ui::Overlay overlay) override;
  void show_definitions(std::string_view search) override;
  void set_thresholds(const aggregate::AdviceThresholds& thresholds) override;
  void preview_cut(const std::optional<aggregate::Cut>& cut) override;
  void select_iteration(std::optional<int64_t> iteration) override;
  void select_baseline(std::optional<int64_t> iteration) override;
  void export_table(const ui::TableExport& what) override;
  void save_text(const std::string& name, std::string_view extension, std::string text) override;
  void save_picture(const std::string& name, const ui::ItemRect& part) override;
  void notify(std::string notice) override { show_notice(std::move(notice)); }

  // Never empty; run() is shown.
  const std::vector<std::unique_ptr<workspace::Run>>& runs() const { return workspace_.runs(); }
  std::size_t active_run() const { return workspace_.active_run(); }
  const workspace::Run& run() const { return workspace_.active(); }
  const workspace::Session& session() const { return run().session; }
  const CommandRegistry& commands() const { return commands_; }
  const ui::Inspector& inspector() const { return shell_.inspector(); }
  std::string_view notice() const { return notices_.newest(); }
  const Notices& notices() const { return notices_; }
  const workspace::SelectionHistory& history() const { return run().history; }
  ui::Overlay overlay() const { return overlay_; }
  std::string state_string() const {
    return workspace::state_of(run(), workspace_.other_of(run()), workspace_.shared_files());
  }  // empty while nothing is open
  ui::ViewId view() const;
  ui::ThemeKind theme() const { return theme_; }
  ui::PaletteKind palette() const { return palette_; }
  bool reduced_motion() const { return reduced_motion_; }
  float zoom() const { return zoom_; }
  const aggregate::AdviceThresholds& thresholds() const { return thresholds_; }
  bool kernel_details() const { return run().kernel_details; }
  bool what_if() const { return run().what_if; }

 private:
  void show_rank_of(std::size_t (ranks::RunFigures::*which)() const);
  ui::RunViews& views() const { return shell_.run_views(shown().id); }
  workspace::Run& shown() { return workspace_.active(); }
  const workspace::Run& shown() const { return workspace_.active(); }
  void apply_look();
  // The model refers to `commands`.
  ui::Model describe(const std::vector<ui::CommandInfo>& commands) const;
  // The gesture of a selection made with the mouse.
  int64_t mouse_gesture() const { return 2 * gesture_ + (input_.mouse_is_down() ? 1 : 0); }
  // What is shown has changed: this frame is built anew, and some more follow.
  void changed();
  void read_recent_files();
  void open_dropped(const std::vector<render::InputEvent>& events);
  // Reopens the active run with these files of Nsight Compute, too.
  void add_counters(const std::vector<std::string>& files);
  void add_captures(const std::vector<std::string>& paths);
  // A request that reopens the active run with what it shows.
  workspace::OpenRequest reopened_as_shown(bool present_rules) const;
  void take_notices();
  void age_notices(float seconds);
  bool fades_notices() const { return show_timings_ && !reduced_motion_; }
  void hold_keys(float seconds);
  bool run(const KeyPress& press);
  std::vector<ui::CommandInfo> command_infos() const;

  ProgramHooks hooks_;
  base::Scheduler& scheduler_;
  ImGuiSetup imgui_;
  mutable ui::Shell shell_;  // which makes the views of a run that is asked for
  ImGuiInput input_;
  HeldKeys held_keys_;
  CommandRegistry commands_;
  TableExporter exporter_;

  ui::FileUse file_use_ = ui::FileUse::open;  // of what is chosen in the list of files
  std::string dropped_file_;                  // that Overlay::dropped_file asks about

  ui::ThemeKind theme_;
  ui::PaletteKind palette_;
  bool reduced_motion_;
  float display_scale_;
  float zoom_;
  aggregate::AdviceThresholds thresholds_;
  bool show_timings_;
  std::optional<PictureRequest> picture_request_;
  bool show_frame_times_ = false;
  ui::FrameTimes frame_times_;
  ui::Overlay overlay_ = ui::Overlay::none;
  std::string definitions_search_;
  std::shared_ptr<const ui::FolderListing> folder_;  // null unless overlay_ is `files`
  std::shared_ptr<const std::vector<workspace::RecentFile>> recent_files_;  // null = no memory
  int recent_changes_ = 0;  // FileMemory::changes() of recent_files_
  std::string licenses_;
  Notices notices_;

  int64_t gesture_ = 0;  // counts what a user does; a drag is one
  bool rebuild_ = false;
  bool is_building_ = false;
  struct PutOff {
    workspace::RunId run = 0;  // that was active
    workspace::Action action;
  };
  std::vector<PutOff> put_off_;  // until the frame has been built
  int frames_to_draw_ = 1;
  workspace::Workspace workspace_;
};

}  // namespace dlview::app
