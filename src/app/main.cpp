// The command line of dlview.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command_tree.h"
#include "app/commands/commands.h"
#include "app/completion.h"
#include "app/terminal_output.h"
#include "app/usage_errors.h"
#include "base/exceptions.h"
#include "base/names_to_remove.h"

namespace dlview::app {
namespace {

// The window's own options would have no effect on a command.
void refuse_misplaced_options(const CLI::App& program) {
  for (const CLI::App* command : program.get_subcommands()) {
    for (const CLI::Option* option : program.get_options()) {
      if (option->count() == 0) continue;
      throw CLI::ValidationError(option->get_name(), "must come after the command: dlview " +
                                                         command->get_name() + " ...");
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
  WindowProgramOptions window;
  ChosenCommand chosen;
  bind_program(program, window, chosen);
  program.failure_message(usage_error_text);
  if (is_completion_request(arguments)) return print_completions(program, arguments);
  arguments = join_recorded_program(program, std::move(arguments));
  std::ranges::reverse(arguments);  // as CLI11 takes them
  try {
    program.parse(std::move(arguments));
    refuse_misplaced_options(program);
  } catch (const CLI::ParseError& error) {
    const bool names_file = program.get_subcommands().empty() && !window.paths.empty();
    const auto refused = names_file ? unknown_command(program, window.paths.front()) : std::nullopt;
    return refused && error.get_exit_code() != 0 ? unusable(*refused) : exit_code(program, error);
  }
  if (program.get_subcommands().empty() && !window.paths.empty()) {
    const auto unknown = unknown_command(program, window.paths.front());
    if (unknown) return unusable(*unknown);
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
