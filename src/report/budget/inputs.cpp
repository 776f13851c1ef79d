#include "report/budget/inputs.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "aggregate/steady.h"

namespace dlview::report::budget {

base::Result<std::string> read_text_file(const std::string& path, const char* what,
                                         std::size_t most_bytes, std::string_view when_missing) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return base::Error{fmt::format("The {} does not exist", what), path, std::string(when_missing)};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return base::Error{fmt::format("Cannot read the {}", what), path,
                       "Check the path and your permissions"};
  }
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    return base::Error{fmt::format("Cannot read the {}", what), path, "Check the disk"};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes) {
    return base::Error{fmt::format("The {} is too large", what), path, "Check the path"};
  }
  return text;
}

base::Result<BudgetFile> read_budget_file(const std::string& path) {
  const auto text = read_text_file(path, "budget file", kMostBudgetFileBytes,
                                   "Write one, as docs/budgets.md has it, or name another with "
                                   "--budget FILE");
  if (!text) return text.error();
  return parse_budget_file(*text, path);
}

base::Result<Baseline> read_baseline_file(const std::string& path) {
  const auto text = read_text_file(path, "baseline", kMostBaselineBytes,
                                   "Check the path; `dlview budget baseline RUN... -o FILE` makes "
                                   "one");
  if (!text) return text.error();
  return parse_baseline(*text, path);
}

base::Result<aggregate::IterationRange> judged_range(const BudgetFile& file,
                                                     const aggregate::Iterations& iterations) {
  using Kind = RangeChoice::Kind;
  const RangeChoice& choice = file.iterations;
  const auto count = static_cast<int64_t>(iterations.rows.size());
  if (choice.kind == Kind::all) return aggregate::IterationRange{0, count - 1};
  if (choice.kind == Kind::range) {
    if (choice.range.last < count) return choice.range;
    return base::Error{"The run has too few iterations",
                       fmt::format("{}: the budgets measure {}:{}, the last iteration is {}",
                                   file.place_text(choice.place), choice.range.first,
                                   choice.range.last, count - 1),
                       "Capture more iterations, or change iterations in [run]"};
  }
  if (const auto steady = aggregate::steady_range(iterations)) return *steady;
  return base::Error{"The run has no steady state",
                     count == 1 ? std::string("the run is not split into iterations")
                                : fmt::format("{} iterations; 10 similar ones are needed", count),
                     count == 1
                         ? "Write key_op in [run] of the budget file, or iterations = \"all\""
                         : "Capture more iterations, or write iterations = \"all\" in [run]"};
}

}  // namespace dlview::report::budget
