// The budgets of the window: a budget file and a baseline, read in the background and again when
// they change on disk, and what a run makes of them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "aggregate/selection.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "report/budget/judge.h"
#include "workspace/run_model.h"

namespace dlview::workspace {

struct LoadedBudgets {
  BudgetPaths paths;
  std::optional<report::budget::BudgetFile> file;  // nullopt: `error` says why
  std::optional<report::budget::Baseline> baseline;
  std::optional<base::Error> error, baseline_error;
};
// Reads both files.
std::shared_ptr<const LoadedBudgets> load_budgets(const BudgetPaths& paths);

// The main thread only.
class BudgetSource {
 public:
  explicit BudgetSource(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  const BudgetPaths& paths() const { return paths_; }
  void choose(BudgetPaths paths);
  void reload();
  // Reads the files again if they have changed on disk. Costs two calls of stat().
  void look_at_disk();
  // Takes over what has been read; returns whether there was anything.
  bool poll();
  // Null before the first one; while the files are being read again, as they were.
  const std::shared_ptr<const LoadedBudgets>& get() const { return loaded_; }
  bool is_reading() const { return static_cast<bool>(task_); }
  void settle() const { task_.wait(); }

 private:
  using Times =
      std::pair<std::filesystem::file_time_type, std::filesystem::file_time_type>;  // of both
  Times times() const;

  base::Scheduler& scheduler_;
  BudgetPaths paths_;
  Times read_at_;  // as the files were when reading began
  std::shared_ptr<const LoadedBudgets> loaded_;
  base::Task<std::shared_ptr<const LoadedBudgets>> task_;
};

// A run as the budgets judge it.
struct JudgedBudgets {
  std::shared_ptr<const LoadedBudgets> budgets;  // to which the verdicts refer
  aggregate::Selection selection;                // split and range that were judged; no filters
  report::budget::Verdicts verdicts;
  report::budget::RunFacts facts;
  std::optional<base::Error> error;  // why nothing was judged: the run is not what [run] measures
};
// `chosen`: the split and range to judge; nullopt = those that [run] of the file says, as `dlview
// budget check`. `budgets` has a file. Costs passes over all events, and range changes for some
// metrics.
std::shared_ptr<const JudgedBudgets> judge_budgets(
    std::shared_ptr<const LoadedBudgets> budgets, std::shared_ptr<const profile::Profile> profile,
    const std::optional<aggregate::Selection>& chosen);

}  // namespace dlview::workspace
