#include "app/view_commands.h"

#include "app/program.h"
#include "profile/python_frames.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

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

bool shows_ranks(const Program& program) {
  return program.view() == ui::ViewId::ranks && program.has_ranks() && !program.is_typing() &&
         program.overlay() == ui::Overlay::none;
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

// Ctrl+C and Ctrl+A belong to a text that is being typed.
bool takes_keys(const Program& program) {
  return shows_rows(program) && !program.is_typing();
}

}  // namespace

bool is_open(const Program& program) {
  return program.session().state() == workspace::Session::State::open;
}

bool can_compare(const Program& program) {
  return program.session().outliers() &&
         program.session().aggregation()->iteration_table->iterations.rows.size() > 1;
}

bool has_several_runs(const Program& program) {
  return program.runs().size() > 1;
}

std::vector<ProgramCommand> view_commands() {
  return {
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
      {"ranks.next_skew", "Show next skewed collective", "Shift+N", "Table",
       "Show the next collective with waiting ranks in the rank timeline.",
       run<ui::TableCommand::ranks_next_skew>, shows_ranks},
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
  };
}

}  // namespace dlview::app
