// dlview compare BEFORE AFTER: in what the mean iterations of two files differ.
#pragma once

#include <string>

#include "app/commands/commands.h"
#include "app/commands/common.h"

namespace dlview::app {

// Prints what the options ask for; returns the exit code. Both profiles have the same split.
// `caution`: about the filters; empty = none.
int print_compared_runs(const OpenedProfile& before, const OpenedProfile& after,
                        const CompareOptions& options, const std::string& caution);

}  // namespace dlview::app
