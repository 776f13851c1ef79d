// The whole command line: the window's options and every command. The man page and the completions
// are written from it.
#pragma once

#include "app/commands/common.h"
#include "app/window_program.h"

namespace dlview::app {

// Everything must outlive the parsing, and the job that `chosen` is then.
void bind_program(CLI::App& program, WindowProgramOptions& window, ChosenCommand& chosen);

}  // namespace dlview::app
