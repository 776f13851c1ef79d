// The options of `dlview generate --ranks`.
#pragma once

#include <string>

#include "app/commands/commands.h"

namespace dlview::app {

// Their texts are read when the command runs.
struct RanksTexts {
  int64_t ranks = 0;
  std::string skew, groups;
  bool summary = false;
  generate::RanksOptions options;
};

void add_ranks_options(CLI::App& command, RanksTexts& texts);
// Throws CLI::ValidationError if another option excludes --ranks, or requires it.
void check_ranks_options(const CLI::App& command);
// Fills in `options.ranks`. The Error says which text is wrong.
base::Status read_ranks(const CLI::App& command, const RanksTexts& texts, GenerateOptions& options);

}  // namespace dlview::app
