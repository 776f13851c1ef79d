// The rows of the view Budgets: what each budget says, its bar, and what a click selects. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/budget/bar.h"
#include "ui/model.h"

namespace dlview::ui {

enum class BudgetLook : uint8_t { broken, warning, open, kept };

// What broke a budget, or came nearest to it.
struct BudgetPlace {
  ViewId view = ViewId::dashboard;
  std::optional<int64_t> iteration = std::nullopt;
  std::vector<aggregate::Filter> filters = {};
  bool operator==(const BudgetPlace&) const = default;
};

struct BudgetRow {
  std::string name, state, value, limit, baseline, change;
  std::vector<std::string> why;  // sentences
  BudgetLook look = BudgetLook::kept;
  std::optional<report::budget::BudgetBar> bar;
  std::optional<double> second_limit;  // what the baseline allows, beside that of the budget
  std::string metric;                  // "Iteration duration, median"
  std::string baseline_detail;  // "Baseline 305 ms, 3 captures; allowed: up to 315 ms (learned)"
  std::optional<BudgetPlace> place;
  std::string click;  // "Click to show iteration 37"
};

// In the order of all outputs: broken, undecided, warnings, kept.
std::vector<BudgetRow> prepare_budget_rows(const workspace::JudgedBudgets& judged);

// "steady: iterations 12–69, marker step, 8 x NVIDIA H100".
std::string budget_run_text(const workspace::JudgedBudgets& judged, bool is_selected_range);

// Places of a bar between two edges, in whole pixels. Limits and `dot` are centers.
struct BudgetBarPlace {
  float left = 0, right = 0;  // of the scale
  float value = 0;            // right edge of the bar, at least a pixel from `left`
  float limit = 0;
  std::optional<float> second_limit = std::nullopt;
  std::optional<float> dot = std::nullopt;
  float low = 0, high = 0;  // of the interval around the dot
};
BudgetBarPlace place_bar(const report::budget::BudgetBar& bar, float left, float right,
                         std::optional<double> second_limit = std::nullopt);

}  // namespace dlview::ui
