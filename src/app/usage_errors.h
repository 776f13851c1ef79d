// What is said of a command line that cannot be read: what is wrong, what was probably meant, and
// an example.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace dlview::app {

// Of CLI11's error, with the nearest name of an unknown option and the examples of the command.
std::string usage_error_text(const CLI::App* program, const CLI::Error& error);

// Of a word that stands where a command or a profile belongs, and is neither; nothing when there is
// such a file.
std::optional<base::Error> unknown_command(const CLI::App& program, const std::string& word);

}  // namespace dlview::app
