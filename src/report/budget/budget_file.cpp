#include "report/budget/budget_file.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "base/nearest_text.h"
#include "base/parse.h"
#include "base/utf8.h"

// toml++ asserts that a key begins with a letter, or lets the compiler assume it, before it reports
// that it does not: "[[?". Without the assertions it reports it.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(holds) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace dlview::report::budget {
namespace {

using aggregate::Unit;
using Names = std::set<std::string_view>;

constexpr std::array<std::string_view, 6> kFacts{"gpu",       "gpus", "compute_capability",
                                                 "framework", "cuda", "driver"};

// An error of the file, which ends the reading.
struct Refused {
  base::Error error;
};

std::string did_you_mean(const Names& names, std::string_view wrong) {
  const std::string_view nearest = base::nearest_text(names, wrong);
  return nearest.empty() ? fmt::format("Valid: {}", fmt::join(names, ", "))
                         : fmt::format("Did you mean {}?", nearest);
}

Place place_of(const toml::source_position& position) {
  return {static_cast<int64_t>(position.line), static_cast<int64_t>(position.column)};
}
Place place_of(const toml::node& node) {
  return place_of(node.source().begin);
}
#if TOML_LIB_MAJOR >= 3
std::string text_of(const toml::key& key) {
  return std::string(key.str());
}
Place place_of(const toml::key& key, const toml::node&) {
  return place_of(key.source().begin);
}
#else
std::string text_of(const std::string& key) {
  return key;
}
Place place_of(const std::string&, const toml::node& value) {
  return place_of(value);
}
#endif

class BudgetReader {
 public:
  explicit BudgetReader(const std::string& path) { file_.path = path; }

  BudgetFile read(const toml::table& root) {
    check_keys(root, {"run", "budget"}, "key");
    if (const toml::node* run = root.get("run")) read_run(table_of(*run, "run"));
    const toml::node* budgets = root.get("budget");
    if (budgets == nullptr) {
      throw Refused{{"No budgets in the file", file_.path, "Add a [[budget]] with a metric"}};
    }
    const toml::array* list = budgets->as_array();
    if (list == nullptr) {
      refuse(place_of(*budgets), "Invalid budget: not a list", "Write [[budget]] in two brackets");
    }
    for (const toml::node& budget : *list) read_budget(table_of(budget, "budget"));
    if (file_.budgets.empty()) {
      refuse(place_of(*budgets), "No budgets in the file", "Add a [[budget]] with a metric");
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const Place& place, std::string title, std::string advice) const {
    throw Refused{{std::move(title), file_.place_text(place), std::move(advice)}};
  }

  const toml::table& table_of(const toml::node& node, std::string_view name) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      refuse(place_of(node), fmt::format("Invalid {}: not a table", name),
             fmt::format("Write {}", name == "run" ? "[run]" : "[[budget]]"));
    }
    return *table;
  }

  void check_keys(const toml::table& table, const Names& known, std::string_view what) const {
    for (const auto& [key, node] : table) {
      const std::string name = text_of(key);
      if (known.contains(name)) continue;
      refuse(place_of(key, node), fmt::format("Unknown {}: \"{}\"", what, name),
             did_you_mean(known, name));
    }
  }

  std::string string_of(const toml::node& node, std::string_view key) const {
    const auto* text = node.as_string();
    if (text == nullptr) {
      refuse(place_of(node), fmt::format("Invalid {}: not a text", key),
             fmt::format("Write {} = \"...\" in quotes", key));
    }
    return text->get();
  }
  std::vector<std::pair<std::string, Place>> strings_of(const toml::node& node,
                                                        std::string_view key) const {
    std::vector<std::pair<std::string, Place>> texts;
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      refuse(place_of(node), fmt::format("Invalid {}: not a list", key),
             fmt::format("Write {} = [\"...\"] in brackets", key));
    }
    for (const toml::node& text : *list) texts.emplace_back(string_of(text, key), place_of(text));
    return texts;
  }

  // One of a few words.
  std::size_t word_of(const toml::node& node, std::string_view key, const auto& words) const {
    const std::string text = string_of(node, key);
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
      refuse(place_of(node), fmt::format("Invalid {}: \"{}\"", key, text),
             did_you_mean(Names(words.begin(), words.end()), text));
    }
    return static_cast<std::size_t>(found - words.begin());
  }

  void read_run(const toml::table& run) {
    check_keys(run, {"key_op", "iterations", "split_by", "needs"}, "key of [run]");
    if (const toml::node* key_op = run.get("key_op")) {
      file_.key_op = string_of(*key_op, "key_op");
      file_.key_op_place = place_of(*key_op);
    }
    if (const toml::node* split_by = run.get("split_by")) {
      constexpr std::array<std::string_view, 2> kSplits{"host", "gpu"};
      file_.split_by = static_cast<aggregate::SplitBy>(word_of(*split_by, "split_by", kSplits));
    }
    if (const toml::node* iterations = run.get("iterations")) {
      file_.iterations = range_of(*iterations);
    }
    if (const toml::node* needs = run.get("needs")) {
      for (const auto& need : strings_of(*needs, "needs")) {
        file_.needs.push_back(need_of(need.first, need.second));
      }
    }
  }

  RangeChoice range_of(const toml::node& node) const {
    const std::string text = string_of(node, "iterations");
    if (text == "steady") return {RangeChoice::Kind::steady, {}, place_of(node)};
    if (text == "all") return {RangeChoice::Kind::all, {}, place_of(node)};
    const std::size_t colon = text.find(':');
    const auto first = base::parse_natural(std::string_view(text).substr(0, colon));
    const auto last = colon == std::string::npos
                          ? first
                          : base::parse_natural(std::string_view(text).substr(colon + 1));
    if (!first || !last || *first > *last) {
      refuse(place_of(node), fmt::format("Invalid iterations: \"{}\"", text),
             "Valid: \"steady\", \"all\", or a range such as \"50:100\"");
    }
    return {RangeChoice::Kind::range, {*first, *last}, place_of(node)};
  }

  Need need_of(std::string_view text, const Place& place) const {
    const std::size_t equals = text.find('=');
    const std::string_view fact = trimmed_of(text.substr(0, equals));
    if (equals == std::string_view::npos) {
      refuse(place, fmt::format("Invalid needs: \"{}\"", text),
             "Write a fact and a value: \"gpu = NVIDIA H100*\"");
    }
    const auto known = std::ranges::find(kFacts, fact);
    if (known == kFacts.end()) {
      refuse(place, fmt::format("Unknown fact in needs: \"{}\"", fact),
             did_you_mean(Names(kFacts.begin(), kFacts.end()), fact));
    }
    return {static_cast<Need::Fact>(known - kFacts.begin()),
            std::string(trimmed_of(text.substr(equals + 1))), place};
  }

  void read_budget(const toml::table& table) {
    check_keys(table,
               {"name", "metric", "of", "at_most", "at_least", "equals", "worse_by_at_most", "only",
                "level", "unknown"},
               "key of a budget");
    Budget budget;
    budget.place = place_of(table);
    const toml::node* metric = table.get("metric");
    if (metric == nullptr) refuse(budget.place, "Budget without a metric", "Add metric = \"...\"");
    budget.metric = &metric_of(*metric);
    budget.of = budget.metric->default_statistic();
    if (const toml::node* of = table.get("of")) budget.of = statistic_of_node(*of, budget);
    budget.name = fmt::format("{} ({})", budget.metric->id.text(), to_text(budget.of));
    if (const toml::node* name = table.get("name")) {
      budget.name = string_of(*name, "name");
      budget.place = place_of(*name);
    }
    if (budget.name.empty()) refuse(budget.place, "Empty name of a budget", "Write a name");
    for (const Budget& other : file_.budgets) {
      if (other.name == budget.name) {
        refuse(budget.place, fmt::format("Two budgets are named \"{}\"", budget.name),
               "Write another name for one of them");
      }
    }
    read_limits(table, budget);
    if (const toml::node* only = table.get("only")) read_filters(*only, budget);
    read_consequences(table, budget);
    file_.budgets.push_back(std::move(budget));
  }

  const BudgetMetric& metric_of(const toml::node& node) const {
    const std::string id = string_of(node, "metric");
    if (const BudgetMetric* found = find_budget_metric(id)) return *found;
    Names names;
    for (const BudgetMetric& metric : all_budget_metrics()) names.insert(metric.id.text());
    const auto& declared = aggregate::all_metrics();
    const bool is_declared =
        std::ranges::find(declared, id, &aggregate::Metric::id) != declared.end();
    refuse(place_of(node),
           is_declared ? fmt::format("Metric without a single value: \"{}\"", id)
                       : fmt::format("Unknown metric: \"{}\"", id),
           did_you_mean(names, id));
  }

  Statistic statistic_of_node(const toml::node& node, const Budget& budget) const {
    const std::string text = string_of(node, "of");
    const std::optional<Statistic> of = parse_statistic(text);
    Names names;
    for (uint8_t i = 0; i <= static_cast<uint8_t>(Statistic::range); ++i) {
      const auto statistic = static_cast<Statistic>(i);
      if (budget.metric->can_be(statistic)) names.insert(to_text(statistic));
    }
    if (of && names.contains(text)) return *of;
    if (of && budget.metric->is_per_iteration && budget.metric->is_of_best(*of)) {
      const bool is_extreme = *of == Statistic::min || *of == Statistic::max;
      const bool is_less = budget.metric->less_is_better;
      refuse(place_of(node),
             fmt::format("{} of {} is that of the best iterations", text, budget.metric->id.text()),
             fmt::format("{} is worse: write of = \"{}\"", is_less ? "More" : "Less",
                         is_extreme ? (is_less ? "max" : "min") : (is_less ? "p95" : "p5")));
    }
    refuse(place_of(node),
           of ? fmt::format("{} has no {}", budget.metric->id.text(), text)
              : fmt::format("Invalid of: \"{}\"", text),
           of ? fmt::format("Valid: {}", fmt::join(names, ", ")) : did_you_mean(names, text));
  }

  // "310 ms", or a number where the unit is clear.
  int64_t limit_of(const toml::node& node, std::string_view key, Unit unit) const {
    std::string text;
    if (const auto* string = node.as_string()) {
      text = string->get();
    } else if (const auto* integer = node.as_integer()) {
      text = std::to_string(integer->get());
    } else if (const auto* real = node.as_floating_point()) {
      text = fmt::format("{}", real->get());
    } else {
      refuse(place_of(node), fmt::format("Invalid {}: not a number", key), example(key, unit));
    }
    const std::optional<int64_t> value = parse_value(text, unit);
    const std::string number(trimmed_of(text));
    const bool is_negative =
        number.size() > 1 && number[0] == '-' && number[1] >= '0' && number[1] <= '9';
    if (!value && is_negative) {
      refuse(place_of(node),
             fmt::format("Invalid {}: {} is less than 0", key, base::with_valid_utf8(number)),
             fmt::format("Values are 0 or more. {}", example(key, unit)));
    }
    if (!value) {
      refuse(place_of(node), fmt::format("Invalid {}: \"{}\"", key, base::with_valid_utf8(text)),
             example(key, unit));
    }
    return *value;
  }

  static std::string example(std::string_view key, Unit unit) {
    const std::string_view units = units_of(unit);
    if (units.empty()) return fmt::format("Write a whole number: {} = 12", key);
    const std::string_view value = unit == Unit::ns      ? "310 ms"
                                   : unit == Unit::bytes ? "2 GiB"
                                                         : "80%";
    return fmt::format("Write a number and a unit: {} = \"{}\". Units: {}", key, value, units);
  }

  void read_limits(const toml::table& table, Budget& budget) const {
    const auto read = [&](std::string_view key, std::optional<int64_t>& limit) {
      if (const toml::node* node = table.get(key)) limit = limit_of(*node, key, budget.unit());
    };
    read("at_most", budget.at_most);
    read("at_least", budget.at_least);
    read("equals", budget.equals);
    if (const toml::node* node = table.get("equals"); node != nullptr && !is_exact(budget)) {
      refuse(place_of(*node), fmt::format("{} is not a count", budget.metric->id.text()),
             "Write at_most or at_least");
    }
    if (budget.at_most && budget.at_least && *budget.at_most < *budget.at_least) {
      refuse(place_of(*table.get("at_most")), "at_most is less than at_least",
             "Write limits that a value can keep");
    }
    if (const toml::node* node = table.get("worse_by_at_most")) {
      budget.worse_by = tolerance_of(*node, budget);
    }
    if (!budget.at_most && !budget.at_least && !budget.equals && !budget.worse_by) {
      refuse(budget.place, fmt::format("Budget \"{}\" has no limit", budget.name),
             "Add at_most, at_least, equals or worse_by_at_most");
    }
  }

  static bool is_exact(const Budget& budget) { return units_of(budget.unit()).empty(); }

  Tolerance tolerance_of(const toml::node& node, const Budget& budget) const {
    constexpr std::string_view kKey = "worse_by_at_most";
    if (budget.metric->needs_names()) {
      refuse(place_of(node),
             fmt::format("{} compares with the baseline by itself", budget.metric->id.text()),
             "Write at_most, at_least or equals");
    }
    if (budget.of == Statistic::each) {
      refuse(place_of(node), "A budget of each iteration has no baseline",
             "Write at_most or at_least, or of = \"max\"");
    }
    const std::string text = node.is_string() ? string_of(node, kKey) : "";
    if (text == "learned") return {};
    if (const auto percent = parse_value(text, Unit::percent)) {
      const double share = static_cast<double>(*percent) / (100.0 * kPercent);
      return {Tolerance::Kind::share, share, 0};
    }
    constexpr std::string_view kPoints = "points";
    if (budget.unit() == Unit::percent && text.ends_with(kPoints)) {
      const std::string number = text.substr(0, text.size() - kPoints.size());
      if (const auto amount = parse_value(number + "%", Unit::percent)) {
        return {Tolerance::Kind::amount, 0, *amount};
      }
    } else if (budget.unit() != Unit::percent) {
      const std::string amount_text =
          node.is_integer() ? std::to_string(node.as_integer()->get()) : text;
      if (const auto amount = parse_value(amount_text, budget.unit())) {
        return {Tolerance::Kind::amount, 0, *amount};
      }
    }
    const std::string_view amount = budget.unit() == Unit::ns        ? "\"2 ms\""
                                    : budget.unit() == Unit::bytes   ? "\"64 MiB\""
                                    : budget.unit() == Unit::percent ? "\"2 points\""
                                                                     : "\"3\"";
    const std::string valid = fmt::format(
        "Valid: \"learned\", a share of the baseline (\"3%\"), or an amount ({})", amount);
    if (const auto number = node.value<double>();
        number && !node.is_boolean() && !node.is_string()) {
      refuse(place_of(node), fmt::format("Invalid {}: {}", kKey, *number),
             fmt::format("Quote the value: \"{:.4g}%\". {}",
                         std::abs(*number) < 1 ? 100 * *number : *number, valid));
    }
    refuse(place_of(node), fmt::format("Invalid {}: \"{}\"", kKey, base::with_valid_utf8(text)),
           valid);
  }

  void read_filters(const toml::node& node, Budget& budget) const {
    if (!aggregate::metric(budget.metric->id).obeys_filters) {
      refuse(place_of(node), fmt::format("Filters do not change {}", budget.metric->id.text()),
             "Delete only, or choose another metric");
    }
    Names kinds;
    for (const aggregate::FilterKind kind : aggregate::kFilterKinds) {
      if (kind != aggregate::FilterKind::time) kinds.insert(to_text(kind));
    }
    for (const auto& text : strings_of(node, "only")) {
      const std::size_t equals = text.first.find('=');
      const std::string_view kind = trimmed_of(std::string_view(text.first).substr(0, equals));
      if (equals == std::string::npos) {
        refuse(text.second, fmt::format("Invalid only: \"{}\"", text.first),
               "Write a kind and a value: \"op_type=conv2d\"");
      }
      if (!kinds.contains(kind)) {
        refuse(
            text.second, fmt::format("Unknown kind in only: \"{}\"", kind),
            kind == "time" ? "Delete it: times differ from run to run" : did_you_mean(kinds, kind));
      }
      const auto filter = aggregate::parse_filter(
          kind, trimmed_of(std::string_view(text.first).substr(equals + 1)));
      if (!filter) {
        refuse(text.second, fmt::format("Invalid only: \"{}\"", text.first), filter.error().advice);
      }
      budget.only.push_back(*filter);
    }
    budget.only = aggregate::canonical(std::move(budget.only));
  }

  void read_consequences(const toml::table& table, Budget& budget) const {
    constexpr std::array<std::string_view, 2> kLevels{"error", "warning"};
    constexpr std::array<std::string_view, 3> kUnknown{"fail", "pass", "skip"};
    if (const toml::node* level = table.get("level")) {
      budget.level = static_cast<Level>(word_of(*level, "level", kLevels));
    }
    if (const toml::node* unknown = table.get("unknown")) {
      budget.when_unknown = static_cast<WhenUnknown>(word_of(*unknown, "unknown", kUnknown));
    }
  }

  BudgetFile file_;
};

}  // namespace

std::string_view to_text(Need::Fact fact) {
  return kFacts[static_cast<std::size_t>(fact)];
}

bool matches(std::string_view text, std::string_view pattern) {
  // Backtracks to the last star only.
  std::size_t at = 0, p = 0, star = std::string_view::npos, resumed = 0;
  while (at < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resumed = at;
    } else if (p < pattern.size() && pattern[p] == text[at]) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string to_text(const RangeChoice& choice) {
  if (choice.kind == RangeChoice::Kind::steady) return "steady";
  if (choice.kind == RangeChoice::Kind::all) return "all";
  return fmt::format("{}:{}", choice.range.first, choice.range.last);
}

std::string BudgetFile::place_text(const Place& place) const {
  return fmt::format("{}:{}:{}", path, place.line, place.column);
}

bool BudgetFile::needs_baseline() const {
  return needs_names() || std::ranges::any_of(budgets, [](const Budget& budget) {
           return budget.worse_by.has_value();
         });
}

bool BudgetFile::needs_names() const {
  return std::ranges::any_of(budgets,
                             [](const Budget& budget) { return budget.metric->needs_names(); });
}

base::Result<BudgetFile> parse_budget_file(std::string_view text, const std::string& path) {
  if (text.size() > kMostBudgetFileBytes) {
    return base::Error{"Budget file larger than 1 MiB", path, "Check the path"};
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto problem = find_toml_problem(text)) {
    return base::Error{problem->title,
                       fmt::format("{}:{}:{}", path, problem->place.line, problem->place.column),
                       problem->advice};
  }
  if (const auto line = line_of_single_table(text)) {
    return base::Error{"Invalid [budget]: budgets are a list", fmt::format("{}:{}:1", path, *line),
                       "Write [[budget]] in two brackets"};
  }
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const Place place = place_of(error.source().begin);
    return base::Error{"Invalid TOML in the budget file",
                       fmt::format("{}:{}:{}: {}", path, place.line, place.column,
                                   base::with_valid_utf8(error.description())),
                       advice_on_line(line_of(text, place.line))};
  }
  try {
    return BudgetReader(path).read(parsed.table());
  } catch (const Refused& refused) {
    return refused.error;
  }
}

std::optional<std::string> budget_toml(aggregate::MetricId metric, Statistic of,
                                       std::optional<int64_t> limit,
                                       const std::vector<aggregate::Filter>& filters) {
  const BudgetMetric* found = find_budget_metric(metric.text());
  const bool is_filtered = !filters.empty();
  if (found == nullptr || !found->can_be(of) || limit.value_or(0) < 0) return std::nullopt;
  if (is_filtered && !aggregate::metric(metric).obeys_filters) return std::nullopt;
  std::string name = fmt::format("{} {}", aggregate::metric(metric).title, to_text(of));
  // Names are unique.
  for (const aggregate::Filter& filter : filters) name += ", " + to_text(filter);
  std::string text = fmt::format("[[budget]]\nname = {}\nmetric = {}\nof = {}\n", toml_string(name),
                                 toml_string(metric.text()), toml_string(to_text(of)));
  if (limit) {
    const std::string value = exact_text(*limit, found->unit());
    text += fmt::format("{} = {}\n", found->less_is_better ? "at_most" : "at_least",
                        units_of(found->unit()).empty() ? value : toml_string(value));
  } else {
    text += "worse_by_at_most = \"learned\"\n";
  }
  if (!is_filtered) return text;
  std::vector<std::string> only;
  for (const aggregate::Filter& filter : filters) {
    if (filter.kind == aggregate::FilterKind::time) return std::nullopt;
    only.push_back(toml_string(to_text(filter)));
  }
  return text + fmt::format("only = [{}]\n", fmt::join(only, ", "));
}

}  // namespace dlview::report::budget
