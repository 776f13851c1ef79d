// dlview completion: a script for a shell, which asks `dlview __complete WORDS...` for candidates.
#pragma once

#include <string>
#include <vector>

#include "app/commands/common.h"

namespace dlview::app {

void bind_completion(CLI::App& program, ChosenCommand& chosen);

// `dlview __complete WORDS...`: the words are no command line yet, so CLI11 does not read them.
bool is_completion_request(const std::vector<std::string>& arguments);

// Prints ":words", ":files", ":folders" or ":words-and-files", then a line for each word: WORD, or
// WORD, tab and help.
int print_completions(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace dlview::app
