#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "base/nearest_text.h"
#include "base/units.h"
#include "report/budget/outputs.h"
#include "report/budget/phrases.h"
#include "report/writers/text.h"

namespace dlview::report::budget {
namespace {

// Lines of at most so many columns, after the first one indented.
std::string wrapped(const std::string& title, const std::string& text) {
  constexpr std::size_t kIndent = 13, kMost = 100;
  std::string result = fmt::format("  {:<{}}", title, kIndent - 2);
  std::size_t column = kIndent;
  std::istringstream words(text);
  bool is_first = true;
  for (std::string word; words >> word;) {
    if (!is_first && column + 1 + word.size() > kMost) {
      result += '\n' + std::string(kIndent, ' ');
      column = kIndent;
      is_first = true;
    }
    if (!is_first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    is_first = false;
  }
  return result + '\n';
}

std::string percent_of(double share) {
  return fmt::format("{:.{}f}%", 100 * share, share < 0.1 ? 1 : 0);
}

std::string statistic_sentence(const Budget& budget) {
  if (budget.of == Statistic::range) return "one value for the range";
  if (budget.of == Statistic::each) return "every iteration of the range";
  const std::string_view of = budget.of == Statistic::p5    ? "5th percentile"
                              : budget.of == Statistic::p95 ? "95th percentile"
                              : budget.of == Statistic::p99 ? "99th percentile"
                              : budget.of == Statistic::min ? "minimum"
                              : budget.of == Statistic::max ? "maximum"
                                                            : to_text(budget.of);
  return fmt::format("{} over the iterations of the range", of);
}

std::string limits_sentence(const Budget& budget) {
  std::vector<std::string> texts;
  const auto add = [&](const char* words, const std::optional<int64_t>& limit) {
    if (limit) texts.push_back(fmt::format("{} {}", words, value_text(*limit, budget.unit())));
  };
  add("at most", budget.at_most);
  add("at least", budget.at_least);
  add("exactly", budget.equals);
  if (budget.worse_by && budget.worse_by->kind == Tolerance::Kind::learned) {
    texts.emplace_back("worse than the baseline by no more than captures of one state differ");
  } else if (budget.worse_by) {
    texts.push_back(fmt::format("at most {} {} than the baseline", tolerance_text(budget),
                                budget.metric->less_is_better ? "more" : "less"));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string tolerance_sentence(const Budget& budget, const Allowance& allowance,
                               std::size_t budgets) {
  const std::string baseline = rounded_text(allowance.baseline, budget.unit()),
                    limit = rounded_text(allowance.limit, budget.unit());
  const std::string captures = base::counted(allowance.captures, "captures");
  if (allowance.is_learned) {
    return fmt::format(
        "limit {} ({}{} around {}): 99% prediction interval of one more capture, from {}{}", limit,
        budget.metric->less_is_better ? "+" : "−",
        allowance.share ? percent_of(*allowance.share)
                        : rounded_text(allowance.most_worse, budget.unit()),
        baseline, captures,
        budgets > 1
            ? fmt::format(", widened so that an unchanged run keeps all {} budgets with 99%",
                          budgets)
            : "");
  }
  const std::string bands = bands_text(allowance);
  const std::string counts =
      bands.empty() ? "" : fmt::format(". The interval of the change is {}", bands);
  if (budget.worse_by->kind == Tolerance::Kind::learned) {
    return fmt::format("not learned: {} in the baseline, 3 needed{}. Limit {}, baseline {}",
                       captures, counts, limit, baseline);
  }
  return fmt::format("limit {}, baseline {} from {}{}. Captures of one state differ by {} ({})",
                     limit, baseline, captures, counts, percent_of(allowance.floor),
                     allowance.captures >= 3 ? "learned" : "assumed");
}

// Of a given tolerance within what captures of one state differ by; empty = it is above that, or
// counts repeat exactly.
std::string noise_warning(const Budget& budget, const Allowance* allowance, std::size_t budgets) {
  using aggregate::RunFloor;
  if (!budget.worse_by || budget.worse_by->kind == Tolerance::Kind::learned ||
      budget.unit() == aggregate::Unit::count) {
    return "";
  }
  const bool is_share = budget.worse_by->kind == Tolerance::Kind::share;
  const std::optional<double> share = allowance != nullptr ? allowance->share
                                      : is_share           ? std::optional(budget.worse_by->share)
                                                           : std::nullopt;
  const double floor =
      allowance != nullptr ? allowance->floor : RunFloor{}.limit(aggregate::kVerdictP, budgets);
  if (!share || *share >= floor) return "";
  const bool is_learned = allowance != nullptr && allowance->captures >= 3;
  return fmt::format(
      "{} is below the {} by which unchanged captures differ ({}): an unchanged run may be "
      "inconclusive. Write \"learned\", or a tolerance above that",
      tolerance_text(budget), percent_of(floor), is_learned ? "learned" : "assumed");
}

std::string unseen_sentence(const Allowance& allowance, const Judgement* judgement) {
  if (!allowance.share) return "";
  double least = allowance.broken_beyond();
  std::string source = "without the noise of the run";
  if (judgement != nullptr && judgement->change) {
    if (!allowance.is_learned) least += judgement->change->half_width();
    source = "in this run";
  } else if (allowance.is_learned) {
    source = "in one capture";
  }
  return fmt::format("changes below {} ({})", percent_of(least), source);
}

std::string explain_budget(const BudgetFile& file, const Budget& budget, const Baseline* baseline,
                           const Judgement* judgement, std::size_t budgets) {
  const aggregate::Metric& metric = aggregate::metric(budget.metric->id);
  std::string text =
      fmt::format("{} ({})\n", printable(budget.name), printable(file.place_text(budget.place)));
  text += wrapped("Measures", fmt::format("{} ({}), {}. {}", metric.title, metric.id,
                                          statistic_sentence(budget), metric.formula));
  text += wrapped("Range", file.iterations.kind == RangeChoice::Kind::steady ? "the steady state"
                           : file.iterations.kind == RangeChoice::Kind::all
                               ? "all iterations"
                               : "iterations " + to_text(file.iterations));
  if (!budget.only.empty()) {
    std::vector<std::string> filters;
    for (const aggregate::Filter& filter : budget.only) filters.push_back(to_text(filter));
    text += wrapped("Filters", printable(fmt::format("{}", fmt::join(filters, ", "))));
  }
  text += wrapped("Limit", limits_sentence(budget));
  const BaselineBudget* before = baseline == nullptr ? nullptr : baseline->find(budget.name);
  std::string warning;
  if (budget.worse_by && before != nullptr && !before->captures.empty()) {
    const Allowance allowance = judgement != nullptr && judgement->allowance
                                    ? *judgement->allowance
                                    : allowance_of(budget, before->captures, budgets);
    text += wrapped("Tolerance", tolerance_sentence(budget, allowance, budgets));
    const std::string unseen = unseen_sentence(allowance, judgement);
    if (!unseen.empty()) text += wrapped("Not seen", unseen);
    warning = noise_warning(budget, &allowance, budgets);
  } else if (budget.worse_by) {
    text += wrapped("Tolerance", baseline == nullptr ? "unknown without --baseline"
                                                     : "unknown: not in the baseline");
    warning = noise_warning(budget, nullptr, budgets);
  }
  if (!warning.empty()) text += wrapped("Warning", warning);
  text += wrapped("Broken",
                  budget.level == Level::error ? "fails the check (exit code 1)" : "is a warning");
  text += wrapped("Unknown", budget.when_unknown == WhenUnknown::fail   ? "fails the check"
                             : budget.when_unknown == WhenUnknown::pass ? "counts as kept"
                                                                        : "is skipped");
  if (judgement != nullptr) {
    const std::string value = value_or_none(*judgement);
    text += wrapped("This run",
                    printable(fmt::format(
                        "{}{}{}{}", value, value.empty() ? "" : ": ", state_text(*judgement),
                        judgement->reason.empty() ? "" : fmt::format(", {}", judgement->reason))));
  }
  return text;
}

}  // namespace

base::Result<std::string> explain_text(const BudgetFile& file, const Baseline* baseline,
                                       const Verdicts* run, const std::vector<std::string>& names) {
  std::set<std::string_view> known;
  for (const Budget& budget : file.budgets) known.insert(budget.name);
  for (const std::string& name : names) {
    if (known.contains(name)) continue;
    const std::string_view nearest = base::nearest_text(known, name);
    return base::Error{fmt::format("No budget is named \"{}\"", name), file.path,
                       nearest.empty() ? fmt::format("Valid: {}", fmt::join(known, ", "))
                                       : fmt::format("Did you mean {}?", nearest)};
  }
  const auto budgets = static_cast<std::size_t>(std::ranges::count_if(
      file.budgets, [](const Budget& budget) { return budget.worse_by.has_value(); }));
  std::string text;
  for (std::size_t i = 0; i < file.budgets.size(); ++i) {
    const Budget& budget = file.budgets[i];
    if (!names.empty() && std::ranges::find(names, budget.name) == names.end()) continue;
    if (!text.empty()) text += '\n';
    text += explain_budget(file, budget, baseline, run == nullptr ? nullptr : &run->judgements[i],
                           budgets);
  }
  return text;
}

}  // namespace dlview::report::budget
