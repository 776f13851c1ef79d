// The data of the view Compare for two ranges: the comparison, its tables, and the values of what
// is looked at. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/comparison/comparison.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// An op, or an idle cause, within a part of the waterfall. It keeps its meaning in other ranges.
struct ChangedOp {
  aggregate::StackPart part = aggregate::StackPart::other;
  profile::OpIndex before{}, after{};  // kNoRow where the run has no such op
  std::optional<aggregate::GapCause> cause = std::nullopt;
  bool operator==(const ChangedOp&) const = default;
};
ChangedOp changed_op(const aggregate::OpBar& bar);
// A bar without times, for its name.
aggregate::OpBar bar_of(const ChangedOp& op);
// Its bar; nullptr = it has no time in these ranges.
const aggregate::OpBar* find_bar(const aggregate::Waterfall& waterfall, const ChangedOp& op);

// A part, or an op of it; neither = the whole iteration.
struct ChangePlace {
  std::optional<aggregate::StackPart> part;
  std::optional<ChangedOp> op;
  bool operator==(const ChangePlace&) const = default;
};
// "other_kernels", as in a state; empty for the whole. Ops are not named.
std::string to_text(const ChangePlace& place);
// Unknown words are ignored.
ChangePlace parse_change_place(std::string_view text);

struct CompareData {
  std::shared_ptr<const aggregate::Comparison> comparison;  // never null
  std::string verdict, changes;                             // sentences of the head
  std::vector<ChangedOp> op_rows;                           // of `ops`, by row
  std::vector<aggregate::OpMatch> match_rows;               // of `matching`, by row
  // Tables of the comparison.
  std::shared_ptr<const TableData> ops, kernels, matching, checks;

  std::optional<std::size_t> row_of(const ChangedOp& op) const;
};
// `shown`: the profile and aggregation of the active run, for the heads of exported tables.
std::shared_ptr<const CompareData> make_compare_data(aggregate::Comparison comparison,
                                                     const TableData& shown);

// The judgment of the place; nullptr = not judged.
const aggregate::JudgedBar* judgment_of(const aggregate::Comparison& comparison,
                                        const ChangePlace& place);
const aggregate::ValueChange* change_of(const aggregate::Comparison& comparison,
                                        const ChangePlace& place);

// "2 rows are slower", "1 row is faster": ops and causes of a part that were judged; empty = none.
std::string judged_ops_text(const aggregate::Comparison& comparison, aggregate::StackPart part);

// ns per GPU of the place in each iteration of the ranges.
aggregate::RowValues values_of(const aggregate::RunPair& runs, const aggregate::RangePair& ranges,
                               const ChangePlace& place);

// "slower, median +10.1% (+9.2% to +11.0%)", "inconclusive"; empty if it was not judged.
std::string judgment_text(const aggregate::JudgedBar* judged);

// Looks of the tables. `actions` of rows of ops and matches.
using RowActions = decltype(TableLook::actions);
TableLook op_changes_look(RowActions actions);
TableLook kernel_changes_look();
TableLook op_matches_look(RowActions actions);
TableLook comparison_checks_look();

}  // namespace dlview::ui
