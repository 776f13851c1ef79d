#include "report/budget/bar.h"

#include <algorithm>

namespace dlview::report::budget {
namespace {

constexpr double kTopOfLimit = 1.25, kTopOfValue = 1.02;

std::optional<double> limit_for_bar(const Judgement& judgement) {
  const Budget& budget = *judgement.budget;
  if (budget.at_most) return static_cast<double>(*budget.at_most);
  if (budget.at_least) return static_cast<double>(*budget.at_least);
  if (budget.equals) return static_cast<double>(*budget.equals);
  if (judgement.allowance) return judgement.allowance->limit;
  return std::nullopt;
}

}  // namespace

double BudgetBar::share_of(double of) const {
  return std::clamp(of / top, 0.0, 1.0);
}

std::optional<BudgetBar> bar_of(const Judgement& judgement) {
  const std::optional<double> limit = limit_for_bar(judgement);
  if (!judgement.value || !limit) return std::nullopt;
  BudgetBar bar{.value = static_cast<double>(*judgement.value), .limit = *limit};
  bar.top = std::max({kTopOfLimit * bar.limit, kTopOfValue * bar.value, 1.0});
  if (const auto& allowance = judgement.allowance) {
    bar.top = std::max(bar.top, kTopOfLimit * allowance->limit);
    bar.baseline = allowance->baseline;
    bar.low = std::clamp(allowance->baseline - allowance->most_worse, 0.0, bar.top);
    bar.high = std::clamp(allowance->baseline + allowance->most_worse, 0.0, bar.top);
  }
  return bar;
}

}  // namespace dlview::report::budget
