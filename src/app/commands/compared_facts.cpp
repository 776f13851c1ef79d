#include "app/commands/compared_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/units.h"
#include "report/columns.h"
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

// The beginning and the end of a long name, between which the middle is left out.
std::string shortened(const std::string& name) {
  constexpr std::size_t kLongest = 40, kEnd = 18;
  const std::string_view dots = "…";
  if (name.size() <= kLongest) return name;
  const auto inside_a_character = [&name](std::size_t at) {
    return (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80;
  };
  std::size_t begin = kLongest - kEnd - dots.size(), end = name.size() - kEnd;
  while (begin > 0 && inside_a_character(begin)) --begin;
  while (end < name.size() && inside_a_character(end)) ++end;
  return fmt::format("{}{}{}", name.substr(0, begin), dots, name.substr(end));
}

// Puts the figures of the baseline, "against_ns", before those of the other iteration, "ns".
void baseline_first(std::vector<report::Column>& columns) {
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].id == "against_" + columns[i - 1].id) std::swap(columns[i - 1], columns[i]);
  }
}

// Returns the texts of a row's baseline, value and difference.
using RowTexts = std::function<std::optional<ComparedTexts>(std::size_t row)>;

// Times share a unit and decimals, so that a column reads as one; each row has its own where most
// changes would read as less than the last digit.
RowTexts time_texts(const report::Column& baseline, const report::Column& value,
                    std::size_t row_count) {
  using Times = std::optional<std::pair<int64_t, int64_t>>;
  const auto times_of = [baseline = baseline.cell, value = value.cell](std::size_t row) -> Times {
    const Cell from = baseline(row), to = value(row);
    const auto *from_ns = std::get_if<int64_t>(&from), *to_ns = std::get_if<int64_t>(&to);
    if (from_ns == nullptr || to_ns == nullptr) return std::nullopt;
    return std::pair(*from_ns, *to_ns);
  };
  base::ComparedTable table;
  std::vector<int64_t> changes_ns;
  for (std::size_t row = 0; row < row_count; ++row) {
    const Times times = times_of(row);
    if (!times) continue;
    table.add(times->second, times->first);
    if (times->second != times->first) changes_ns.push_back(std::abs(times->second - times->first));
  }
  const auto unreadable = std::ranges::count_if(
      changes_ns, [step_ns = table.step_ns()](int64_t ns) { return ns < step_ns; });
  const bool share_unit = 2 * unreadable <= std::ssize(changes_ns);
  return [times_of, table, share_unit](std::size_t row) -> std::optional<ComparedTexts> {
    const Times times = times_of(row);
    if (!times) return std::nullopt;
    const base::ComparedDurations shown = share_unit
                                              ? table.format(times->second, times->first)
                                              : base::format_compared(times->second, times->first);
    return ComparedTexts{report::without_thin_spaces(shown.baseline),
                         report::without_thin_spaces(shown.value),
                         report::without_thin_spaces(shown.difference)};
  };
}

RowTexts count_texts(const report::Column& baseline, const report::Column& value, Unit unit) {
  return [baseline = baseline.cell, value = value.cell, unit](std::size_t row) {
    return compared_texts(baseline(row), value(row), unit);
  };
}

// Writes the baseline's number, the one next to it and their difference so that the difference is
// that of the shown numbers.
void compare_numbers(report::Table& table) {
  for (std::size_t i = 2; i < table.columns.size(); ++i) {
    report::Column* const three = &table.columns[i - 2];
    if (!three[2].id.starts_with("difference")) continue;
    const RowTexts texts = three[2].unit == Unit::ns
                               ? time_texts(three[0], three[1], table.row_count)
                               : count_texts(three[0], three[1], three[2].unit);
    static constexpr std::array kSides{&ComparedTexts::baseline, &ComparedTexts::value,
                                       &ComparedTexts::difference};
    for (std::size_t k = 0; k < 3; ++k) {
      three[k].cell = [texts, k, exact = three[k].cell](std::size_t row) {
        const auto shown = texts(row);
        return shown ? Cell((*shown).*kSides[k]) : exact(row);
      };
    }
  }
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

report::Table for_terminal(report::Table table) {
  baseline_first(table.columns);
  compare_numbers(table);
  const auto end = table.columns.end();
  const auto names = std::stable_partition(
      table.columns.begin(), end,
      [](const report::Column& column) { return column.kind != report::CellKind::text; });
  const auto full = std::find_if(
      names, end, [](const report::Column& column) { return column.id.ends_with("_name"); });
  if (full != end) std::rotate(full, full + 1, end);
  for (report::Column& column : table.columns) {
    const auto cell = column.cell;
    const bool counts_calls = column.id.ends_with("calls");
    if (column.id == report::ColumnId("only_in").text() || column.id == "change" || counts_calls) {
      const std::string_view of_none = counts_calls ? "none" : "–";
      column.cell = [cell, of_none](std::size_t row) {
        const Cell value = cell(row);
        return std::holds_alternative<std::monostate>(value) ? Cell(of_none) : value;
      };
    } else if (column.kind == report::CellKind::text && &column != &table.columns.back()) {
      column.cell = [cell](std::size_t row) { return Cell(shortened(report::to_text(cell(row)))); };
    }
  }
  return table;
}

}  // namespace dlview::app
