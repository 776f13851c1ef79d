// dlview compare BEFORE AFTER: in what the mean iterations of two files differ.
#pragma once

#include <string>

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "report/comparison/comparison_tables.h"

namespace dlview::app {

// Opens both files with the split that they have in common. `caution`: about the filters; empty =
// none.
struct OpenedRuns {
  OpenedProfile before, after;
  std::string caution;
};
base::Result<OpenedRuns> open_runs(const CompareOptions& options);

struct RunComparison {
  report::SharedRunComparison comparison;
  aggregate::Aggregation before, after;  // of the compared ranges, without filters
};
base::Result<RunComparison> compare_runs(const OpenedRuns& runs, const CompareOptions& options);

// Prints what the options ask for; returns the exit code.
int print_compared_runs(const OpenedRuns& runs, const CompareOptions& options);

}  // namespace dlview::app
