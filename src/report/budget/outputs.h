// What `dlview budget check` and `explain` print, for people and for CI systems.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/budget/judge.h"

namespace dlview::report::budget {

// The result of a check; refers to its parts.
struct CheckedRun {
  const BudgetFile& file;
  const RunFacts& facts;
  const Baseline* baseline = nullptr;  // null = none
  const Verdicts& verdicts;
  Inconclusive inconclusive = Inconclusive::fail;
};

// The judgements that a reader should look at first; of equal ones the worst, then in the order of
// the file.
std::vector<const Judgement*> by_severity(const Verdicts& verdicts);
// "5 budgets: 1 broken, 1 warning, 3 kept"
std::string count_text(const Verdicts& verdicts);

// A table, a line for each budget that is not kept, and a count: "5 budgets: 1 broken, 4 kept".
std::string check_text(const CheckedRun& run);

// JUnit XML: a test case for each budget. Broken and not measurable ones fail; inconclusive ones
// fail or are skipped, as the exit code is. tests/report/budget/junit.xsd describes it.
std::string junit_xml(const CheckedRun& run);
// The same for a check that could not be made: one test case with an error.
std::string junit_error_xml(const std::string& budget_file, const base::Error& error);

// What GitHub shows of a step.
inline constexpr std::size_t kMostSummaryBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMostAnnotations = 10;  // of a kind
// A heading and a table in GitHub's Markdown, worst rows first, in at most so many bytes: rows that
// have no room are counted. Empty if there is not even room for the heading.
std::string summary_markdown(const CheckedRun& run, std::size_t most_bytes = kMostSummaryBytes);

// Workflow commands of GitHub Actions, a line each: ::error and ::warning with file and line. Of
// more than ten of a kind, the worst nine and one that counts the rest.
std::string github_annotations(const CheckedRun& run);
std::string github_error_annotation(const std::string& budget_file, const base::Error& error);

std::string check_json(const CheckedRun& run);

// What each budget measures, how it is judged, where its tolerance comes from, and which changes
// could not be seen. `run` may be null: then nothing is measured. `names`: empty = all.
base::Result<std::string> explain_text(const BudgetFile& file, const Baseline* baseline,
                                       const Verdicts* run, const std::vector<std::string>& names);

}  // namespace dlview::report::budget
