// A budget as a bar: the value on a scale to 1.25 of the limit, the limit as a line, the baseline
// as a dot. Pages and the window draw the same.
#pragma once

#include <optional>

#include "report/budget/judge.h"

namespace dlview::report::budget {

// In the metric's unit, from 0 to `top`, which is above 0.
struct BudgetBar {
  double value = 0;
  double limit = 0;  // of the budget, else what the baseline allows
  std::optional<double> baseline = std::nullopt;
  // What one more capture of the baseline's program may measure; within the scale.
  double low = 0, high = 0;
  double top = 1;

  // The place of a value on the scale, 0..1.
  double share_of(double of) const;
};
// nullopt without a value or a limit.
std::optional<BudgetBar> bar_of(const Judgement& judgement);

}  // namespace dlview::report::budget
