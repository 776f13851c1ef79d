// The page of a run: what `dlview report RUN --html` and the window save. With another run it
// compares both, with budgets it says which are kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "aggregate/aggregation.h"
#include "aggregate/limits/limits.h"
#include "aggregate/rules/rule_index.h"
#include "base/result.h"
#include "profile/profile.h"
#include "report/budget/outputs.h"
#include "report/comparison/comparison_tables.h"
#include "report/page/page.h"

namespace dlview::report::page {

// All that it refers to outlives the call.
struct RunPageInput {
  const profile::Profile& profile;
  const aggregate::Aggregation& aggregation;  // its range and filters are those of the page
  std::string version;                        // of dlview
  // Of the profile; null = made here, which costs passes over all events.
  const aggregate::RuleIndex* rules = nullptr;
  const aggregate::LimitIndex* limits = nullptr;
  SharedRunComparison comparison = nullptr;       // the run is the one before; null = none
  const aggregate::Aggregation* after = nullptr;  // of the compared range after; null = made here
  const budget::CheckedRun* budgets = nullptr;    // null = none
  // Adds user, host, command, and paths. Else a page has names of files only.
  bool with_host = false;
};

// No page is larger, but for budgets and findings that are: what it leaves out it names.
inline constexpr std::size_t kMostPageBytes = 5'000'000;

// Costs a second for 10,000 iterations, most of it for `rules`. `most_bytes`: for tests.
Page make_run_page(const RunPageInput& input, std::size_t most_bytes = kMostPageBytes);

// Makes the page and writes it; a file of the profile is refused. May run in a background task.
base::Status write_run_page(const RunPageInput& input, const std::filesystem::path& file);

}  // namespace dlview::report::page
