// A run that budgets have judged, for the commands that write about it.
#pragma once

#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "report/budget/outputs.h"

namespace dlview::app {

struct JudgedRun {
  report::budget::BudgetFile file;
  std::optional<report::budget::Baseline> baseline;
  std::shared_ptr<const profile::Profile> profile;
  std::unique_ptr<report::budget::Meter> meter;
  report::budget::Verdicts verdicts;
  report::budget::RunFacts facts;
  report::budget::Inconclusive inconclusive;

  report::budget::CheckedRun checked() const {
    return {file, facts, baseline ? &*baseline : nullptr, verdicts, inconclusive};
  }
};

// Reads budgets and baseline, opens the first run and judges it.
base::Result<std::unique_ptr<JudgedRun>> judge_run(const BudgetOptions& options);

}  // namespace dlview::app
