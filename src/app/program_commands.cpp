#include "app/program_commands.h"

#include "aggregate/advice.h"
#include "app/program.h"

namespace dlview::app {
namespace {

constexpr float kZoomStep = 1.1f;

void select_range(Program& program, aggregate::IterationRange range) {
  program.select({program.session().selection().cut, range});
}

void select_all(Program& program) {
  const auto& iterations = program.session().aggregation()->iteration_table->iterations.rows;
  select_range(program, {0, static_cast<int64_t>(iterations.size()) - 1});
}

void select_steady(Program& program) {
  const auto& table = *program.session().aggregation()->iteration_table;
  if (const auto steady = aggregate::steady_range(table.iterations)) select_range(program, *steady);
}

void add_file_commands(CommandRegistry& commands, Program& program) {
  commands.add({"file.demo", "Open the demo", "", "File"}, [&program] { program.open_demo(); });
  commands.add({"file.screenshot", "Screenshot", "F12", "File"},
               [&program] { program.request_screenshot(); });
  commands.add({"file.quit", "Quit", "Ctrl+Q", "File"}, [&program] { program.quit(); });
}

void add_range_commands(CommandRegistry& commands, Program& program) {
  const auto open = [&program] { return program.session().state() == Session::State::open; };
  commands.add(
      {"range.all", "All iterations", "Ctrl+Shift+A", "Range"}, [&program] { select_all(program); },
      open);
  commands.add(
      {"range.steady", "Steady range", "", "Range"}, [&program] { select_steady(program); }, open);
  commands.add(
      {"range.reset", "As opened", "Ctrl+R", "Range"},
      [&program] { program.select(program.session().first_selection()); }, open);
}

void add_view_commands(CommandRegistry& commands, Program& program) {
  commands.add({"view.dashboard", "Dashboard", "Ctrl+1", "View"},
               [&program] { program.show(ui::ViewId::dashboard); });
  commands.add({"view.iterations", "Iterations", "Ctrl+2", "View"},
               [&program] { program.show(ui::ViewId::iterations); });
  commands.add({"view.kernel_details", "Kernel Details", "Ctrl+Shift+K", "View"},
               [&program] { program.toggle_kernel_details(); });
  commands.add({"view.theme", "Dark or light", "Ctrl+T", "View"},
               [&program] { program.toggle_theme(); });
  commands.add({"view.zoom_in", "Larger", "Ctrl++", "View"},
               [&program] { program.change_zoom(kZoomStep); });
  commands.add({"view.zoom_out", "Smaller", "Ctrl+-", "View"},
               [&program] { program.change_zoom(1 / kZoomStep); });
  commands.add({"view.zoom_reset", "Normal size", "Ctrl+0", "View"},
               [&program] { program.change_zoom(0); });
}

}  // namespace

void add_program_commands(CommandRegistry& commands, Program& program) {
  add_file_commands(commands, program);
  add_range_commands(commands, program);
  add_view_commands(commands, program);
}

}  // namespace dlview::app
