// The command line of dlview.

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "app/commands/common.h"
#include "app/commands/generate.h"
#include "app/commands/info.h"
#include "app/commands/report.h"
#include "app/commands/verify.h"
#include "app/drive.h"
#include "app/licenses.h"
#include "app/screenshot.h"
#include "app/window_program.h"

int main(int argc, char** argv) {
  using namespace dlview::app;

  CLI::App program{"dlview: a viewer for profiles of deep-learning runs", "dlview"};
  program.set_version_flag("--version", "dlview " DLVIEW_VERSION);
  program.add_flag_callback(
      "--licenses", [] { std::exit(print_licenses()); },
      "Print the licences of what the binary contains and exit");
  WindowProgramOptions window;
  bind_window(program, window);
  ChosenCommand chosen = [&window] { return run_window(window); };
  bind_info(program, chosen);
  bind_verify(program, chosen);
  bind_report(program, chosen);
  bind_generate(program, chosen);
  bind_screenshot(program, chosen);
  bind_drive(program, chosen);
  program.require_subcommand(0, 1);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_code(program, error);
  }
  return chosen();
}
