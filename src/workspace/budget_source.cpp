#include "workspace/budget_source.h"

#include "aggregate/iterations.h"
#include "aggregate/key_ops.h"
#include "report/budget/inputs.h"
#include "workspace/filter_values.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

namespace budget = report::budget;

std::shared_ptr<const LoadedBudgets> load_budgets(const BudgetPaths& paths) {
  auto loaded = std::make_shared<LoadedBudgets>();
  loaded->paths = paths;
  auto file = budget::read_budget_file(paths.budget);
  if (file) {
    loaded->file = *std::move(file);
  } else {
    loaded->error = file.error();
  }
  if (paths.baseline.empty()) return loaded;
  auto baseline = budget::read_baseline_file(paths.baseline);
  if (baseline) {
    loaded->baseline = *std::move(baseline);
  } else {
    loaded->baseline_error = baseline.error();
  }
  return loaded;
}

void BudgetSource::choose(BudgetPaths paths) {
  paths_ = std::move(paths);
  reload();
}

void BudgetSource::reload() {
  task_ = {};
  if (paths_.budget.empty()) {
    loaded_.reset();
    return;
  }
  read_at_ = times();
  task_ = scheduler_.start(base::Arena::background,
                           [paths = paths_](const base::Progress&) { return load_budgets(paths); });
}

BudgetSource::Times BudgetSource::times() const {
  const auto time_of = [](const std::string& path) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    return error ? std::filesystem::file_time_type() : time;
  };
  return {time_of(paths_.budget), time_of(paths_.baseline)};
}

void BudgetSource::look_at_disk() {
  if (!paths_.budget.empty() && !is_reading() && times() != read_at_) reload();
}

bool BudgetSource::poll() {
  if (!task_.ended()) return false;
  auto read = task_.take();
  if (read) {
    loaded_ = *std::move(read);
  } else {
    auto failed = std::make_shared<LoadedBudgets>();
    failed->paths = paths_;
    failed->error = read.error();
    loaded_ = std::move(failed);
  }
  return true;
}

std::shared_ptr<const JudgedBudgets> judge_budgets(
    std::shared_ptr<const LoadedBudgets> budgets, std::shared_ptr<const profile::Profile> profile,
    const std::optional<aggregate::Selection>& chosen) {
  auto judged = std::make_shared<JudgedBudgets>();
  const budget::BudgetFile& file = *budgets->file;
  const budget::Baseline* baseline = budgets->baseline ? &*budgets->baseline : nullptr;
  judged->budgets = budgets;
  if (chosen) {
    judged->selection = *chosen;
    judged->selection.filters.clear();
  } else {
    const aggregate::KeyRanking ranking(*profile);
    SelectionRequest request;
    request.key_op = file.key_op;
    request.split_by = file.split_by;
    const auto selection = choose_selection(ranking, request);
    if (!selection) {
      judged->error = selection.error();
      return judged;
    }
    judged->selection = *selection;
    const auto range =
        budget::judged_range(file, aggregate::cut_iterations(*profile, selection->cut));
    if (!range) {
      judged->error = range.error();
      return judged;
    }
    judged->selection.range = *range;
  }
  budget::Meter meter(profile, judged->selection, [profile](const aggregate::Filter& filter) {
    const base::Status status = check_filter(*profile, filter);
    return status ? std::string() : status.error().detail;
  });
  judged->verdicts = budget::judge(file, meter, baseline);
  judged->facts = budget::run_facts(meter);
  return judged;
}

}  // namespace dlview::workspace
