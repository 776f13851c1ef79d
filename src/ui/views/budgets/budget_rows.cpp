#include "ui/views/budgets/budget_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "report/budget/outputs.h"
#include "report/budget/phrases.h"

namespace dlview::ui {
namespace {

namespace budget = report::budget;
using budget::Judgement;
using budget::State;

BudgetLook look_of(const Judgement& judgement) {
  if (budget::is_fine(judgement)) return BudgetLook::kept;
  if (judgement.budget->level == budget::Level::warning) return BudgetLook::warning;
  const bool fails = judgement.state == State::broken || judgement.state == State::not_measurable;
  return fails ? BudgetLook::broken : BudgetLook::open;
}

ViewId view_for(const aggregate::Filter& filter) {
  switch (filter.kind) {
    case aggregate::FilterKind::op:
    case aggregate::FilterKind::op_type:
    case aggregate::FilterKind::group:
    case aggregate::FilterKind::direction:
    case aggregate::FilterKind::eligible:
      return ViewId::ops;
    case aggregate::FilterKind::kernel:
    case aggregate::FilterKind::tensor_core:
      return ViewId::kernels;
    case aggregate::FilterKind::device:
      return ViewId::gpus;
    default:
      return ViewId::dashboard;
  }
}

std::optional<BudgetPlace> place_of(const Judgement& judgement) {
  BudgetPlace place;
  place.filters = judgement.budget->only;
  if (!judgement.worst.empty()) {
    place.view = ViewId::iterations;
    place.iteration = judgement.worst.front().first;
    return place;
  }
  if (place.filters.empty()) return std::nullopt;
  place.view = view_for(place.filters.front());
  return place;
}

std::string click_text(const BudgetPlace& place) {
  if (place.iteration) return fmt::format("Click to show iteration {}", *place.iteration);
  return "Click to show what the budget limits";
}

std::string metric_text(const budget::Budget& each) {
  const std::string_view title = aggregate::metric(each.metric->id).title;
  return each.of == budget::Statistic::range
             ? std::string(title)
             : fmt::format("{}, {}", title, budget::to_text(each.of));
}

std::string baseline_detail_of(const Judgement& judgement) {
  if (!judgement.allowance) return "";
  const budget::Allowance& allowance = *judgement.allowance;
  const aggregate::Unit unit = judgement.budget->unit();
  return fmt::format(
      "Baseline {}, {}; allowed: {} {}{}", budget::rounded_text(allowance.baseline, unit),
      base::counted(allowance.captures, "captures"),
      judgement.budget->metric->less_is_better ? "up to" : "down to",
      budget::rounded_text(allowance.limit, unit), allowance.is_learned ? " (learned)" : "");
}

}  // namespace

std::vector<BudgetRow> prepare_budget_rows(const workspace::JudgedBudgets& judged) {
  std::vector<BudgetRow> rows;
  for (const Judgement* const judgement : budget::by_severity(judged.verdicts)) {
    BudgetRow row;
    row.name = judgement->budget->name;
    row.state = budget::state_text(*judgement);
    row.value = budget::value_or_none(*judgement);
    row.limit = budget::limit_text(*judgement);
    row.baseline = budget::baseline_text(*judgement);
    row.change = budget::change_text_of(*judgement);
    if (!judgement->reason.empty()) row.why.push_back(judgement->reason);
    row.why.insert(row.why.end(), judgement->notes.begin(), judgement->notes.end());
    row.look = look_of(*judgement);
    row.bar = budget::bar_of(*judgement);
    if (row.bar && judgement->allowance && judgement->allowance->limit != row.bar->limit) {
      row.second_limit = judgement->allowance->limit;
    }
    row.metric = metric_text(*judgement->budget);
    row.baseline_detail = baseline_detail_of(*judgement);
    row.place = place_of(*judgement);
    if (row.place) row.click = click_text(*row.place);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string budget_run_text(const workspace::JudgedBudgets& judged, bool is_selected_range) {
  const aggregate::IterationRange& range = judged.selection.range;
  const budget::RangeChoice& choice = judged.budgets->file->iterations;
  std::string text;
  if (is_selected_range) {
    text = "selected range: ";
  } else if (choice.kind != budget::RangeChoice::Kind::range) {
    text = budget::to_text(choice) + ": ";
  }
  text += range.size() == 1 ? fmt::format("iteration {}", range.first)
                            : fmt::format("iterations {}–{}", range.first, range.last);
  if (!judged.facts.key_op.empty()) text += fmt::format(", marker {}", judged.facts.key_op);
  const std::string gpus = judged.facts.gpu_text();
  return gpus.empty() ? text : fmt::format("{}, {}", text, gpus);
}

BudgetBarPlace place_bar(const budget::BudgetBar& bar, float left, float right,
                         std::optional<double> second_limit) {
  const auto x = [&](double of) {
    return std::round(left + static_cast<float>(bar.share_of(of)) * (right - left));
  };
  BudgetBarPlace place{.left = left, .right = right};
  place.value = std::max(x(bar.value), left + 1);
  place.limit = x(bar.limit);
  if (second_limit) place.second_limit = x(*second_limit);
  if (bar.baseline) {
    place.dot = x(*bar.baseline);
    place.low = x(bar.low);
    place.high = x(bar.high);
  }
  return place;
}

}  // namespace dlview::ui
