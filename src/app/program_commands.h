// The commands of the program, in the order of the menus.
#pragma once

#include "app/command_registry.h"

namespace dlview::app {

class Program;

// The commands refer to `program`, which has to outlive them.
void add_program_commands(CommandRegistry& commands, Program& program);

}  // namespace dlview::app
