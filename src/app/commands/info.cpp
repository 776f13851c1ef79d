#include "app/commands/info.h"

#include <iostream>
#include <memory>

#include "app/commands/info_facts.h"

namespace dlview::app {

int run_info(const InfoOptions& options) {
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return unusable(opened.error());
  const Info info = info_of(*opened->ranking, opened->selection);
  print(info, options.json, std::cout);
  return kExitSuccess;
}

void bind_info(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand(
      "info", "Tell what a profile holds: versions, system, counts, iterations, data quality");
  command->add_option("DB", options->path, "Profile")->required();
  command->add_flag("--json", options->json, "Print JSON");
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview info run.sqlite\n"
      "  dlview info run.sqlite --json --key-op train_step");
  command->callback([&chosen, options] { chosen = [options] { return run_info(*options); }; });
}

}  // namespace dlview::app
