// What a check reads: budget file and baseline, and the iterations that [run] chooses. The command
// line and the window read the same way.
#pragma once

#include <cstddef>
#include <string>

#include "aggregate/iterations.h"
#include "base/result.h"
#include "report/budget/baseline.h"
#include "report/budget/budget_file.h"

namespace dlview::report::budget {

// Reads the whole file; fails if it cannot be read or is larger. `what`: "budget file";
// `when_missing`: the advice if there is none.
base::Result<std::string> read_text_file(const std::string& path, const char* what,
                                         std::size_t most_bytes,
                                         std::string_view when_missing = "Check the path");
base::Result<BudgetFile> read_budget_file(const std::string& path);
base::Result<Baseline> read_baseline_file(const std::string& path);

// The iterations that the budgets measure in a run that is split so. Fails if it has too few, or no
// steady state.
base::Result<aggregate::IterationRange> judged_range(const BudgetFile& file,
                                                     const aggregate::Iterations& iterations);

}  // namespace dlview::report::budget
