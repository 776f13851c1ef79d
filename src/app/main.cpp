// The command line of dlview.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/cache.h"
#include "app/commands/common.h"
#include "app/commands/compare.h"
#include "app/commands/generate.h"
#include "app/commands/info.h"
#include "app/commands/report.h"
#include "app/commands/stats.h"
#include "app/commands/table.h"
#include "app/commands/verify.h"
#include "app/drive.h"
#include "app/licenses.h"
#include "app/list_commands.h"
#include "app/list_definitions.h"
#include "app/screenshot.h"
#include "app/terminal_output.h"
#include "app/usage_errors.h"
#include "app/window_program.h"
#include "base/exceptions.h"
#include "base/names_to_remove.h"

namespace dlview::app {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  dlview run.sqlite                            open it in the window\n"
    "  dlview run.sqlite --iterations 50:100        look at these iterations\n"
    "  dlview report run.sqlite --output-dir out    DLProf's eight reports as CSV and JSON\n"
    "  dlview table run.sqlite --table op_nodes     every op with its times, as CSV\n"
    "  dlview screenshot run.sqlite -o run.png      the Dashboard, without a display\n"
    "In the window F1 lists the keys, and Ctrl+Shift+P finds every command.";

// The window's own options would have no effect on a command.
void refuse_misplaced_options(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    for (const CLI::Option* option : program.get_options()) {
      if (option->count() == 0) continue;
      throw CLI::ValidationError(
          option->get_name(),
          "stands before the command. Write it behind: dlview " + command->get_name() + " ...");
    }
  }
}

// "dlview help" and "dlview help info" are "dlview --help" and "dlview info --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() || arguments.front() != "help" || std::filesystem::exists("help")) {
    return arguments;
  }
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

int run(std::vector<std::string> arguments) {
  CLI::App program{"dlview: a viewer for profiles of deep-learning runs", "dlview"};
  program.set_version_flag("--version", "dlview " DLVIEW_VERSION);
  WindowProgramOptions window;
  bind_window(program, window);
  ChosenCommand chosen = [&window] { return run_window(window); };
  program.add_flag_callback(
      "--licenses", [&chosen] { chosen = print_licenses; },
      "Print the licences of what the binary contains and exit");
  bind_info(program, chosen);
  bind_verify(program, chosen);
  bind_report(program, chosen);
  bind_table(program, chosen);
  bind_stats(program, chosen);
  bind_generate(program, chosen);
  bind_screenshot(program, chosen);
  bind_drive(program, chosen);
  bind_compare(program, chosen);
  bind_cache(program, chosen);
  bind_list_definitions(program, chosen);
  bind_list_commands(program, chosen);
  program.footer(kFooter);  // behind the commands, which would take it over
  program.require_subcommand(0, 1);
  program.failure_message(usage_error_text);
  std::ranges::reverse(arguments);  // as CLI11 takes them
  try {
    program.parse(std::move(arguments));
    refuse_misplaced_options(program);
  } catch (const CLI::ExtrasError& error) {
    if (!program.get_subcommands().empty()) return exit_code(program, error);
    if (!window.path) return exit_code(program, error);
    auto refused = unknown_command(program, *window.path);
    if (!refused) refused = several_files(program, *window.path);
    return refused ? unusable(*refused) : exit_code(program, error);
  } catch (const CLI::ParseError& error) {
    return exit_code(program, error);
  }
  if (program.get_subcommands().empty() && window.path) {
    if (const auto unknown = unknown_command(program, *window.path)) return unusable(*unknown);
  }
  return chosen();
}

}  // namespace
}  // namespace dlview::app

int main(int argc, char** argv) {
  using namespace dlview;
  base::remove_names_on_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  const app::PrintableTerminals terminals;
  try {
    return app::finish_output(app::run(app::arguments_of(argc, argv)));
  } catch (...) {
    return app::unusable(base::error_of_current_exception());
  }
}
