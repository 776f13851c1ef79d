// Errors of the command line: what is wrong, what was probably meant, and an example.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace dlview::app {

// Describes CLI11's error, with the nearest name of an unknown option and the examples of the
// command.
std::string usage_error_text(const CLI::App* program, const CLI::Error& error);

// Describes a word in the place of a command or a profile that is neither. Returns nothing if such
// a file exists.
std::optional<base::Error> unknown_command(const CLI::App& program, const std::string& word);

}  // namespace dlview::app
