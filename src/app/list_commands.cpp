#include "app/list_commands.h"

#include <iostream>
#include <memory>
#include <string>

#include "app/program_commands.h"

namespace dlview::app {
namespace {

int print_commands(const std::string& format) {
  if (format != "md") {
    return unusable({"There is no such format", "--format " + format, "Use md"});
  }
  std::cout << commands_as_markdown();
  return kExitSuccess;
}

}  // namespace

void bind_list_commands(CLI::App& program, ChosenCommand& chosen) {
  const auto format = std::make_shared<std::string>("md");
  CLI::App* command = program.add_subcommand("commands", "List the commands of the window");
  command->group("");
  command->add_option("--format", *format, "md")->capture_default_str();
  command->callback([&chosen, format] { chosen = [format] { return print_commands(*format); }; });
}

}  // namespace dlview::app
