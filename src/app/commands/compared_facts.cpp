#include "app/commands/compared_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/units.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

using aggregate::Unit;
using report::Cell;

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

// In steps of what is shown; `text` writes the absolute value of some.
template <typename Text>
std::string difference_text(double baseline, double value, double per_step, const Text& text) {
  if (baseline == value) return "0";
  const int64_t steps = std::llround(value * per_step) - std::llround(baseline * per_step);
  return base::with_sign(value - baseline, steps == 0
                                               ? fmt::format("<{}{}", base::kThinSpace, text(1))
                                               : text(std::abs(steps)));
}

ComparedTexts compared_shares(double baseline, double value) {
  constexpr double kTenths = 10;
  const auto points = [](int64_t tenths) {
    return fmt::format("{}.{} points", base::format_count(tenths / 10), tenths % 10);
  };
  return {base::format_percent(baseline), base::format_percent(value),
          difference_text(baseline, value, kTenths, points)};
}

// Whole numbers, or tenths below a thousand.
ComparedTexts compared_counts(double baseline, double value) {
  constexpr double kLeastWhole = 999.5;
  const bool are_whole = baseline == std::floor(baseline) && value == std::floor(value);
  const bool has_tenths =
      !are_whole && std::abs(baseline) < kLeastWhole && std::abs(value) < kLeastWhole;
  const double per_step = has_tenths ? 10 : 1;
  const auto text = [has_tenths](int64_t steps) {
    return has_tenths ? fmt::format("{}.{}", steps / 10, steps % 10) : base::format_count(steps);
  };
  const auto shown = [&](double number) { return text(std::llround(number * per_step)); };
  return {shown(baseline), shown(value), difference_text(baseline, value, per_step, text)};
}

std::string text_of(const Fact& fact) {
  if (std::holds_alternative<std::monostate>(fact.value)) return std::string(fact.missing);
  return report::printable(report::readable_text(fact.value, fact.unit, fact.id));
}

ComparedTexts texts_of(const ComparedFact& fact) {
  ComparedTexts texts{text_of(fact.baseline), text_of(fact.value), ""};
  if (fact.difference_id.empty()) return texts;
  return compared_texts(fact.baseline.value, fact.value.value, fact.value.unit).value_or(texts);
}

}  // namespace

Cell difference_of(const Cell& baseline, const Cell& value) {
  const auto *from_ns = std::get_if<int64_t>(&baseline), *to_ns = std::get_if<int64_t>(&value);
  if (from_ns != nullptr && to_ns != nullptr) return *to_ns - *from_ns;
  const std::optional<double> from = number_of(baseline), to = number_of(value);
  return from && to ? Cell(*to - *from) : Cell();
}

void add_facts(const std::vector<ComparedFact>& compared, FactSection& section) {
  for (const ComparedFact& fact : compared) {
    section.facts.insert(section.facts.end(), {fact.baseline, fact.value});
    if (fact.difference_id.empty()) continue;
    section.facts.push_back({fact.difference_id, fact.title,
                             difference_of(fact.baseline.value, fact.value.value),
                             fact.value.unit});
  }
}

report::Table metric_table(std::vector<ComparedFact> compared, std::string baseline_title,
                           std::string value_title) {
  const auto rows = std::make_shared<const std::vector<ComparedFact>>(std::move(compared));
  const auto texts = [rows](std::string id, std::string title, std::string ComparedTexts::*side) {
    return report::integer_column(
        std::move(id), std::move(title), Unit::none,
        [rows, side](std::size_t row) { return Cell(texts_of((*rows)[row]).*side); });
  };
  report::Table table{"metrics", "Metrics", report::Layout::rows, {}, rows->size()};
  table.columns = {report::word_column("metric", "Metric",
                                       [rows](std::size_t row) { return (*rows)[row].title; }),
                   texts("baseline", std::move(baseline_title), &ComparedTexts::baseline),
                   texts("value", std::move(value_title), &ComparedTexts::value),
                   texts("change", "Change", &ComparedTexts::difference)};
  return table;
}

std::optional<ComparedTexts> compared_texts(const Cell& baseline, const Cell& value, Unit unit) {
  const std::optional<double> from = number_of(baseline), to = number_of(value);
  if (!from || !to) return std::nullopt;
  ComparedTexts texts;
  if (unit == Unit::ns) {
    base::ComparedDurations durations =
        base::format_compared(std::llround(*to), std::llround(*from));
    texts = {std::move(durations.baseline), std::move(durations.value),
             std::move(durations.difference)};
  } else {
    texts = unit == Unit::percent ? compared_shares(*from, *to) : compared_counts(*from, *to);
  }
  return ComparedTexts{report::without_thin_spaces(texts.baseline),
                       report::without_thin_spaces(texts.value),
                       report::without_thin_spaces(texts.difference)};
}

}  // namespace dlview::app
