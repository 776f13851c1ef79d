#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/exclusive/rounding.h"
#include "aggregate/exclusive/what_if.h"
#include "aggregate/limits/headroom.h"
#include "profile/display_name.h"
#include "report/views/declarations.h"

namespace dlview::report {
namespace {

using aggregate::PartSums;
using aggregate::PartTime;
using aggregate::WhatIf;
using aggregate::WhatIfChange;
using profile::Profile;

// Of the range without filters: parts hide each other whatever matches them.
PartSums exclusive_sums(const view::Input& input) {
  const aggregate::Aggregation& whole = input.aggregation.whole();
  const aggregate::RuleIndex rules(input.profile);
  const aggregate::ExclusiveIndex index(input.profile, rules, whole.iteration_table->iterations,
                                        whole.selection.cut);
  return index.sums(whole.selection.range);
}

struct WhatIfRow {
  std::string change, id;
  std::string op_id, op_name;  // of a change of ops, else empty
  WhatIf result;
};

void name_ops(const Profile& profile, const WhatIfChange& change, WhatIfRow& row) {
  const std::vector<profile::OpIndex> ops = aggregate::ops_of(profile, change);
  for (const profile::OpIndex op : ops) {
    if (!row.op_id.empty()) row.op_id += ", ";
    row.op_id += profile.text(profile.ops.id[op]);
  }
  if (!ops.empty()) row.op_name = profile.text(profile.ops.name[ops.front()]);
}

int64_t per_iteration(const WhatIf& result, int64_t range_ns) {
  return aggregate::rounded_total(range_ns, std::max<int64_t>(result.iterations, 1));
}

}  // namespace

Table view::exclusive_times(const Input& input) {
  const Profile& profile = input.profile;
  const auto sums = std::make_shared<const PartSums>(exclusive_sums(input));
  const auto cell = [sums](ColumnId id, auto value) {
    return column(id, [sums, value](std::size_t row) -> Cell { return value(sums->rows[row]); });
  };
  const auto op_text = [&profile](profile::Ops::Column<profile::StringId> profile::Ops::*texts) {
    return [&profile, texts](const PartTime& row) -> Cell {
      if (row.key.op == profile::kNoRow) return {};
      return profile.text((profile.ops.*texts)[row.key.op]);
    };
  };
  Table table;
  table.row_count = sums->rows.size();
  table.columns = {
      cell("device_id",
           [&profile](const PartTime& row) -> Cell {
             if (profile.devices.size() == 0) return {};
             return profile.devices[row.key.device].device_id;
           }),
      cell("part", [](const PartTime& row) -> Cell { return aggregate::to_text(row.key.part); }),
      cell("op_node_id", op_text(&profile::Ops::id)),
      cell("op_node_name", op_text(&profile::Ops::name)),
      cell("op_node_type", op_text(&profile::Ops::type)),
      cell("exclusive_times.activity",
           [&profile](const PartTime& row) -> Cell {
             if (!aggregate::is_gpu_part(row.key.part)) {
               return row.key.gap ? aggregate::to_text(*row.key.gap)
                                  : std::string_view("outside idle gaps");
             }
             if (row.key.name == 0) return {};
             const std::string_view name = profile.text(row.key.name);
             return row.key.part == aggregate::StackPart::memory ? profile::call_name(name) : name;
           }),
      cell("exclusive_time", [](const PartTime& row) -> Cell { return row.exclusive_ns; }),
      cell("exclusive_pct",
           [sums](const PartTime& row) -> Cell {
             const int64_t whole_ns = sums->range_ns * std::max<int64_t>(sums->devices, 1);
             if (whole_ns == 0) return {};
             return 100.0 * static_cast<double>(row.exclusive_ns) / static_cast<double>(whole_ns);
           }),
      cell("overlapped_time",
           [](const PartTime& row) -> Cell {
             return aggregate::is_gpu_part(row.key.part) ? Cell(row.overlapped_ns) : Cell();
           }),
  };
  return table;
}

Table view::what_if(const Input& input) {
  const Profile& profile = input.profile;
  const PartSums sums = exclusive_sums(input);
  const std::vector<aggregate::OpHeadroom> headroom =
      aggregate::op_headroom(profile, input.aggregation, *view::limit_index(input));
  std::vector<WhatIfChange> changes = input.arguments.changes;
  if (changes.empty()) changes = aggregate::suggested_changes(profile, sums, headroom);
  auto made = std::make_shared<std::vector<WhatIfRow>>();
  const auto add = [&](std::string title, std::string id, std::span<const WhatIfChange> together) {
    WhatIfRow& row = made->emplace_back();
    row.change = std::move(title);
    row.id = std::move(id);
    row.result = aggregate::what_if(profile, sums, together, headroom);
    if (together.size() == 1) name_ops(profile, together.front(), row);
  };
  for (const WhatIfChange& change : changes) {
    add(aggregate::describe(change), aggregate::id_of(change), std::span(&change, 1));
  }
  if (input.arguments.changes.size() > 1) add("All of these", "all", changes);

  const std::shared_ptr<const std::vector<WhatIfRow>> rows = std::move(made);
  const auto cell = [rows](ColumnId id, auto value) {
    return column(id, [rows, value](std::size_t row) -> Cell { return value((*rows)[row]); });
  };
  const auto time = [&](ColumnId id, int64_t WhatIf::*ns) {
    return cell(id, [ns](const WhatIfRow& row) -> Cell {
      return per_iteration(row.result, row.result.*ns);
    });
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      cell("change", [](const WhatIfRow& row) -> Cell { return std::string_view(row.change); }),
      cell("change_id", [](const WhatIfRow& row) -> Cell { return std::string_view(row.id); }),
      cell("op_node_id", [](const WhatIfRow& row) -> Cell { return std::string_view(row.op_id); }),
      cell("op_node_name",
           [](const WhatIfRow& row) -> Cell { return std::string_view(row.op_name); }),
      cell("gain_at_most",
           [](const WhatIfRow& row) -> Cell {
             return per_iteration(row.result, row.result.before_ns) -
                    per_iteration(row.result, row.result.least_ns);
           }),
      cell("gain_at_most_pct",
           [](const WhatIfRow& row) -> Cell { return row.result.gain_share(); }),
      time("iteration_now", &WhatIf::before_ns),
      time("iteration_at_least", &WhatIf::least_ns),
      time("iteration_at_most", &WhatIf::most_ns),
  };
  return table;
}

}  // namespace dlview::report
