// Budget files and, if the input begins with a brace, baselines: what is read holds together and
// can be judged and printed, or an Error says where it is wrong.
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "report/budget/outputs.h"

namespace dlview::fuzz {
namespace {

namespace budget = report::budget;

// All budgets are broken, with texts of the file as reasons.
void check_outputs(const budget::BudgetFile& file) {
  budget::Verdicts verdicts;
  for (const budget::Budget& each : file.budgets) {
    budget::Judgement& judgement = verdicts.judgements.emplace_back();
    judgement.budget = &each;
    judgement.state = budget::State::broken;
    judgement.reason = each.name;
  }
  const budget::RunFacts facts;
  const budget::CheckedRun run{file, facts, nullptr, verdicts, budget::Inconclusive::fail};
  const std::string annotations = budget::github_annotations(run);
  const auto lines = static_cast<std::size_t>(std::ranges::count(annotations, '\n'));
  require(lines <= 2 * budget::kMostAnnotations, "too many annotations", annotations);
  for (const std::string& text :
       {annotations, budget::junit_xml(run), budget::summary_markdown(run, 4096),
        budget::check_json(run), budget::check_text(run)}) {
    require(base::is_utf8(text), "an output is not UTF-8", text);
    for (const char c : text) {
      const bool is_control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
      require(!is_control, "an output has a control character", text);
    }
  }
  require(budget::summary_markdown(run, 4096).size() <= 4096, "the summary is too long");
  require(budget::explain_text(file, nullptr, nullptr, {}).ok(), "budgets cannot be explained");
}

void check_budget_file(const std::string& text) {
  const auto file = budget::parse_budget_file(text, "budget.toml");
  if (!file) {
    require(!file.error().advice.empty(), "an error has no advice", file.error().title);
    require(base::is_utf8(base::to_text(file.error())), "an error is not UTF-8");
    return;
  }
  std::set<std::string> names;
  for (const budget::Budget& each : file->budgets) {
    require(each.metric != nullptr && each.metric->can_be(each.of), "a budget has no statistic");
    require(names.insert(each.name).second, "two budgets have one name", each.name);
    require(each.place.line > 0 && each.place.column > 0, "a budget has no place");
    require(each.at_most || each.at_least || each.equals || each.worse_by, "a budget has no limit");
    if (!each.at_most) continue;
    const std::string exact = budget::exact_text(*each.at_most, each.unit());
    require(budget::parse_value(exact, each.unit()) == each.at_most, "a value changes", exact);
  }
  check_outputs(*file);
}

// The first capture as a run, against all of them.
void check_judgement(const budget::BaselineBudget& before) {
  budget::Budget each;
  each.name = before.name;
  each.metric = budget::find_budget_metric(before.metric);
  each.of = before.of;
  const budget::CapturedValues& first = before.captures.front();
  const budget::Measurement run{"", first.value, {}, first.samples};
  using Kind = budget::Tolerance::Kind;
  for (const budget::Tolerance& tolerance :
       {budget::Tolerance{}, budget::Tolerance{Kind::share, 0.03, 0},
        budget::Tolerance{Kind::amount, 0, 5}}) {
    each.worse_by = tolerance;
    const budget::Comparison compared =
        budget::compare_with_baseline(each, before.captures, run, 2);
    require(std::isfinite(compared.allowance.limit), "a limit is not finite");
    require(!compared.allowance.share || *compared.allowance.share >= 0, "a tolerance is negative");
    require((compared.state == budget::State::kept) == compared.reason.empty(),
            "a reason is missing");
  }
}

void check_baseline(const std::string& text) {
  const auto baseline = budget::parse_baseline(text, "baseline.json");
  if (!baseline) {
    require(!baseline.error().advice.empty(), "an error has no advice");
    return;
  }
  std::ostringstream out;
  budget::write_baseline(*baseline, out);
  const auto again = budget::parse_baseline(out.str(), "baseline.json");
  require(again.ok() && *again == *baseline, "a baseline changes when it is written", out.str());
  for (std::size_t i = 0; i < std::min<std::size_t>(2, baseline->budgets.size()); ++i) {
    if (!baseline->budgets[i].captures.empty()) check_judgement(baseline->budgets[i]);
  }
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  dlview::fuzz::use_one_thread();
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('{')) {
    dlview::fuzz::check_baseline(text);
  } else {
    dlview::fuzz::check_budget_file(text);
  }
  return 0;
}
