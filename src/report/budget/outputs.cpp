#include "report/budget/outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "base/utf8.h"
#include "report/budget/phrases.h"
#include "report/writers/text.h"

namespace dlview::report::budget {
namespace {

using aggregate::Unit;

// As far as a reader should look at them first; the same for warnings, after all errors.
int severity(const Judgement& judgement) {
  constexpr std::array kOrder{State::broken,         State::not_measurable, State::inconclusive,
                              State::not_comparable, State::skipped,        State::kept};
  const auto place = std::ranges::find(kOrder, judgement.state) - kOrder.begin();
  const bool is_kept = judgement.state == State::kept || judgement.state == State::skipped;
  const int late = judgement.budget->level == Level::warning && !is_kept ? 10 : 0;
  return (is_kept ? 20 : 0) + late + static_cast<int>(place);
}

double relative_worsening(const Judgement& judgement) {
  if (!judgement.value || !judgement.allowance || judgement.allowance->baseline == 0) return 0;
  const double change = static_cast<double>(*judgement.value) / judgement.allowance->baseline - 1;
  return judgement.budget->metric->less_is_better ? change : -change;
}

// Whether it makes the exit code 1 or 3.
bool fails(const Judgement& judgement, Inconclusive inconclusive) {
  if (!judgement.counts()) return false;
  const bool is_open =
      judgement.state == State::inconclusive || judgement.state == State::not_comparable;
  return judgement.state == State::broken || judgement.state == State::not_measurable ||
         (is_open && inconclusive == Inconclusive::fail);
}

// "run.sqlite, 58 iterations (steady: 12:69), 8 x NVIDIA H100"
std::string run_text(const CheckedRun& run) {
  const auto& judgements = run.verdicts.judgements;
  const aggregate::IterationRange range =
      judgements.empty() ? aggregate::IterationRange{} : judgements.front().range;
  const std::string which = run.file.iterations.kind == RangeChoice::Kind::range
                                ? ""
                                : to_text(run.file.iterations) + ": ";
  return fmt::format("{}, {} ({}{}:{}), {}", run.facts.file,
                     base::counted(run.facts.iterations, "iterations"), which, range.first,
                     range.last, run.facts.gpu_text());
}

std::string in_xml(std::string_view text) {
  std::string escaped;
  for (const char c : printable(base::with_valid_utf8(text))) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  // The two code points that are UTF-8 and no XML.
  for (const char* const no_character : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = escaped.find(no_character, at)) != std::string::npos;) {
      escaped.replace(at, 3, "?");
    }
  }
  return escaped;
}

std::string in_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : printable(base::with_valid_utf8(text))) {
    if (std::string_view("\\`*_[]~$#!").find(c) != std::string_view::npos) {
      escaped += '\\';
      escaped += c;
    } else if (std::string_view("|<>&@").find(c) != std::string_view::npos) {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// As GitHub's toolkit escapes the message, and a property, of a workflow command. Control
// characters are visible.
std::string in_command(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : printable(base::with_valid_utf8(text))) {
    const bool separates = is_property && (c == ':' || c == ',');
    if (c == '%' || separates) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string annotation(const char* kind, const std::string& file, const Place& place,
                       const std::string& title, const std::string& message) {
  const std::string where =
      place.line > 0 ? fmt::format(",line={},col={}", place.line, place.column) : "";
  return fmt::format("::{} file={}{},title={}::{}\n", kind, in_command(file, true), where,
                     in_command(title, true), in_command(message, false));
}

// What a reader of one budget needs, line by line.
std::vector<std::string> detail_lines(const Judgement& judgement) {
  std::vector<std::string> lines;
  const auto add = [&lines](const char* title, const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{}: {}", title, text));
  };
  add("Value", value_or_none(judgement));
  add("Limit", limit_text(judgement));
  add("Baseline", baseline_text(judgement));
  if (judgement.change) {
    const auto bound = [](double share) {
      return fmt::format("{}{:.1f}%", share < 0 ? "−" : "+", std::abs(100 * share));
    };
    add("Change", fmt::format("{} ({} to {})", change_text_of(judgement),
                              bound(judgement.change->low), bound(judgement.change->high)));
  }
  std::vector<std::string> worst;
  for (const auto& iteration : judgement.worst) {
    worst.push_back(fmt::format("{} ({})", iteration.first,
                                value_text(iteration.second, judgement.budget->unit())));
  }
  add("Worst iterations", fmt::format("{}", fmt::join(worst, ", ")));
  for (const std::string& note : judgement.notes) add("Note", note);
  return lines;
}

std::string testcase_xml(const CheckedRun& run, const Judgement& judgement) {
  const Budget& budget = *judgement.budget;
  const std::string head = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">\n",
      in_xml(run.file.path), in_xml(budget.name), in_xml(run.file.path), budget.place.line);
  std::string details;
  for (const std::string& line : detail_lines(judgement)) details += in_xml(line) + "\n";
  std::string body;
  if (fails(judgement, run.inconclusive)) {
    body = fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n",
                       in_xml(judgement.reason), in_xml(to_text(judgement.state)), details);
  } else if (judgement.state == State::skipped || (!is_fine(judgement) && judgement.counts())) {
    body = fmt::format("      <skipped message=\"{}: {}\"/>\n", in_xml(to_text(judgement.state)),
                       in_xml(judgement.reason));
  } else {
    const std::string warning =
        is_fine(judgement) ? ""
                           : fmt::format("Warning: {}: {}\n", in_xml(to_text(judgement.state)),
                                         in_xml(judgement.reason));
    body = fmt::format("      <system-out>{}{}</system-out>\n", warning, details);
  }
  return head + body + "    </testcase>\n";
}

std::string suites_xml(const std::string& suite, std::size_t tests, std::size_t failures,
                       std::size_t errors, std::size_t skipped, const std::string& cases) {
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"", tests,
                  failures, errors, skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"dlview budget check\" "
      "{}>\n  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n</testsuites>\n",
      counts, in_xml(suite), counts, cases);
}

std::string one_line_of(const base::Error& error) {
  return base::one_line(error);
}

nlohmann::ordered_json number_or_null(const std::optional<int64_t>& value, Unit unit) {
  if (!value) return nullptr;
  return unit == Unit::percent ? nlohmann::ordered_json(number_of(*value, unit))
                               : nlohmann::ordered_json(*value);
}

nlohmann::ordered_json budget_json(const Judgement& judgement) {
  using OutputJson = nlohmann::ordered_json;
  const Budget& budget = *judgement.budget;
  const Unit unit = budget.unit();
  OutputJson json = {{"name", base::with_valid_utf8(budget.name)},
                     {"line", budget.place.line},
                     {"metric", budget.metric->id.text()},
                     {"of", to_text(budget.of)},
                     {"unit", unit_text(unit)},
                     {"level", budget.level == Level::error ? "error" : "warning"},
                     {"state", to_text(judgement.state)},
                     {"reason", base::with_valid_utf8(judgement.reason)},
                     {"value", number_or_null(judgement.value, unit)},
                     {"at_most", number_or_null(budget.at_most, unit)},
                     {"at_least", number_or_null(budget.at_least, unit)},
                     {"equals", number_or_null(budget.equals, unit)},
                     {"iterations", judgement.iterations}};
  OutputJson allowance = nullptr;
  if (judgement.allowance) {
    const double scale = unit == Unit::percent ? static_cast<double>(kPercent) : 1;
    allowance = {{"value", judgement.allowance->baseline / scale},
                 {"captures", judgement.allowance->captures},
                 {"learned", judgement.allowance->is_learned},
                 {"limit", judgement.allowance->limit / scale}};
  }
  json["baseline"] = allowance;
  json["change"] = nullptr;
  if (judgement.change) json["change"] = {judgement.change->low, judgement.change->high};
  OutputJson worst = OutputJson::array();
  for (const auto& iteration : judgement.worst) {
    worst.push_back(
        {{"iteration", iteration.first}, {"value", number_or_null(iteration.second, unit)}});
  }
  json["worst"] = worst;
  return json;
}

}  // namespace

std::vector<const Judgement*> by_severity(const Verdicts& verdicts) {
  std::vector<const Judgement*> order;
  for (const Judgement& judgement : verdicts.judgements) order.push_back(&judgement);
  std::ranges::stable_sort(order, [](const Judgement* a, const Judgement* b) {
    if (severity(*a) != severity(*b)) return severity(*a) < severity(*b);
    return relative_worsening(*a) > relative_worsening(*b);
  });
  return order;
}

std::string count_text(const Verdicts& verdicts) {
  std::vector<std::string> parts;
  for (const State state : {State::broken, State::not_measurable, State::inconclusive,
                            State::not_comparable, State::kept, State::skipped}) {
    int64_t count = verdicts.count(state, Level::error);
    if (state == State::kept || state == State::skipped) {
      count += verdicts.count(state, Level::warning);
    }
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_text(state)));
  }
  const auto warnings = std::ranges::count_if(verdicts.judgements, [](const Judgement& judgement) {
    return judgement.budget->level == Level::warning && !is_fine(judgement);
  });
  if (warnings > 0) parts.push_back(base::counted(warnings, "warnings"));
  return fmt::format("{}: {}",
                     base::counted(static_cast<int64_t>(verdicts.judgements.size()), "budgets"),
                     fmt::join(parts, ", "));
}

std::string check_text(const CheckedRun& run) {
  const auto& judgements = run.verdicts.judgements;
  std::ostringstream out;
  out << fmt::format("{}: {}\n", printable(run.file.path), printable(run_text(run)));
  if (run.baseline != nullptr) {
    out << fmt::format(
        "Baseline: {} of {}{}\n",
        base::counted(static_cast<int64_t>(run.baseline->captures.size()), "captures"),
        printable(run.baseline->made),
        run.baseline->accepted.empty() ? "" : ", " + printable(run.baseline->accepted));
  }
  out << '\n';
  Table table{"budgets", "Budgets", Layout::rows, {}, judgements.size()};
  const auto add = [&](const char* id, const char* title, auto text) {
    table.columns.push_back(text_column(
        id, title, [&judgements, text](std::size_t row) { return Cell(text(judgements[row])); }));
  };
  add("state", "State", state_text);
  add("budget", "Budget", [](const Judgement& judgement) { return judgement.budget->name; });
  add("value", "Value", value_or_none);
  add("limit", "Limit", limit_text);
  if (run.baseline != nullptr) {
    add("baseline", "Baseline", baseline_text);
    add("change", "Change", change_text_of);
  }
  write_text(table, Numbers::readable, out, "");
  out << '\n';
  bool has_lines = false;
  std::set<std::string> written;  // reasons that are not about one budget
  for (const Judgement* judgement : by_severity(run.verdicts)) {
    const std::string where = printable(run.file.place_text(judgement->budget->place));
    if (judgement->state == State::not_comparable && !judgement->reason.empty()) {
      const auto same = std::ranges::count_if(judgements, [&](const Judgement& other) {
        return other.state == State::not_comparable && other.reason == judgement->reason;
      });
      if (same > 1) {
        if (written.insert(judgement->reason).second) {
          out << fmt::format("- {} budgets: {}\n", base::format_count(same),
                             printable(judgement->reason));
        }
        has_lines = true;
      }
    }
    if (!judgement->reason.empty() && !written.contains(judgement->reason)) {
      out << fmt::format("- {}: {}: {}\n", where, printable(judgement->budget->name),
                         printable(judgement->reason));
      has_lines = true;
    }
    for (const std::string& note : judgement->notes) {
      out << fmt::format("- {}: {}: {}\n", where, printable(judgement->budget->name),
                         printable(note));
      has_lines = true;
    }
  }
  for (const std::string& note : run.verdicts.notes) {
    out << fmt::format("- {}\n", printable(note));
    has_lines = true;
  }
  if (has_lines) out << '\n';
  out << count_text(run.verdicts) << '\n';
  return out.str();
}

std::string junit_xml(const CheckedRun& run) {
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  for (const Judgement& judgement : run.verdicts.judgements) {
    const std::string testcase = testcase_xml(run, judgement);
    failures += testcase.find("<failure ") != std::string::npos ? 1 : 0;
    skipped += testcase.find("<skipped ") != std::string::npos ? 1 : 0;
    cases += testcase;
  }
  return suites_xml(run.file.path, run.verdicts.judgements.size(), failures, 0, skipped, cases);
}

std::string junit_error_xml(const std::string& budget_file, const base::Error& error) {
  const std::string text = in_xml(one_line_of(error));
  return suites_xml(
      budget_file, 1, 0, 1, 0,
      fmt::format("    <testcase classname=\"{}\" name=\"budget check\" file=\"{}\" "
                  "time=\"0\">\n      <error message=\"{}\" type=\"unusable\">{}</error>\n    "
                  "</testcase>\n",
                  in_xml(budget_file), in_xml(budget_file), text, text));
}

std::string summary_markdown(const CheckedRun& run, std::size_t most_bytes) {
  const int code = exit_code_of(run.verdicts, run.inconclusive);
  std::string text = fmt::format(
      "### Budgets: {}\n\n{}\n\n{}\n\n| State | Budget | Value | Limit | Baseline | Change | "
      "Reason "
      "|\n|---|---|--:|--:|--:|--:|---|\n",
      code == 0   ? "kept"
      : code == 1 ? "broken"
                  : "inconclusive",
      in_markdown(run_text(run)), in_markdown(count_text(run.verdicts)));
  constexpr std::size_t kEnd = 64;  // for "n more"
  if (text.size() + kEnd > most_bytes) return "";
  const std::vector<const Judgement*> order = by_severity(run.verdicts);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Judgement& judgement = *order[i];
    const std::string row =
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", in_markdown(state_text(judgement)),
                    in_markdown(judgement.budget->name), value_or_none(judgement),
                    in_markdown(limit_text(judgement)), baseline_text(judgement),
                    change_text_of(judgement), in_markdown(judgement.reason));
    if (text.size() + row.size() + kEnd > most_bytes) {
      return text + fmt::format("\n{} more\n\n", order.size() - i);
    }
    text += row;
  }
  return text + "\n";
}

std::string github_annotations(const CheckedRun& run) {
  std::map<std::string, std::vector<const Judgement*>> of_kind;
  for (const Judgement* judgement : by_severity(run.verdicts)) {
    if (is_fine(*judgement)) continue;
    of_kind[fails(*judgement, run.inconclusive) ? "error" : "warning"].push_back(judgement);
  }
  std::string text;
  for (const auto& kind : of_kind) {
    const auto& judgements = kind.second;
    const std::size_t shown =
        judgements.size() > kMostAnnotations ? kMostAnnotations - 1 : judgements.size();
    for (std::size_t i = 0; i < shown; ++i) {
      const Budget& budget = *judgements[i]->budget;
      text += annotation(kind.first.c_str(), run.file.path, budget.place,
                         fmt::format("{}: {}", budget.name, to_text(judgements[i]->state)),
                         judgements[i]->reason);
    }
    if (shown < judgements.size()) {
      text += annotation(
          kind.first.c_str(), run.file.path, {},
          fmt::format("{} more",
                      base::counted(static_cast<int64_t>(judgements.size() - shown), "budgets")),
          "The log of the step lists all budgets.");
    }
  }
  return text;
}

std::string github_error_annotation(const std::string& budget_file, const base::Error& error) {
  // Errors of the file itself begin with "budget.toml:7:3".
  Place place;
  std::istringstream detail(error.detail.starts_with(budget_file)
                                ? error.detail.substr(budget_file.size())
                                : std::string());
  char colon = 0, second = 0;
  if (!(detail >> colon >> place.line >> second >> place.column) || colon != ':' || second != ':') {
    place = {};
  }
  return annotation("error", budget_file, place, error.title, one_line_of(error));
}

std::string check_json(const CheckedRun& run) {
  nlohmann::ordered_json gpus = nlohmann::ordered_json::object();
  for (const auto& gpu : run.facts.gpus) gpus[base::with_valid_utf8(gpu.first)] = gpu.second;
  nlohmann::ordered_json budgets = nlohmann::ordered_json::array();
  for (const Judgement& judgement : run.verdicts.judgements) {
    budgets.push_back(budget_json(judgement));
  }
  const aggregate::IterationRange range = run.verdicts.judgements.empty()
                                              ? aggregate::IterationRange{}
                                              : run.verdicts.judgements.front().range;
  const nlohmann::ordered_json json = {{"dlview_budget_check", 1},
                                       {"budget_file", base::with_valid_utf8(run.file.path)},
                                       {"file", base::with_valid_utf8(run.facts.file)},
                                       {"exit_code", exit_code_of(run.verdicts, run.inconclusive)},
                                       {"iterations", {range.first, range.last}},
                                       {"gpus", gpus},
                                       {"notes", run.verdicts.notes},
                                       {"budgets", budgets}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace dlview::report::budget
