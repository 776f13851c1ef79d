// dlview commands: the commands of the window, with their keys. Hidden; docs/shortcuts.md is made
// of it.
#pragma once

#include "app/commands/common.h"

namespace dlview::app {

void bind_list_commands(CLI::App& program, ChosenCommand& chosen);

}  // namespace dlview::app
