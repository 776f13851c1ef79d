#include "report/comparison/comparison_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profile/display_name.h"
#include "profile/recorded.h"
#include "report/columns.h"

namespace dlview::report {
namespace {

using aggregate::Bar;
using aggregate::ChangeKind;
using aggregate::Comparison;
using aggregate::JudgedBar;
using aggregate::KernelBar;
using aggregate::KernelPairing;
using aggregate::kStackPartCount;
using aggregate::OpBar;
using aggregate::OpMatch;
using aggregate::StackPart;
using profile::OpIndex;

// A bar of any level, and what was judged of it.
struct ChangedRow {
  std::string_view level;
  std::size_t part = 0;
  const Bar* bar = nullptr;
  const OpBar* op = nullptr;          // of ops and kernels
  const KernelBar* kernel = nullptr;  // of kernels
  ChangeKind kind = ChangeKind::not_judged;
  const std::optional<aggregate::ValueChange>* change = nullptr;
};
using Rows = std::shared_ptr<const std::vector<ChangedRow>>;

Cell finite(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

// Cells of one value of a row.
template <typename Value>
Column cells(ColumnId id, const SharedRunComparison& comparison, const Rows& rows, Value value) {
  return column(id, [comparison, rows, value](std::size_t row) -> Cell {
    return value(*comparison, (*rows)[row]);
  });
}

void add_times(const SharedRunComparison& comparison, const Rows& rows, Table& table) {
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(cells(id, comparison, rows, value));
  };
  add("before_ns",
      [](const Comparison&, const ChangedRow& row) { return Cell(row.bar->before_ns); });
  add("after_ns", [](const Comparison&, const ChangedRow& row) { return Cell(row.bar->after_ns); });
  add("difference_ns",
      [](const Comparison&, const ChangedRow& row) { return Cell(row.bar->difference_ns()); });
  add("share_of_difference", [](const Comparison& c, const ChangedRow& row) -> Cell {
    const int64_t whole_ns = c.waterfall.iteration.difference_ns();
    if (whole_ns == 0) return {};
    return 100 * static_cast<double>(row.bar->difference_ns()) / static_cast<double>(whole_ns);
  });
}

// Whether the median before is a base for percentages: rows with less would not be judged.
bool is_base(const Comparison& comparison, const aggregate::ValueChange& change) {
  return static_cast<double>(change.before) >=
         aggregate::kLeastJudgedShare *
             static_cast<double>(comparison.waterfall.iteration.before_ns);
}

void add_judgment(const SharedRunComparison& comparison, const Rows& rows, Table& table) {
  using aggregate::ValueChange;
  const auto add = [&](ColumnId id, auto value, bool is_share = true) {
    table.columns.push_back(
        cells(id, comparison, rows,
              [value, is_share](const Comparison& c, const ChangedRow& row) -> Cell {
                if (row.change == nullptr || !row.change->has_value()) return {};
                return is_share && !is_base(c, **row.change) ? Cell() : value(**row.change);
              }));
  };
  add("median_change_pct", [](const ValueChange& change) { return finite(100 * change.change()); });
  add("interval_low_pct", [](const ValueChange& change) {
    return change.interval ? finite(100 * change.interval->low) : Cell();
  });
  add("interval_high_pct", [](const ValueChange& change) {
    return change.interval ? finite(100 * change.interval->high) : Cell();
  });
  add(
      "q_value", [](const ValueChange& change) { return Cell(change.q); }, false);
}

Column word_of_change(const SharedRunComparison& comparison, const Rows& rows) {
  return cells(
      "run_comparison.change", comparison, rows,
      [](const Comparison&, const ChangedRow& row) { return Cell(aggregate::to_text(row.kind)); });
}

Column part_column(const SharedRunComparison& comparison, const Rows& rows) {
  return cells("stack_part", comparison, rows,
               [](const Comparison&, const ChangedRow& row) -> Cell {
                 if (row.level == "iteration") return {};
                 return aggregate::title_of(aggregate::kStackParts[row.part]);
               });
}

std::string kernel_text(const Comparison& comparison, const ChangedRow& row, uint32_t key) {
  const std::string& name = comparison.runs->keys().name(key);
  return row.op->part == StackPart::memory ? std::string(profile::call_name(name)) : name;
}

Cell changed_name(const Comparison& comparison, const ChangedRow& row) {
  if (row.kernel != nullptr) {
    const bool is_gone = row.kernel->pairing == KernelPairing::only_before;
    return kernel_text(comparison, row, is_gone ? row.kernel->before : row.kernel->after);
  }
  if (row.op != nullptr) return comparison.runs->name_of(*row.op);
  if (row.level == "part") return aggregate::title_of(aggregate::kStackParts[row.part]);
  return std::string_view("Iteration");
}

void add_calls(const SharedRunComparison& comparison, const Rows& rows, Table& table) {
  const auto has_calls = [](const ChangedRow& row) {
    return row.kernel != nullptr || (row.op != nullptr && row.op->is_op());
  };
  table.columns.push_back(cells(
      "before_calls", comparison, rows, [has_calls](const Comparison& c, const ChangedRow& row) {
        return has_calls(row) ? Cell(c.waterfall.calls_before(*row.bar)) : Cell();
      }));
  table.columns.push_back(cells(
      "after_calls", comparison, rows, [has_calls](const Comparison& c, const ChangedRow& row) {
        return has_calls(row) ? Cell(c.waterfall.calls_after(*row.bar)) : Cell();
      }));
}

void add_split(const SharedRunComparison& comparison, const Rows& rows, Table& table) {
  const auto is_split = [](const ChangedRow& row) {
    return row.bar->calls_before > 0 && row.bar->calls_after > 0;
  };
  table.columns.push_back(cells("by_calls_ns", comparison, rows,
                                [is_split](const Comparison& c, const ChangedRow& row) -> Cell {
                                  if (!is_split(row)) return {};
                                  return c.waterfall.split(*row.bar).by_calls_ns;
                                }));
  table.columns.push_back(cells("by_time_per_call_ns", comparison, rows,
                                [is_split](const Comparison& c, const ChangedRow& row) -> Cell {
                                  if (!is_split(row)) return {};
                                  return c.waterfall.split(*row.bar).by_time_per_call_ns;
                                }));
}

void add_op_names(const SharedRunComparison& comparison, const Rows& rows, Table& table) {
  table.columns.push_back(
      cells("op_before", comparison, rows, [](const Comparison& c, const ChangedRow& row) -> Cell {
        return c.runs->before().labels.text(row.op->before);
      }));
  table.columns.push_back(
      cells("op_after", comparison, rows, [](const Comparison& c, const ChangedRow& row) -> Cell {
        return c.runs->after().labels.text(row.op->after);
      }));
}

ChangedRow op_row(const Comparison& comparison, std::size_t part, std::size_t op) {
  const OpBar& bar = comparison.waterfall.parts[part].ops[op];
  const JudgedBar& judged = comparison.judgment.parts[part].ops[op];
  return {.level = bar.is_op() ? "op" : "cause",
          .part = part,
          .bar = &bar,
          .op = &bar,
          .kind = judged.kind,
          .change = &judged.change};
}

// What is known to have changed comes first, then what may be chance; in each the largest
// difference, of equal ones the longest time.
std::tuple<bool, int64_t, int64_t> rank_of_change(const Bar& bar, ChangeKind kind) {
  const bool may_be_chance = kind == ChangeKind::same || kind == ChangeKind::inconclusive ||
                             kind == ChangeKind::renamed || kind == ChangeKind::not_judged;
  return {!may_be_chance, std::abs(bar.difference_ns()), std::max(bar.before_ns, bar.after_ns)};
}

Table empty_table(std::string name, std::string title, const Rows& rows) {
  return {std::move(name), std::move(title), Layout::rows, {}, rows->size()};
}

}  // namespace

Table make_waterfall(const SharedRunComparison& comparison) {
  const auto rows = std::make_shared<std::vector<ChangedRow>>();
  const auto& [waterfall, judgment] = std::tie(comparison->waterfall, comparison->judgment);
  rows->push_back(
      {.level = "iteration", .bar = &waterfall.iteration, .change = &judgment.iteration});
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    const aggregate::PartBar& part = waterfall.parts[p];
    if (part.before_ns == 0 && part.after_ns == 0 && part.ops.empty()) continue;
    rows->push_back({.level = "part",
                     .part = p,
                     .bar = &part,
                     .kind = judgment.parts[p].kind,
                     .change = &judgment.parts[p].change});
    for (std::size_t o = 0; o < part.ops.size(); ++o) rows->push_back(op_row(*comparison, p, o));
  }
  Table table = empty_table("waterfall", "Waterfall, per iteration and GPU", rows);
  table.columns = {cells("run_comparison.level", comparison, rows,
                         [](const Comparison&, const ChangedRow& row) { return Cell(row.level); }),
                   part_column(comparison, rows),
                   cells("changed_name", comparison, rows, changed_name)};
  add_times(comparison, rows, table);
  add_judgment(comparison, rows, table);
  return table;
}

std::vector<OpChange> op_changes(const Comparison& comparison) {
  std::vector<OpChange> rows;
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    for (std::size_t o = 0; o < comparison.waterfall.parts[p].ops.size(); ++o) {
      rows.push_back({p, o});
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, [&](const OpChange& row) {
    return rank_of_change(comparison.waterfall.parts[row.part].ops[row.op],
                          comparison.judgment.parts[row.part].ops[row.op].kind);
  });
  return rows;
}

Table make_op_changes(const SharedRunComparison& comparison) {
  const auto rows = std::make_shared<std::vector<ChangedRow>>();
  for (const OpChange& row : op_changes(*comparison)) {
    rows->push_back(op_row(*comparison, row.part, row.op));
  }
  Table table = empty_table("ops", "Ops and idle causes, per iteration and GPU", rows);
  table.columns = {word_of_change(comparison, rows), part_column(comparison, rows),
                   cells("changed_name", comparison, rows, changed_name)};
  add_op_names(comparison, rows, table);
  table.columns.push_back(
      cells("matched_by", comparison, rows, [](const Comparison&, const ChangedRow& row) -> Cell {
        if (!row.op->by) return {};
        return aggregate::to_text(*row.op->by);
      }));
  add_calls(comparison, rows, table);
  add_times(comparison, rows, table);
  add_judgment(comparison, rows, table);
  add_split(comparison, rows, table);
  const auto per_iteration = [](int64_t sum_ns, int64_t iterations, int64_t devices) {
    return sum_ns / std::max<int64_t>(iterations, 1) / std::max<int64_t>(devices, 1);
  };
  table.columns.push_back(cells("overlapped_before_ns", comparison, rows,
                                [per_iteration](const Comparison& c, const ChangedRow& row) {
                                  return Cell(per_iteration(row.bar->overlapped_before_ns,
                                                            c.waterfall.iterations_before,
                                                            c.waterfall.devices_before));
                                }));
  table.columns.push_back(cells("overlapped_after_ns", comparison, rows,
                                [per_iteration](const Comparison& c, const ChangedRow& row) {
                                  return Cell(per_iteration(row.bar->overlapped_after_ns,
                                                            c.waterfall.iterations_after,
                                                            c.waterfall.devices_after));
                                }));
  return table;
}

Table make_kernel_changes(const SharedRunComparison& comparison) {
  const auto rows = std::make_shared<std::vector<ChangedRow>>();
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    const aggregate::PartBar& part = comparison->waterfall.parts[p];
    for (std::size_t o = 0; o < part.ops.size(); ++o) {
      for (std::size_t k = 0; k < part.ops[o].kernels.size(); ++k) {
        rows->push_back({.level = "kernel",
                         .part = p,
                         .bar = &part.ops[o].kernels[k],
                         .op = &part.ops[o],
                         .kernel = &part.ops[o].kernels[k],
                         .kind = comparison->judgment.parts[p].kernels[o][k]});
      }
    }
  }
  std::ranges::stable_sort(*rows, std::ranges::greater{}, [](const ChangedRow& row) {
    return rank_of_change(*row.bar, row.kind);
  });
  Table table =
      empty_table("kernels", "Kernels and memory operations, per iteration and GPU", rows);
  table.columns = {word_of_change(comparison, rows), part_column(comparison, rows),
                   cells("kernel_before", comparison, rows,
                         [](const Comparison& c, const ChangedRow& row) -> Cell {
                           if (row.kernel->pairing == KernelPairing::only_after) return {};
                           return kernel_text(c, row, row.kernel->before);
                         }),
                   cells("kernel_after", comparison, rows,
                         [](const Comparison& c, const ChangedRow& row) -> Cell {
                           if (row.kernel->pairing == KernelPairing::only_before) return {};
                           return kernel_text(c, row, row.kernel->after);
                         })};
  add_op_names(comparison, rows, table);
  add_calls(comparison, rows, table);
  add_times(comparison, rows, table);
  add_split(comparison, rows, table);
  return table;
}

std::vector<OpMatch> op_matches(const aggregate::RunPair& runs) {
  const auto matches = runs.matching().matches();
  std::vector<OpMatch> rows(matches.begin(), matches.end());
  for (OpIndex op{0}; op < runs.before().profile->ops.size(); ++op) {
    if (runs.matching().of_before(op) == nullptr) rows.push_back({.before = op});
  }
  for (OpIndex op{0}; op < runs.after().profile->ops.size(); ++op) {
    if (runs.matching().of_after(op) == nullptr) rows.push_back({.after = op});
  }
  return rows;
}

Table make_op_matches(const SharedRunComparison& comparison) {
  const aggregate::RunPair& runs = *comparison->runs;
  const auto rows = std::make_shared<const std::vector<OpMatch>>(op_matches(runs));
  const std::size_t matched = runs.matching().matches().size();
  Table table{"matching", "Matched ops", Layout::rows, {}, rows->size()};
  const auto text = [&](ColumnId id, auto value) {
    return column(id, [comparison, rows, value](std::size_t row) -> Cell {
      return value(*comparison->runs, (*rows)[row]);
    });
  };
  table.columns = {
      column("matched_by",
             [rows, matched](std::size_t row) -> Cell {
               if (row < matched) return aggregate::to_text((*rows)[row].by);
               return std::string_view((*rows)[row].after == profile::kNoRow ? "only before"
                                                                             : "only after");
             }),
      text("op_before",
           [](const aggregate::RunPair& pair, const OpMatch& match) -> Cell {
             return pair.before().labels.text(match.before);
           }),
      text("op_after",
           [](const aggregate::RunPair& pair, const OpMatch& match) -> Cell {
             return pair.after().labels.text(match.after);
           }),
      text("op_type", [](const aggregate::RunPair& pair, const OpMatch& match) -> Cell {
        const bool is_gone = match.after == profile::kNoRow;
        const profile::Profile& profile = is_gone ? *pair.before().profile : *pair.after().profile;
        return profile.text(profile.ops.type[is_gone ? match.before : match.after]);
      })};
  return table;
}

Cell launches_per_gpu(const profile::Profile& profile, const aggregate::Aggregation& aggregation) {
  if (!profile::tells_of(profile, profile::Evidence::gpu_work) || aggregation.devices.empty()) {
    return {};
  }
  const auto devices = std::ranges::count_if(
      aggregation.devices, [](const auto& device) { return device.kernel_count > 0; });
  return static_cast<double>(aggregation.kernel_launches) /
         static_cast<double>(aggregation.selection.range.size() * std::max<int64_t>(devices, 1));
}

Table make_comparison_verdict(const SharedRunComparison& comparison) {
  Table table{"verdict", "Verdict", Layout::rows, {}, 1};
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(
        column(id, [comparison, value](std::size_t) -> Cell { return value(*comparison); }));
  };
  const auto add_change = [&](ColumnId id, auto value) {
    add(id, [value](const Comparison& c) -> Cell {
      const auto& change = c.judgment.iteration;
      return change ? value(*change) : Cell();
    });
  };
  using aggregate::ValueChange;
  add("run_comparison.verdict", [](const Comparison& c) -> Cell {
    if (!c.is_judged()) return std::string_view("not comparable");
    return aggregate::to_text(c.judgment.iteration->verdict);
  });
  add_change("before_ns", [](const ValueChange& change) { return Cell(change.before); });
  add_change("after_ns", [](const ValueChange& change) { return Cell(change.after); });
  add_change("median_change_pct",
             [](const ValueChange& change) { return finite(100 * change.change()); });
  add_change("interval_low_pct", [](const ValueChange& change) {
    return change.interval ? finite(100 * change.interval->low) : Cell();
  });
  add_change("interval_high_pct", [](const ValueChange& change) {
    return change.interval ? finite(100 * change.interval->high) : Cell();
  });
  add_change("p_value", [](const ValueChange& change) { return Cell(change.p); });
  add("floor_pct", [](const Comparison& c) { return Cell(100 * c.floor.limit()); });
  add("floor_source", [](const Comparison& c) {
    return Cell(std::string_view(c.floor.is_learned() ? "learned" : "assumed"));
  });
  add("slower_ops", [](const Comparison& c) {
    return Cell(static_cast<int64_t>(aggregate::judged_rows(c).slower));
  });
  add("faster_ops", [](const Comparison& c) {
    return Cell(static_cast<int64_t>(aggregate::judged_rows(c).faster));
  });
  add("verdict_text", [](const Comparison& c) { return Cell(aggregate::verdict_text(c)); });
  return table;
}

Table make_comparison_checks(const SharedRunComparison& comparison) {
  const auto& reasons = comparison->comparability.reasons;
  Table table{"checks", "Checks", Layout::rows, {}, reasons.size()};
  const auto add = [&](ColumnId id, auto value) {
    table.columns.push_back(column(id, [comparison, value](std::size_t row) -> Cell {
      return value(comparison->comparability.reasons[row]);
    }));
  };
  add("check_level",
      [](const aggregate::Reason& reason) { return Cell(aggregate::to_text(reason.level)); });
  add("check", [](const aggregate::Reason& reason) { return Cell(reason.id); });
  add("check_text", [](const aggregate::Reason& reason) { return Cell(reason.text); });
  return table;
}

}  // namespace dlview::report
