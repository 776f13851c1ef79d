// The commands of the program, each declared once: menus, keys, palette, the list of keys,
// docs/shortcuts.md and the UI tests read this table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command_registry.h"

namespace dlview::app {

class Program;

struct ProgramCommand {
  std::string id;
  const char *title, *shortcut, *menu, *help;  // see ui::CommandInfo
  std::function<void(Program&)> run;
  std::function<bool(const Program&)> enabled = nullptr;  // null = always
  void (*go_on)(Program&, double steps) = nullptr;        // while its key is held; null = once only
};
// In the order of the menus; those that show a tab or a view follow from ui/view.h.
std::vector<ProgramCommand> program_commands();

// `program` must outlive the registry.
void add_program_commands(CommandRegistry& commands, Program& program);

// The table of docs/shortcuts.md: keys, title, help, id.
std::string commands_as_markdown();

}  // namespace dlview::app
