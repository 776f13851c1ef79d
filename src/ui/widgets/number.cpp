#include "ui/widgets/number.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/metrics.h"
#include "aggregate/provenance.h"
#include "base/units.h"
#include "report/budget/budget_file.h"
#include "ui/filters.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

std::string_view title_of(const Number& number) {
  return number.title.empty() ? aggregate::metric(number.metric).title
                              : std::string_view(number.title);
}

std::optional<std::string> sql_for(const Model& model, const Number& number) {
  if (!number.sql || !model.profile || !model.aggregation) return std::nullopt;
  return aggregate::sql_of(*model.profile, *model.aggregation, {number.metric, number.op});
}

// "From read_only_kernels: 100 000 kernels".
std::string origin(const Model& model, const Number& number) {
  const std::string source =
      aggregate::source_tables(aggregate::metric(number.metric), model.profile.get());
  if (!number.sql || !model.profile || !model.aggregation) return fmt::format("From {}", source);
  const std::string rows = aggregate::source_rows(*model.aggregation, {number.metric, number.op});
  return rows.empty() ? fmt::format("From {}", source) : fmt::format("From {}: {}", source, rows);
}

// What the menu entry copies; `profile` is what is open, null = nothing.
std::string definition_text(const Number& number, const profile::Profile* profile) {
  const aggregate::Metric& metric = aggregate::metric(number.metric);
  const std::string_view accounting = aggregate::to_text(metric.accounting);
  const std::string counted = accounting.empty() ? "" : fmt::format(" Counted as: {}.", accounting);
  return fmt::format("{}: {}{} From: {}.", metric.title, metric.formula, counted,
                     aggregate::source_tables(metric, profile));
}

// A budget with the shown value as its limit, for a budget file: of an op with its mean over the
// iterations. The value of another part, as of a GPU, is not at hand for the budget's statistic: it
// may get no worse than the baseline. nullopt = no budget can limit it.
std::optional<std::string> budget_for(const Model& model, const Number& number) {
  namespace budget = report::budget;
  const auto* metric = budget::find_budget_metric(number.metric.text());
  if (metric == nullptr || !model.profile || !model.aggregation) return std::nullopt;
  const profile::Profile& profile = *model.profile;
  std::vector<aggregate::Filter> filters = model.aggregation->selection.filters;
  if (number.op != profile::kNoRow) {
    const auto mean =
        budget::op_mean_at_hand(number.metric, number.op, profile, *model.aggregation);
    if (!mean) return std::nullopt;
    // Filters of one kind are alternatives.
    std::erase_if(filters, [](const aggregate::Filter& filter) {
      return filter.kind == aggregate::FilterKind::op;
    });
    filters.push_back({.kind = aggregate::FilterKind::op,
                       .text = std::string(profile.text(profile.ops.name[number.op]))});
    return budget::budget_toml(number.metric, budget::Statistic::mean, *mean,
                               aggregate::canonical(std::move(filters)));
  }
  const budget::Statistic of = metric->is_per_iteration && metric->is_in_table()
                                   ? metric->default_statistic()
                                   : budget::Statistic::range;
  if (number.filter && !number.metric.text().starts_with("breakdown_")) {
    std::erase_if(filters, [&number](const aggregate::Filter& filter) {
      return filter.kind == number.filter->kind;
    });
    filters.push_back(*number.filter);
    return budget::budget_toml(number.metric, of, std::nullopt,
                               aggregate::canonical(std::move(filters)));
  }
  if (!number.sql) return std::nullopt;  // of a part without a filter
  const auto value = budget::value_at_hand(*metric, of, profile, *model.aggregation);
  if (!value) return std::nullopt;
  return budget::budget_toml(number.metric, of, *value, filters);
}

}  // namespace

std::string full_percent(double percent) {
  return fmt::format("{:.6f}%", percent);
}

void show_number_tooltip(Frame& frame, const Number& number) {
  const aggregate::Metric& metric = aggregate::metric(number.metric);
  const std::string_view accounting = aggregate::to_text(metric.accounting);
  std::vector<TooltipText> lines{{TooltipStyle::heading, std::string(title_of(number))},
                                 {TooltipStyle::value, number.full},
                                 {TooltipStyle::text, std::string(metric.formula)}};
  if (!accounting.empty()) {
    lines.push_back({TooltipStyle::note, fmt::format("Counted as: {}", accounting)});
  }
  lines.push_back({TooltipStyle::note, origin(frame.model, number)});
  lines.push_back({TooltipStyle::note, number.hint});
  show_text_tooltip(frame, lines);
}

void number_menu(Frame& frame, std::string_view name, const Box& box, const Number& number) {
  CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  menu.item(
      "value", "Copy value", [&] { return number.full; }, !number.full.empty());
  offer_provenance(frame, menu, number);
  if (const auto budget = budget_for(frame.model, number)) {
    menu.action("budget", "Make a budget of this", [&] {
      frame.host.copy_text(*budget);
      frame.host.notify("Copied a [[budget]] for the file of `dlview budget check`.");
    });
  }
  if (number.filter) offer_filter(frame, menu, *number.filter);
}

void offer_provenance(Frame& frame, CopyMenu& menu, const Number& number) {
  menu.item("definition", "Copy definition",
            [&] { return definition_text(number, frame.model.profile.get()); });
  const auto sql = sql_for(frame.model, number);
  menu.item(
      "sql", sql ? "Copy SQL" : "No SQL available", [&] { return *sql; }, sql.has_value());
}

void explain_number(Frame& frame, std::string_view name, const Box& box, const Number& number) {
  if (number.metric.empty()) return;
  if (hovered(box)) show_number_tooltip(frame, number);
  number_menu(frame, name, box, number);
}

}  // namespace dlview::ui
