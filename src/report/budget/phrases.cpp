#include "report/budget/phrases.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

namespace dlview::report::budget {

using aggregate::Unit;

bool is_fine(const Judgement& judgement) {
  return judgement.state == State::kept || judgement.state == State::skipped;
}

std::string rounded_text(double value, Unit unit) {
  return value_text(int64_t{std::llround(value)}, unit);
}

std::string state_text(const Judgement& judgement) {
  const std::string text(to_text(judgement.state));
  return judgement.budget->level == Level::warning && !is_fine(judgement) ? text + " (warning)"
                                                                          : text;
}

std::string tolerance_text(const Budget& budget) {
  const Tolerance& tolerance = *budget.worse_by;
  if (tolerance.kind == Tolerance::Kind::learned) return "learned";
  if (tolerance.kind == Tolerance::Kind::share)
    return fmt::format("{:.3g}%", 100 * tolerance.share);
  if (budget.unit() == Unit::percent) {
    return fmt::format("{:.3g} points", number_of(tolerance.amount, budget.unit()));
  }
  return value_text(tolerance.amount, budget.unit());
}

std::string limit_text(const Judgement& judgement) {
  const Budget& budget = *judgement.budget;
  std::vector<std::string> texts;
  const auto add = [&](const char* sign, const std::optional<int64_t>& limit) {
    if (limit) texts.push_back(fmt::format("{} {}", sign, value_text(*limit, budget.unit())));
  };
  add("≤", budget.at_most);
  add("≥", budget.at_least);
  add("=", budget.equals);
  if (judgement.allowance) {
    texts.push_back(fmt::format("{} {}", budget.metric->less_is_better ? "≤" : "≥",
                                rounded_text(judgement.allowance->limit, budget.unit())));
  } else if (budget.worse_by) {
    texts.push_back(fmt::format("baseline {} {}", budget.metric->less_is_better ? "+" : "−",
                                tolerance_text(budget)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string baseline_text(const Judgement& judgement) {
  if (!judgement.allowance) return "";
  return rounded_text(judgement.allowance->baseline, judgement.budget->unit());
}

std::string change_text_of(const Judgement& judgement) {
  if (!judgement.allowance || !judgement.value || judgement.allowance->baseline == 0) return "";
  const double change =
      100 * (static_cast<double>(*judgement.value) / judgement.allowance->baseline - 1);
  const std::string text = fmt::format("{:.{}f}%", std::abs(change), std::abs(change) < 10 ? 1 : 0);
  return fmt::format("{}{}", change < 0 ? "−" : "+", text);
}

std::string value_or_none(const Judgement& judgement) {
  return judgement.value ? value_text(*judgement.value, judgement.budget->unit()) : "";
}

}  // namespace dlview::report::budget
