// Budgets on the page of a run.
#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "report/budget/bar.h"
#include "report/budget/phrases.h"
#include "report/page/sections.h"
#include "report/page/svg.h"

namespace dlview::report::page {
namespace {

using budget::Judgement;

// "worse", "open" or "better": the color of the word, and of the bar of a budget that is not kept.
std::string_view look_of(const Judgement& judgement) {
  if (judgement.state == budget::State::broken) return "worse";
  return budget::is_fine(judgement) ? "better" : "open";
}

std::string budget_bar(const Judgement& judgement) {
  constexpr double kWidth = 180, kHeight = 16;
  const std::optional<budget::BudgetBar> bar = budget::bar_of(judgement);
  if (!bar) return "";
  const auto x = [&bar](double at) { return kWidth * bar->share_of(at); };
  Svg svg(kWidth, kHeight,
          fmt::format("{}: {}", judgement.budget->name, budget::value_or_none(judgement)));
  svg.box(0, 4, kWidth, 8, "scale");
  svg.box(0, 4, std::max(x(bar->value), 1.0), 8,
          budget::is_fine(judgement) ? "mark" : fmt::format("mark {}", look_of(judgement)));
  if (bar->baseline) svg.circle(x(*bar->baseline), 8, 3.5, "baseline");
  svg.box(x(bar->limit) - 1, 0, 2, kHeight, "limit_mark");
  return svg.markup("budget");
}

std::string details_of(const Judgement& judgement) {
  std::vector<std::string> lines;
  if (!judgement.reason.empty()) lines.push_back(judgement.reason);
  lines.insert(lines.end(), judgement.notes.begin(), judgement.notes.end());
  std::string out;
  for (const std::string& line : lines) {
    out += fmt::format("<div class=\"why\">{}.</div>", text(line));
  }
  return out;
}

// "Judged: after.sqlite, iterations 12 to 69 of step." Of two runs on a page it is one.
std::string judged_run(const budget::CheckedRun& budgets) {
  std::string out = "Judged: " + budgets.facts.file;
  const auto measured =
      std::ranges::find_if(budgets.verdicts.judgements,
                           [](const Judgement& judgement) { return judgement.value.has_value(); });
  if (measured != budgets.verdicts.judgements.end()) {
    out += fmt::format(", iterations {} to {}", base::format_count(measured->range.first),
                       base::format_count(measured->range.last));
  } else {
    out += fmt::format(", {}", base::counted(budgets.facts.iterations, "iterations"));
  }
  if (!budgets.facts.key_op.empty()) out += " of " + budgets.facts.key_op;
  return out + ".";
}

}  // namespace

std::string budget_summary(const budget::CheckedRun& budgets) {
  return budget::count_text(budgets.verdicts);
}

Section budget_section(const budget::CheckedRun& budgets) {
  PlainTable table{"Values and limits",
                   {"Budget", "State", "Value", "", "Limit", "Baseline", "Change", "Why"},
                   {},
                   {2, 4, 5, 6}};
  for (const Judgement* const judgement : budget::by_severity(budgets.verdicts)) {
    table.rows.push_back({name(judgement->budget->name),
                          fmt::format("<span class=\"state {}\">{}</span>", look_of(*judgement),
                                      text(budget::state_text(*judgement))),
                          text(budget::value_or_none(*judgement)), budget_bar(*judgement),
                          text(budget::limit_text(*judgement)),
                          text(budget::baseline_text(*judgement)),
                          text(budget::change_text_of(*judgement)), details_of(*judgement)});
  }
  std::string body = note(judged_run(budgets)) + plain_table(table);
  for (const std::string& each : budgets.verdicts.notes) body += note(each + ".");
  if (budgets.baseline != nullptr) {
    body += note(fmt::format(
        "Baseline of {}.{}",
        base::counted(static_cast<int64_t>(budgets.baseline->captures.size()), "captures"),
        budgets.baseline->accepted.empty() ? "" : " Accepted: " + budgets.baseline->accepted));
  }
  return {"budgets", "Budgets", body};
}

}  // namespace dlview::report::page
