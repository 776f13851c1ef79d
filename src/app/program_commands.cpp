#include "app/program_commands.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "app/program.h"
#include "profile/python_frames.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/outliers.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

constexpr float kZoomStep = 1.1f;

bool is_open(const Program& program) {
  return program.session().state() == workspace::Session::State::open;
}

const aggregate::Iterations& iterations(const Program& program) {
  return program.session().aggregation()->iteration_table->iterations;
}

void select_range(Program& program, aggregate::IterationRange range) {
  program.select(program.session().selection().with_range(range));
}

void select_all(Program& program) {
  select_range(program, {0, static_cast<int64_t>(iterations(program).rows.size()) - 1});
}

void select_steady(Program& program) {
  if (const auto& steady = program.session().steady_range()) select_range(program, *steady);
}

bool has_outliers(const Program& program) {
  const auto outliers = program.session().outliers();
  return outliers && !outliers->rows.empty();
}

// Two iterations are on screen where they stand side by side, too.
void show_compared(Program& program) {
  if (!program.is_side_by_side()) program.show(ui::ViewId::iterations);
}

template <auto kNeighbor>
void show_outlier(Program& program) {
  show_compared(program);
  const workspace::Session& session = program.session();
  program.select_iteration(kNeighbor(*session.outliers(), session.compared().iteration));
}

// The slowest of the range and the typical one where no others were chosen.
ui::ComparedIterations compared_of(const Program& program) {
  ui::Model model;
  program.session().describe(model);
  const aggregate::Aggregation& aggregation = *model.aggregation;
  const int64_t slowest = aggregate::slowest_iteration(*aggregation.whole().iteration_table,
                                                       aggregation.selection.range);
  return *ui::compared_iterations(model, slowest);
}

bool can_compare(const Program& program) {
  return program.session().outliers() && iterations(program).rows.size() > 1;
}

void compare(Program& program, std::optional<int64_t> iteration, std::optional<int64_t> baseline) {
  show_compared(program);
  program.select_iteration(iteration);
  program.select_baseline(baseline);
}

void swap_compared(Program& program) {
  const ui::ComparedIterations now = compared_of(program);
  compare(program, now.baseline, now.iteration);
}

// The shown iteration becomes the other side.
void compare_with_shown(Program& program) {
  const int64_t shown = compared_of(program).iteration;
  compare(program, shown, shown);
}

template <int kStep>
void step_iteration(Program& program) {
  const auto count = static_cast<int64_t>(iterations(program).rows.size());
  const int64_t next = compared_of(program).iteration + kStep;
  program.select_iteration((next + count) % count);
}

// The arrow keys belong to lists and to what is being typed.
bool takes_arrows(const Program& program) {
  return (program.view() == ui::ViewId::iterations || program.is_side_by_side()) &&
         can_compare(program) && !program.is_typing() && !program.focus_takes_keys() &&
         program.overlay() == ui::Overlay::none;
}

template <ui::Overlay kOverlay>
void show(Program& program) {
  program.show_overlay(kOverlay);
}

template <ui::TableCommand kCommand>
void run(Program& program) {
  program.run(kCommand);
}

template <ui::TimelineCommand kCommand>
void run(Program& program) {
  program.run(kCommand);
}

template <ui::TimelineCommand kCommand>
void go_on(Program& program, double steps) {
  program.run(kCommand, steps);
}

// Its keys are letters: what is typed comes first.
bool shows_timeline(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::timeline && !program.is_typing() &&
         program.overlay() == ui::Overlay::none;
}

bool shows_run(const Program& program) {
  return shows_timeline(program) && !program.is_side_by_side();
}

bool shows_pair(const Program& program) {
  return shows_timeline(program) && program.is_side_by_side();
}

bool can_show_pair(const Program& program) {
  const bool is_in_iterations = is_open(program) && program.view() == ui::ViewId::iterations &&
                                !program.is_typing() && program.overlay() == ui::Overlay::none;
  return shows_timeline(program) || (is_in_iterations && can_compare(program));
}

// From the Iterations with the two that are compared there.
void toggle_side_by_side(Program& program) {
  if (program.view() != ui::ViewId::timeline) return program.show_side_by_side();
  program.run(ui::TimelineCommand::side_by_side);
}

bool can_set_bookmark(const Program& program) {
  return shows_timeline(program) && program.timeline_can_set_bookmark();
}

bool has_timeline_selection(const Program& program) {
  return shows_timeline(program) && program.has_timeline_selection();
}

// While something is being typed, too.
bool can_search_timeline(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::timeline &&
         program.overlay() == ui::Overlay::none;
}

bool is_searching_timeline(const Program& program) {
  return can_search_timeline(program) && program.is_searching_timeline();
}

bool shows_tables(const Program& program) {
  return is_open(program) && ui::info(program.view()).has_tables;
}

bool shows_reports(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::cuda_summary &&
         program.session().profile()->trace.has_value();
}

bool shows_rows(const Program& program) {
  return shows_tables(program) || shows_pair(program);
}

bool shows_limits(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::limits && !program.is_typing() &&
         program.overlay() == ui::Overlay::none;
}

bool shows_groups(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::groups &&
         program.overlay() == ui::Overlay::none;
}

bool takes_group_keys(const Program& program) {
  return shows_groups(program) && !program.is_typing();
}

bool shows_trend(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::trend;
}

void add_captures(Program& program) {
  program.show(ui::ViewId::trend);
  program.choose_file(ui::FileUse::captures);
}

bool has_frames(const Program& program) {
  return is_open(program) && profile::python_frame_count(*program.session().profile()) > 0;
}

bool shows_stacks(const Program& program) {
  return has_frames(program) && program.view() == ui::ViewId::stacks;
}

// By what is shown: Python stacks, operators by call stack, or the Timeline with Python frames.
bool needs_frames(const Program& program) {
  return has_frames(program) &&
         (program.wants_python_frames() || program.shows_frames_in_timeline());
}

bool reads_frames(const Program& program) {
  return is_open(program) && program.session().is_reading_python_frames();
}

bool can_read_frames(const Program& program) {
  return needs_frames(program) && !reads_frames(program) && !program.session().has_python_frames();
}

bool can_step_rank(const Program& program) {
  return is_open(program) && !program.is_typing() && program.overlay() == ui::Overlay::none &&
         program.next_rank(1).has_value();
}

bool has_several_runs(const Program& program) {
  return program.runs().size() > 1;
}

// Ctrl+C and Ctrl+A belong to a text that is being typed.
bool takes_keys(const Program& program) {
  return shows_rows(program) && !program.is_typing();
}

// In the order of the menus. Those of the views come before kFirstOfViewMenu.
constexpr std::string_view kFirstOfViewMenu = "view.kernel_details";

std::vector<ProgramCommand> fixed_commands() {
  return {
      {"file.open", "Open file…", "Ctrl+O", "File", "Open a profile in place of the current one.",
       show<ui::Overlay::files>},
      {"file.open_another", "Open another profile…", "Ctrl+Shift+O", "File",
       "Open another profile; this one stays open.",
       [](Program& p) { p.choose_file(ui::FileUse::open_beside); }, is_open},
      {"file.compare", "Compare with…", "", "File",
       "Open another profile and show what changed from this one to it.",
       [](Program& p) { p.choose_file(ui::FileUse::compare); }, is_open},
      {"file.check_budgets", "Check budgets…", "", "File",
       "Choose a budget file and show which budgets the run keeps.",
       [](Program& p) { p.choose_file(ui::FileUse::budgets); }, is_open},
      {"budgets.reload", "Read budgets again", "", "",
       "Read the budget file and its baseline again.", [](Program& p) { p.reload_budgets(); },
       [](const Program& p) { return p.has_budgets(); }},
      {"trend.add", "Add captures…", "", "File", "Add captures of the same program to the trend.",
       add_captures, is_open},
      {"trend.measure", "Measure captures again", "", "",
       "Read and measure all captures of the trend again.", [](Program& p) { p.measure_trend(); },
       shows_trend},
      {"trend.cancel", "Stop measuring captures", "", "", "Stop measuring captures of the trend.",
       [](Program& p) { p.stop_trend(); }, [](const Program& p) { return p.is_measuring_trend(); }},
      {"ranks.open", "Open ranks…", "", "File",
       "Open a folder with the profiles of all ranks of a run.",
       [](Program& p) { p.choose_file(ui::FileUse::ranks); }},
      {"ranks.read", "Read ranks again", "", "", "Read all files of the run of ranks again.",
       [](Program& p) { p.read_ranks_again(); }, [](const Program& p) { return p.has_ranks(); }},
      {"ranks.cancel", "Stop reading ranks", "", "", "Stop reading the files of the ranks.",
       [](Program& p) { p.stop_ranks(); }, [](const Program& p) { return p.is_reading_ranks(); }},
      {"file.demo", "Open demo profile", "", "File",
       "Generate a synthetic training run and open it.", [](Program& p) { p.open_demo(); }},
      {"file.back", "Return to last profile", "", "File",
       "Open the profile that was open before a file failed to open.",
       [](Program& p) { p.go_back_to_file(); },
       [](const Program& p) { return p.can_go_back_to_file(); }},
      {"file.next", "Show next profile", "Ctrl+Tab", "File", "Switch to the next open profile.",
       [](Program& p) { p.show_next_run(1); }, has_several_runs},
      {"file.previous", "Show previous profile", "Ctrl+Shift+Tab", "File",
       "Switch to the previous open profile.", [](Program& p) { p.show_next_run(-1); },
       has_several_runs},
      {"file.close", "Close profile", "Ctrl+W", "File",
       "Close the current profile and free its memory.", [](Program& p) { p.close_run(); },
       [](const Program& p) { return p.can_close_run(); }},
      {"file.copy_state", "Copy state", "Ctrl+Shift+C", "File",
       "Copy the current view as a --state string.", [](Program& p) { p.copy_state(); }, is_open},
      {"file.screenshot", "Take screenshot", "F12", "File", "Save the window as a PNG image.",
       [](Program& p) { p.request_screenshot(); }},
      {"file.save_page", "Save as HTML page", "", "File",
       "Save a page about the range, or about both compared profiles, that opens in any browser.",
       [](Program& p) { p.save_page(); }, is_open},
      {"file.quit", "Quit dlview", "Ctrl+Q", "File", "Close all profiles and the window.",
       [](Program& p) { p.quit(); }},
      {"range.all", "Select all iterations", "Ctrl+Shift+A", "Range",
       "Set the range to all iterations.", select_all, is_open},
      {"range.steady", "Select steady state", "Ctrl+Shift+S", "Range",
       "Set the range to the iterations after warm-up, without outliers.", select_steady,
       [](const Program& p) { return is_open(p) && p.session().steady_range().has_value(); }},
      {"range.reset", "Reset range", "Ctrl+R", "Range",
       "Restore the range and iteration marker of the file.",
       [](Program& p) { p.select(p.session().first_selection()); }, is_open},
      {"range.back", "Undo range change", "Alt+Left", "Range",
       "Go back to the previous range and iteration marker.", [](Program& p) { p.go_back(); },
       [](const Program& p) { return p.history().can_go_back(); }},
      {"range.forward", "Redo range change", "Alt+Right", "Range",
       "Go forward to the next range and iteration marker.", [](Program& p) { p.go_forward(); },
       [](const Program& p) { return p.history().can_go_forward(); }},
      {"iterations.next_outlier", "Show next outlier", "Alt+Down", "Range",
       "Show the next outlier and compare it.", show_outlier<ui::next_outlier>, has_outliers},
      {"iterations.previous_outlier", "Show previous outlier", "Alt+Up", "Range",
       "Show the previous outlier and compare it.", show_outlier<ui::previous_outlier>,
       has_outliers},
      {"iterations.next", "Compare next iteration", "Right", "Range",
       "Compare the iteration after this one.", step_iteration<1>, takes_arrows},
      {"iterations.previous", "Compare previous iteration", "Left", "Range",
       "Compare the iteration before this one.", step_iteration<-1>, takes_arrows},
      {"iterations.slowest", "Compare slowest to typical", "Alt+S", "Range",
       "Compare the slowest iteration of the range with the typical one.",
       [](Program& p) { compare(p, std::nullopt, std::nullopt); }, can_compare},
      {"iterations.compare_with", "Use as baseline", "Alt+C", "Range",
       "Compare other iterations with the shown one.", compare_with_shown, can_compare},
      {"iterations.swap", "Swap compared iterations", "Alt+X", "Range",
       "Exchange the two iterations that are compared.", swap_compared, can_compare},
      {"view.kernel_details", "Show kernel details", "Ctrl+Shift+K", "View",
       "Show the kernel pane of the Dashboard.", [](Program& p) { p.toggle_kernel_details(); }},
      {"view.what_if", "Show what-if", "Ctrl+Shift+I", "View",
       "Show what the range could gain at most without some costs, or with faster ops.",
       [](Program& p) { p.toggle_what_if(); }},
      {"view.tensor_core_rules", "Use dlview's rules", "", "View",
       "Classify Tensor Core kernels by dlview's rules instead of the database flags.",
       [](Program& p) { p.toggle_tensor_core_rules(); },
       [](const Program& p) { return p.can_change_tensor_core_rules(); }},
      {"view.theme", "Switch theme", "Ctrl+T", "View",
       "Switch between the dark and the light theme.", [](Program& p) { p.toggle_theme(); }},
      {"view.colorblind", "Use color-blind palette", "", "View",
       "Use category colors that differ without red and green.",
       [](Program& p) { p.toggle_palette(); }},
      {"view.reduced_motion", "Reduce motion", "", "View",
       "Show notices and progress bars without animation.",
       [](Program& p) { p.toggle_reduced_motion(); }},
      {"view.zoom_in", "Enlarge interface", "Ctrl++", "View", "Make text and controls larger.",
       [](Program& p) { p.change_zoom(kZoomStep); }},
      {"view.zoom_out", "Shrink interface", "Ctrl+-", "View", "Make text and controls smaller.",
       [](Program& p) { p.change_zoom(1 / kZoomStep); }},
      {"view.zoom_reset", "Reset interface size", "Ctrl+0", "View", "Use the scale of the monitor.",
       [](Program& p) { p.change_zoom(0); }},
      {"view.frame_times", "Show frame times", "Ctrl+Shift+F", "View",
       "Show how long the last frame took.", [](Program& p) { p.toggle_frame_times(); }},
      {"view.close", "Close or deselect", "Escape", "",
       "Close the overlay, then the pane, then clear the selection.",
       [](Program& p) { p.close_topmost(); },
       [](const Program& p) { return p.can_close_something(); }},
      {"go.context_menu", "Open context menu", "Shift+F10", "View",
       "Open the context menu of the focused control.", [](Program& p) { p.open_context_menu(); },
       [](const Program& p) { return p.has_focus_ring(); }},
      {"ranks.next", "Show next rank", "]", "View", "Open the profile of the next rank.",
       [](Program& p) { p.show_next_rank(1); }, can_step_rank},
      {"ranks.previous", "Show previous rank", "[", "View",
       "Open the profile of the previous rank.", [](Program& p) { p.show_next_rank(-1); },
       can_step_rank},
      {"timeline.zoom_in", "Zoom in", "W", "Timeline", "Show a shorter time around the pointer.",
       run<ui::TimelineCommand::zoom_in>, shows_timeline, go_on<ui::TimelineCommand::zoom_in>},
      {"timeline.zoom_out", "Zoom out", "S", "Timeline", "Show a longer time around the pointer.",
       run<ui::TimelineCommand::zoom_out>, shows_timeline, go_on<ui::TimelineCommand::zoom_out>},
      {"timeline.pan_left", "Pan left", "A", "Timeline", "Show an earlier time.",
       run<ui::TimelineCommand::pan_left>, shows_timeline, go_on<ui::TimelineCommand::pan_left>},
      {"timeline.pan_right", "Pan right", "D", "Timeline", "Show a later time.",
       run<ui::TimelineCommand::pan_right>, shows_timeline, go_on<ui::TimelineCommand::pan_right>},
      {"timeline.show_selection", "Show selection", "F", "Timeline",
       "Bring the selected event or time into view.", run<ui::TimelineCommand::show_selection>,
       has_timeline_selection},
      {"timeline.zoom_to_selection", "Zoom to selection", "Z", "Timeline",
       "Fill the window with the selected event or time.",
       run<ui::TimelineCommand::zoom_to_selection>, has_timeline_selection},
      {"timeline.whole_run", "Show whole run", "Home", "Timeline", "Zoom out to the whole run.",
       run<ui::TimelineCommand::whole_run>, shows_timeline},
      {"timeline.back", "Show previous time", "Backspace", "Timeline",
       "Return to the time that was shown before.", run<ui::TimelineCommand::back>, shows_timeline},
      {"timeline.next", "Select next occurrence", "N", "Timeline",
       "Select the next event of the lane with the same name.", run<ui::TimelineCommand::next>,
       has_timeline_selection},
      {"timeline.previous", "Select previous occurrence", "P", "Timeline",
       "Select the previous event of the lane with the same name.",
       run<ui::TimelineCommand::previous>, has_timeline_selection},
      {"timeline.measure", "Measure time", "M", "Timeline",
       "Click two event edges to measure the time between them.", run<ui::TimelineCommand::measure>,
       shows_timeline},
      {"timeline.filter_time", "Filter to selected time", "", "Timeline",
       "Filter all views to the selected time.", run<ui::TimelineCommand::filter_time>,
       [](const Program& p) { return shows_run(p) && p.has_timeline_selection(); }},
      {"timeline.search", "Search events", "Ctrl+F", "Timeline",
       "Find events by part of their name and dim all others.", run<ui::TimelineCommand::search>,
       can_search_timeline},
      {"timeline.next_hit", "Select next match", "F3", "Timeline",
       "Select the next event that matches the search.", run<ui::TimelineCommand::next_hit>,
       is_searching_timeline},
      {"timeline.previous_hit", "Select previous match", "Shift+F3", "Timeline",
       "Select the previous event that matches the search.", run<ui::TimelineCommand::previous_hit>,
       is_searching_timeline},
      {"timeline.gaps", "Show idle gaps", "G", "Timeline",
       "List the longest GPU idle gaps below the lanes.", run<ui::TimelineCommand::gaps>,
       shows_run},
      {"timeline.bookmark", "Add bookmark", "B", "Timeline",
       "Mark the selection, or else the visible time, with a note.",
       run<ui::TimelineCommand::bookmark>, can_set_bookmark},
      {"timeline.bookmarks", "Show bookmarks", "Shift+B", "Timeline",
       "List the bookmarks below the lanes.", run<ui::TimelineCommand::bookmarks>, shows_run},
      {"timeline.colours", "Cycle colors", "C", "Timeline",
       "Cycle event colors through category, op type, op name and direction.",
       run<ui::TimelineCommand::next_colors>, shows_timeline},
      {"timeline.colours_category", "Color by category", "", "",
       "Color events by what they do: kernels, memory, API calls.",
       run<ui::TimelineCommand::color_by_category>, shows_timeline},
      {"timeline.colours_op_type", "Color by op type", "", "",
       "Color events by the type of their op.", run<ui::TimelineCommand::color_by_op_type>,
       shows_timeline},
      {"timeline.colours_op", "Color by op name", "", "", "Color events by the name of their op.",
       run<ui::TimelineCommand::color_by_op>, shows_timeline},
      {"timeline.colours_direction", "Color by direction", "", "",
       "Color forward and backward events differently.",
       run<ui::TimelineCommand::color_by_direction>, shows_timeline},
      {"timeline.python_frames", "Show Python frames", "Y", "Timeline",
       "Show or hide the Python frames of each thread.", run<ui::TimelineCommand::python_frames>,
       [](const Program& p) { return shows_timeline(p) && has_frames(p); }},
      {"timeline.side_by_side", "Compare iterations", "I", "Timeline",
       "Show two aligned iterations and their differences.", toggle_side_by_side, can_show_pair},
      {"timeline.all_profiles", "Show all profiles", "O", "Timeline",
       "Show all open profiles on one time axis.", [](Program& p) { p.toggle_all_runs(); },
       [](const Program& p) { return shows_run(p) && has_several_runs(p); }},
      {"timeline.differences", "Switch ops/kernels", "K", "Timeline",
       "List the differences of two iterations by op or by kernel.",
       run<ui::TimelineCommand::differences>, shows_pair},
      {"table.search", "Search table", "Ctrl+F", "Table", "Find rows by a text in any column.",
       run<ui::TableCommand::search>, shows_tables},
      {"table.filters", "Show column filters", "Ctrl+Shift+L", "Table",
       "Show or hide a filter below each header.", run<ui::TableCommand::filters>, shows_rows},
      {"table.copy", "Copy rows", "Ctrl+C", "Table",
       "Copy the selected rows as tab-separated text.", run<ui::TableCommand::copy>, takes_keys},
      {"table.select_all", "Select all rows", "Ctrl+A", "Table",
       "Select all rows that match the filters.", run<ui::TableCommand::select_all>, takes_keys},
      {"table.next", "Focus next table", "F6", "Table", "Focus the next table.",
       run<ui::TableCommand::next>, shows_tables},
      {"table.next_report", "Show next report", "Ctrl+PageDown", "Table",
       "Show the next report of the CUDA summary.", run<ui::TableCommand::next_report>,
       shows_reports},
      {"table.previous_report", "Show previous report", "Ctrl+PageUp", "Table",
       "Show the previous report of the CUDA summary.", run<ui::TableCommand::previous_report>,
       shows_reports},
      {"stacks.style", "Switch stack chart", "", "Table",
       "Cycle Python stacks through icicle, sunburst and table.",
       run<ui::TableCommand::next_stack_style>, shows_stacks},
      {"stacks.icicle", "Show stack icicle", "", "",
       "Show Python stacks as boxes below their caller.", run<ui::TableCommand::stack_icicle>,
       shows_stacks},
      {"stacks.sunburst", "Show stack sunburst", "", "", "Show Python stacks as rings.",
       run<ui::TableCommand::stack_sunburst>, shows_stacks},
      {"stacks.table", "Show stack table", "", "", "Show Python stacks as a tree of rows.",
       run<ui::TableCommand::stack_table>, shows_stacks},
      {"stacks.measure", "Switch wall/GPU time", "", "Table",
       "Size Python frames by wall time or by the GPU time of the kernels they launch.",
       run<ui::TableCommand::stack_measure>, shows_stacks},
      {"stacks.internal", "Hide internal frames", "", "Table",
       "Leave out built-in functions and torch frames that only wrap another call.",
       run<ui::TableCommand::stack_internal>, shows_stacks},
      {"stacks.read", "Read Python frames", "", "", "Read the Python frames of the file.",
       [](Program& p) { p.read_python_frames(); }, can_read_frames},
      {"stacks.cancel", "Stop reading frames", "", "",
       "Stop reading the Python frames of the file.", [](Program& p) { p.cancel_python_frames(); },
       reads_frames},
      {"groups.colors", "Cycle group colors", "C", "Table",
       "Color the icicle by category, Tensor Core use, time or GPU.",
       run<ui::TableCommand::next_group_coloring>, takes_group_keys},
      {"groups.fit", "Fit selected group", "F", "Table",
       "Fill the width of the icicle with the selected group, or show all.",
       run<ui::TableCommand::group_fit>, takes_group_keys},
      {"groups.next_match", "Select next group", "F3", "Table",
       "Select the next group or op that matches the search, longest first.",
       run<ui::TableCommand::next_group_match>, shows_groups},
      {"groups.previous_match", "Select previous group", "Shift+F3", "Table",
       "Select the previous group or op that matches the search.",
       run<ui::TableCommand::previous_group_match>, shows_groups},
      {"groups.save_png", "Save icicle as PNG", "", "Table", "Save the icicle of groups as PNG.",
       run<ui::TableCommand::group_save_png>, shows_groups},
      {"limits.fit", "Fit plot", "F", "Table", "Show all marks and roofs of the roofline.",
       run<ui::TableCommand::limits_fit>, shows_limits},
      {"limits.timeline", "Show longest launch", "T", "Table",
       "Show the longest launch of the selected row in the Timeline.",
       run<ui::TableCommand::limits_timeline>, shows_limits},
      {"limits.open", "Open in its table", "", "Table",
       "Show the selected op, kernel or group in its own table.",
       run<ui::TableCommand::limits_open>, shows_limits},
      {"limits.by_op", "Show limits by op", "", "", "Show one mark per op.",
       run<ui::TableCommand::limits_by_op>, shows_limits},
      {"limits.by_kernel", "Show limits by kernel", "", "", "Show one mark per kernel name.",
       run<ui::TableCommand::limits_by_kernel>, shows_limits},
      {"limits.by_shape", "Show limits by shape", "", "", "Show one mark per op and input shape.",
       run<ui::TableCommand::limits_by_shape>, shows_limits},
      {"limits.by_group", "Show limits by group", "", "", "Show one mark per group of ops.",
       run<ui::TableCommand::limits_by_group>, shows_limits},
      {"limits.rule", "Switch limit rule", "", "Table",
       "Cycle through best evidence, FLOP/s, busy counters, intensity and Speed of Light.",
       run<ui::TableCommand::limits_rule>, shows_limits},
      {"limits.all_roofs", "Show all roofs", "", "Table",
       "Show or hide roofs of number formats that no row has.",
       run<ui::TableCommand::limits_all_roofs>, shows_limits},
      {"limits.evidence", "Show evidence", "", "Table",
       "Show or hide numbers, origins and formulas of the selected row.",
       run<ui::TableCommand::limits_evidence>, shows_limits},
      {"limits.pin", "Pin as baseline", "", "Table",
       "Keep the selected row as a ghost mark, or remove it.", run<ui::TableCommand::limits_pin>,
       shows_limits},
      {"limits.copy_shapes", "Copy shapes as CSV", "", "Table",
       "Copy shapes, calls and times of the selected rows, or of all.",
       run<ui::TableCommand::limits_copy_shapes>, shows_limits},
      {"limits.save_svg", "Save plot as SVG", "", "Table", "Save the roofline as an SVG image.",
       run<ui::TableCommand::limits_save_svg>, shows_limits},
      {"limits.save_png", "Save plot as PNG", "", "Table", "Save the roofline as a PNG image.",
       run<ui::TableCommand::limits_save_png>, shows_limits},
      {"table.reset", "Clear filters", "Ctrl+Shift+X", "Table",
       "Clear search and filters, reset sorting.", run<ui::TableCommand::reset>, shows_rows},
      {"table.digits", "Show full numbers", "Ctrl+D", "Table",
       "Show times in ns and sizes in bytes instead of three digits.",
       [](Program& p) { p.toggle_digits(); }, shows_rows},
      {"table.show_in_timeline", "Show in Timeline", "Ctrl+Shift+T", "Table",
       "Show the selected row, or its longest event, in the Timeline.",
       [](Program& p) { p.show_row_in_timeline(); },
       [](const Program& p) { return shows_tables(p) && p.can_show_row_in_timeline(); }},
      {"go.command", "Find command…", "Ctrl+Shift+P", "Help",
       "List all commands; type to filter them.", show<ui::Overlay::commands>},
      {"go.anything", "Go to…", "Ctrl+K", "View",
       "Find an iteration by number, or an op, kernel or report by name.", show<ui::Overlay::jump>,
       is_open},
      {"help.keys", "Show keyboard shortcuts", "F1", "Help",
       "List shortcuts and mouse gestures, and search them.", show<ui::Overlay::keys>},
      {"help.definitions", "Show definitions", "Shift+F1", "Help",
       "List every number with its definition, and search them.", show<ui::Overlay::definitions>},
      {"help.data_quality", "Show data quality", "", "Help", "List missing data and skipped rows.",
       show<ui::Overlay::data_quality>, is_open},
      {"help.thresholds", "Edit thresholds…", "", "Help",
       "Change when the Dashboard lists a finding.", show<ui::Overlay::thresholds>},
      {"help.about", "About dlview", "", "Help", "Show version and licenses.",
       show<ui::Overlay::about>},
  };
}

}  // namespace

std::vector<ProgramCommand> program_commands() {
  std::vector<ProgramCommand> commands = fixed_commands();
  std::vector<ProgramCommand> shown;
  for (const ui::TabInfo& tab : ui::tabs()) {
    const std::span<const ui::ViewInfo> views = ui::views_of(tab.id);
    const bool is_alone = views.size() == 1;
    if (!is_alone) {
      shown.push_back({ui::command_of(tab), tab.title, tab.shortcut, "View", tab.help,
                       [id = tab.id](Program& program) { program.show_tab(id); }});
    }
    for (const ui::ViewInfo& view : views) {
      ProgramCommand command{fmt::format("view.{}", view.name),
                             view.title,
                             view.shortcut,
                             is_alone ? "View" : "",
                             view.help,
                             [id = view.id](Program& program) { program.show(id); }};
      if (tab.exists || view.exists || tab.is_of_ranks) {
        command.enabled = [id = view.id](const Program& program) {
          if (!is_open(program))
            return ui::info(ui::info(id).tab).is_of_ranks && program.has_ranks();
          return ui::is_view_of(*program.session().profile(), id, program.has_ranks());
        };
      }
      shown.push_back(std::move(command));
    }
  }
  commands.insert(std::ranges::find(commands, kFirstOfViewMenu, &ProgramCommand::id),
                  std::make_move_iterator(shown.begin()), std::make_move_iterator(shown.end()));
  return commands;
}

void add_program_commands(CommandRegistry& commands, Program& program) {
  for (const ProgramCommand& command : program_commands()) {
    std::function<bool()> enabled;
    if (command.enabled) enabled = [&program, ask = command.enabled] { return ask(program); };
    CommandRegistry::GoOn goes_on;
    if (command.go_on) {
      goes_on = [&program, go = command.go_on](double steps) { go(program, steps); };
    }
    commands.add(
        {command.id, command.title, command.shortcut, command.menu, command.help},
        [&program, run = command.run] { run(program); }, std::move(enabled), std::move(goes_on));
  }
}

std::string commands_as_markdown() {
  std::string text = "| keys | command | what it does | id |\n|---|---|---|---|\n";
  for (const ProgramCommand& command : program_commands()) {
    text += fmt::format("| {} | {} | {} | `{}` |\n", command.shortcut, command.title, command.help,
                        command.id);
  }
  return text;
}

}  // namespace dlview::app
