// Runs a program that uses dlview's terminal, input and output until it ends.
#pragma once

#include <string>
#include <vector>

namespace dlview::app {

struct ForegroundEnd {
  int error = 0;      // errno if the program did not start; 0 = it ran
  int exit_code = 0;  // as a shell reports it: 128 + n if signal n ended the program
  int signal = 0;     // the first SIGINT, SIGTERM or SIGHUP for dlview meanwhile; 0 = none
};

// Runs command[0], a path or a name on the PATH, and waits for its end; one at a time. SIGINT,
// SIGTERM and SIGHUP do not end dlview meanwhile but go to the program, so that it can finish its
// files. A second one, half a second later or more, kills the program. What dlview ignores (nohup)
// stays ignored. If dlview itself is killed, the program gets SIGTERM.
ForegroundEnd run_in_foreground(std::vector<std::string> command);

// Returns whether a shell finds this program: an executable file, or the name of one on the PATH.
bool is_program(const std::string& name);

}  // namespace dlview::app
