// Completion of command lines: what may stand at the end of one, and the scripts for shells, which
// ask `dlview __complete WORDS...` for candidates.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/common.h"

namespace dlview::app {

struct CompletionCandidate {
  std::string word;
  std::string help;  // one line, or nothing
};

struct Completion {
  enum class Kind { words, files, folders, words_and_files };
  Kind kind = Kind::words;
  std::vector<CompletionCandidate> candidates = {};  // words that begin with what is typed
};

// The iteration markers of a profile, or nothing where that takes long.
using IterationMarkers = std::function<std::vector<CompletionCandidate>(const std::string& path)>;

// `words` are those behind "dlview"; the last one, maybe empty, is being typed.
Completion complete(const CLI::App& program, std::vector<std::string> words,
                    const IterationMarkers& markers);

// The values that an option takes, where they are known; `command` is "" for the window.
std::vector<std::string> option_values(std::string_view command, std::string_view option);

// From the column cache only: a profile that is not there has none.
std::vector<CompletionCandidate> cached_iteration_markers(const std::string& path);

void bind_completion(CLI::App& program, ChosenCommand& chosen);

// `dlview __complete WORDS...`: the words are no command line yet, so CLI11 does not read them.
bool is_completion_request(const std::vector<std::string>& arguments);

// Prints ":words", ":files", ":folders" or ":words-and-files", then a line for each word: WORD, or
// WORD, tab and help.
int print_completions(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace dlview::app
