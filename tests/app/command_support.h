// Subcommands as scripts see them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/common.h"

namespace dlview::app {

struct Outcome {
  int code = -1;
  std::string out, err;
};

// Runs `dlview ARGUMENTS` with the commands that `program` knows and that put themselves into
// `chosen`.
inline Outcome run_command_line(CLI::App& program, ChosenCommand& chosen,
                                std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  try {
    program.parse(arguments);
    outcome.code = chosen();
  } catch (const CLI::ParseError& error) {
    outcome.code = exit_code(program, error);
  }
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

}  // namespace dlview::app
