#include "ui/views/compare/compare_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/comparison/comparison_tables.h"
#include "ui/views/tables/look_parts.h"

namespace dlview::ui {

using namespace looks;

namespace {

constexpr float kPartWidth = 150;  // for "Exposed communication"
constexpr float kChangedName = 264, kChangedTime = 80;

using aggregate::ChangeKind;
using aggregate::Comparison;
using aggregate::JudgedBar;
using aggregate::OpBar;
using aggregate::PartKey;
using aggregate::RunPair;
using aggregate::StackPart;
using profile::OpIndex;
using report::Cell;
using report::Table;

std::string id_of_op(const profile::Profile& profile, OpIndex op) {
  return op == profile::kNoRow ? std::string() : std::string(profile.text(profile.ops.id[op]));
}

std::string key_of(const RunPair& runs, const ChangedOp& op) {
  return fmt::format("{} {} {} {}", aggregate::to_text(op.part),
                     id_of_op(*runs.before().profile, op.before),
                     id_of_op(*runs.after().profile, op.after),
                     op.cause ? aggregate::to_text(*op.cause) : std::string_view());
}

// Tells rows apart that a reader may not.
void add_keys(Table& table, std::shared_ptr<const std::vector<std::string>> keys) {
  table.columns.push_back(report::column(
      "changed_row", [keys](std::size_t row) { return Cell(std::string_view((*keys)[row])); }));
}

void add_numbers(Table& table) {
  table.columns.push_back(
      report::column("changed_row", [](std::size_t row) { return Cell(fmt::format("{}", row)); }));
}

std::shared_ptr<const TableData> table_data(Table table, const TableData& shown) {
  auto data = std::make_shared<TableData>();
  data->profile = shown.profile;
  data->aggregation = shown.aggregation;
  data->title = table.title;
  data->table = std::move(table);
  return data;
}

// What takes more time, and more than noise.
bool is_cost(std::string_view word) {
  constexpr std::array kCosts{ChangeKind::slower, ChangeKind::more_calls, ChangeKind::added};
  return std::ranges::any_of(kCosts,
                             [word](ChangeKind kind) { return word == aggregate::to_text(kind); });
}

ColumnLook change_column() {
  ColumnLook look = word("run_comparison.change");
  look.attention = [](const Table& table, std::size_t row) {
    return is_cost(text_of_cell(table, row, "run_comparison.change"));
  };
  return look;
}

ColumnLook difference(report::ColumnId id) {
  ColumnLook look = number(id);
  look.is_difference = true;
  return look;
}

ColumnLook titled(ColumnLook look, std::string title) {
  look.title = std::move(title);
  return look;
}

std::optional<uint32_t> row_in(const ChangePlace& place, const PartKey& key, bool is_before) {
  if (place.part && key.part != *place.part) return std::nullopt;
  if (!place.op) return 0;
  const OpIndex op = is_before ? place.op->before : place.op->after;
  if (place.op->before == profile::kNoRow && place.op->after == profile::kNoRow) {
    return key.op == profile::kNoRow && key.gap == place.op->cause ? std::optional<uint32_t>(0)
                                                                   : std::nullopt;
  }
  return op != profile::kNoRow && key.op == op ? std::optional<uint32_t>(0) : std::nullopt;
}

std::vector<int64_t> side_values(const aggregate::ComparedRun& run,
                                 const aggregate::IterationRange& wanted, const ChangePlace& place,
                                 bool is_before) {
  const auto& rows = run.table->iterations.rows;
  const int64_t last = static_cast<int64_t>(rows.size()) - 1;
  const aggregate::IterationRange range{std::clamp<int64_t>(wanted.first, 0, last),
                                        std::clamp<int64_t>(wanted.last, 0, last)};
  if (place == ChangePlace{}) {
    std::vector<int64_t> durations;
    for (int64_t i = range.first; i <= range.last; ++i) {
      const aggregate::Iteration& row = rows[static_cast<std::size_t>(i)];
      durations.push_back(row.stop_ns - row.start_ns);
    }
    return durations;
  }
  auto values = run.exclusive.by_iteration(
      range, 1, [&](const PartKey& key) { return row_in(place, key, is_before); });
  const int64_t devices = std::max<int64_t>(1, run.exclusive.sums(range).devices);
  for (int64_t& value : values.front()) value /= devices;
  return std::move(values.front());
}

}  // namespace

ChangedOp changed_op(const OpBar& bar) {
  return {bar.part, bar.before, bar.after, bar.cause};
}

aggregate::OpBar bar_of(const ChangedOp& op) {
  aggregate::OpBar bar;
  bar.before = op.before;
  bar.after = op.after;
  bar.cause = op.cause;
  return bar;
}

const OpBar* find_bar(const aggregate::Waterfall& waterfall, const ChangedOp& op) {
  for (const aggregate::PartBar& part : waterfall.parts) {
    if (part.part != op.part) continue;
    for (const OpBar& bar : part.ops) {
      if (changed_op(bar) == op) return &bar;
    }
  }
  return nullptr;
}

std::string to_text(const ChangePlace& place) {
  return place.part ? std::string(aggregate::to_text(*place.part)) : std::string();
}

ChangePlace parse_change_place(std::string_view text) {
  return {aggregate::part_named(text), std::nullopt};
}

std::optional<std::size_t> CompareData::row_of(const ChangedOp& op) const {
  const auto found = std::ranges::find(op_rows, op);
  if (found == op_rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - op_rows.begin());
}

std::shared_ptr<const CompareData> make_compare_data(Comparison comparison,
                                                     const TableData& shown) {
  auto data = std::make_shared<CompareData>();
  const auto shared = std::make_shared<const Comparison>(std::move(comparison));
  data->comparison = shared;
  data->verdict = aggregate::verdict_text(*shared);
  data->changes = aggregate::changes_text(*shared);
  const auto keys = std::make_shared<std::vector<std::string>>();
  for (const report::OpChange& row : report::op_changes(*shared)) {
    data->op_rows.push_back(changed_op(shared->waterfall.parts[row.part].ops[row.op]));
    keys->push_back(key_of(*shared->runs, data->op_rows.back()));
  }
  data->match_rows = report::op_matches(*shared->runs);
  Table ops = report::make_op_changes(shared), kernels = report::make_kernel_changes(shared),
        matching = report::make_op_matches(shared), checks = report::make_comparison_checks(shared);
  add_keys(ops, keys);
  for (Table* const table : {&kernels, &matching, &checks}) add_numbers(*table);
  data->ops = table_data(std::move(ops), shown);
  data->kernels = table_data(std::move(kernels), shown);
  data->matching = table_data(std::move(matching), shown);
  data->checks = table_data(std::move(checks), shown);
  return data;
}

const JudgedBar* judgment_of(const Comparison& comparison, const ChangePlace& place) {
  for (std::size_t p = 0; place.part && p < aggregate::kStackPartCount; ++p) {
    const aggregate::PartBar& part = comparison.waterfall.parts[p];
    if (part.part != *place.part) continue;
    if (!place.op) return &comparison.judgment.parts[p];
    for (std::size_t o = 0; o < part.ops.size(); ++o) {
      if (changed_op(part.ops[o]) == *place.op) return &comparison.judgment.parts[p].ops[o];
    }
  }
  return nullptr;
}

std::string judged_ops_text(const Comparison& comparison, StackPart part) {
  using aggregate::Verdict;
  int64_t slower = 0, faster = 0;
  for (std::size_t p = 0; p < aggregate::kStackPartCount; ++p) {
    if (comparison.waterfall.parts[p].part != part) continue;
    for (const JudgedBar& op : comparison.judgment.parts[p].ops) {
      slower += op.change && op.change->verdict == Verdict::slower ? 1 : 0;
      faster += op.change && op.change->verdict == Verdict::faster ? 1 : 0;
    }
  }
  const auto text = [](int64_t rows, std::string_view word) {
    return fmt::format("{} {} {}", base::counted(rows, "rows"), rows == 1 ? "is" : "are", word);
  };
  if (slower > 0 && faster > 0) return fmt::format("{}, {} faster", text(slower, "slower"), faster);
  if (slower > 0) return text(slower, "slower");
  return faster > 0 ? text(faster, "faster") : std::string();
}

const aggregate::ValueChange* change_of(const Comparison& comparison, const ChangePlace& place) {
  if (place == ChangePlace{}) {
    return comparison.judgment.iteration ? &*comparison.judgment.iteration : nullptr;
  }
  const JudgedBar* judged = judgment_of(comparison, place);
  return judged != nullptr && judged->change ? &*judged->change : nullptr;
}

aggregate::RowValues values_of(const RunPair& runs, const aggregate::RangePair& ranges,
                               const ChangePlace& place) {
  return {side_values(runs.before(), ranges.before, place, true),
          side_values(runs.after(), ranges.after, place, false)};
}

std::string judgment_text(const JudgedBar* judged) {
  if (judged == nullptr || judged->kind == ChangeKind::not_judged) return "";
  std::string text(aggregate::to_text(judged->kind));
  if (!judged->change || !std::isfinite(judged->change->change())) return text;
  const auto percent = [](double change) {
    return base::with_sign(change, fmt::format("{:.1f}%", std::abs(100 * change)));
  };
  text += fmt::format(", median {}", percent(judged->change->change()));
  const auto& interval = judged->change->interval;
  if (interval && std::isfinite(interval->low) && std::isfinite(interval->high)) {
    text += fmt::format(" ({} to {})", percent(interval->low), percent(interval->high));
  }
  return text;
}

TableLook op_changes_look(RowActions actions) {
  return {.id = "compare_ops",
          .title = "",
          .noun = "rows",
          .key = "changed_row",
          .when_none = "No op, kernel or idle time in these ranges.",
          .columns = {change_column(),
                      sized(word("stack_part"), kPartWidth),
                      sized(name("changed_name", CutAt::middle), kChangedName, 1),
                      sized(number("before_ns"), kChangedTime),
                      sized(number("after_ns"), kChangedTime),
                      difference("difference_ns"),
                      titled(difference("median_change_pct"), "Median"),
                      titled(difference("interval_low_pct"), "From"),
                      titled(difference("interval_high_pct"), "To"),
                      number("before_calls"),
                      number("after_calls"),
                      word("matched_by"),
                      titled(difference("share_of_difference"), "Share"),
                      hidden(name("op_before", CutAt::middle)),
                      hidden(name("op_after", CutAt::middle)),
                      hidden(number("q_value")),
                      hidden(difference("by_calls_ns")),
                      hidden(difference("by_time_per_call_ns")),
                      hidden(number("overlapped_before_ns")),
                      hidden(number("overlapped_after_ns"))},
          .prompt = "Comparing…",
          .actions = std::move(actions),
          .frozen = "run_comparison.change"};
}

TableLook kernel_changes_look() {
  return {.id = "compare_kernels",
          .title = "",
          .noun = "kernels",
          .key = "changed_row",
          .when_none = "No kernels or memory operations in these ranges.",
          .columns = {change_column(), sized(word("stack_part"), kPartWidth),
                      name("kernel_before", CutAt::middle), name("kernel_after", CutAt::middle),
                      name("op_after", CutAt::middle), hidden(name("op_before", CutAt::middle)),
                      number("before_calls"), number("after_calls"), number("before_ns"),
                      number("after_ns"), difference("difference_ns"),
                      titled(difference("share_of_difference"), "Share"),
                      hidden(difference("by_calls_ns")), hidden(difference("by_time_per_call_ns"))},
          .prompt = "Comparing…",
          .frozen = "run_comparison.change"};
}

TableLook op_matches_look(RowActions actions) {
  return {.id = "compare_matching",
          .title = "",
          .noun = "ops",
          .key = "changed_row",
          .when_none = "Neither run has ops.",
          .columns = {word("matched_by"), name("op_before", CutAt::middle),
                      name("op_after", CutAt::middle), word("op_type")},
          .prompt = "Comparing…",
          .actions = std::move(actions),
          .frozen = "matched_by"};
}

TableLook comparison_checks_look() {
  return {.id = "compare_checks",
          .title = "",
          .noun = "findings",
          .key = "changed_row",
          .when_none = "All checks passed: the runs are comparable.",
          .columns = {word("check_level"), word("check"),
                      sized(name("check_text", CutAt::end), 300, 1)},
          .prompt = "Comparing…",
          .frozen = "check_level"};
}

}  // namespace dlview::ui
