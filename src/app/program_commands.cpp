#include "app/program_commands.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "app/program.h"
#include "app/view_commands.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/outliers.h"
#include "ui/view.h"

namespace dlview::app {
namespace {

constexpr float kZoomStep = 1.1f;

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

bool shows_trend(const Program& program) {
  return is_open(program) && program.view() == ui::ViewId::trend;
}

void add_captures(Program& program) {
  program.show(ui::ViewId::trend);
  program.choose_file(ui::FileUse::captures);
}

bool can_step_rank(const Program& program) {
  return is_open(program) && !program.is_typing() && program.overlay() == ui::Overlay::none &&
         program.next_rank(1).has_value();
}

// Of the menus File, Range and View.
std::vector<ProgramCommand> main_commands() {
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
      {"trend.restore", "Restore removed captures", "", "",
       "Restore all captures that were removed from the trend.",
       [](Program& p) { p.restore_captures(); },
       [](const Program& p) { return shows_trend(p) && p.has_removed_captures(); }},
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
      {"ranks.typical", "Show typical rank", "", "View",
       "Open the profile of the rank with median own work.",
       [](Program& p) { p.show_typical_rank(); }, can_step_rank},
      {"ranks.slowest", "Show slowest rank", "", "View",
       "Open the profile of the rank with the most own work.",
       [](Program& p) { p.show_slowest_rank(); }, can_step_rank},
      {"ranks.previous", "Show previous rank", "[", "View",
       "Open the profile of the previous rank.", [](Program& p) { p.show_next_rank(-1); },
       can_step_rank},
  };
}

std::vector<ProgramCommand> help_commands() {
  return {
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

// In the order of the menus. Those of tabs and views come before kFirstOfViewMenu.
constexpr std::string_view kFirstOfViewMenu = "view.kernel_details";

std::vector<ProgramCommand> fixed_commands() {
  std::vector<ProgramCommand> commands = main_commands();
  std::ranges::move(view_commands(), std::back_inserter(commands));
  std::ranges::move(help_commands(), std::back_inserter(commands));
  return commands;
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
