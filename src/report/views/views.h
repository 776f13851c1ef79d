// The tables of the program: one for each SQL view of a DLProf 1.8 database, computed for any
// Aggregation of any Profile. Each has the view's name without "view_", and its columns have the
// view's names in the view's order, so that its CSV equals SELECT * for a stored aggregation. The
// window, exports and `dlview table` read the same declaration. Tables of dlview's own
// join them.
//
// Where a view has DLProf's own numbering, see docs/dev/spec.md 27.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/exclusive/what_if.h"
#include "aggregate/finding.h"
#include "aggregate/limits/limits.h"
#include "aggregate/rules/rule_index.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/python_frames.h"
#include "report/table.h"

namespace dlview::report {

// Narrows a table to what is selected in another one: the kernels of an op, of an iteration, of an
// op in an iteration.
struct ViewArguments {
  std::optional<int64_t> iteration;
  std::vector<profile::OpIndex> ops;  // empty: all
  // For tables of call stacks: "stacks" and "stack_tree" are empty without. Shared, since nobody
  // else may hold them.
  std::shared_ptr<const profile::PythonFrames> python_frames = nullptr;
  bool hides_internal_frames = false;  // aggregate::StackOptions
  // For tables of limits, which are made faster with it; null = each makes its own.
  std::shared_ptr<const aggregate::LimitIndex> limits = nullptr;
  // For "what_if": the changes, and all of them together; empty: those worth a look.
  std::vector<aggregate::WhatIfChange> changes = {};
  bool operator==(const ViewArguments&) const = default;
};

// Values of group_ops.row_type: rows of groups come first, then rows of ops.
inline constexpr int64_t kGroupRow = 1;
inline constexpr int64_t kOpRow = 2;

// What a profile must have for a view, or what is made for it once: ViewArguments::limits. Python
// frames are read into ViewArguments::python_frames; trace_and_frames: where the trace has any.
enum class ViewNeeds : uint8_t {
  any_profile,
  nsys_export,
  pytorch_trace,
  python_frames,
  trace_and_frames,
  limits,
};
constexpr bool has_python_frames(ViewNeeds needs) {
  return needs == ViewNeeds::python_frames || needs == ViewNeeds::trace_and_frames;
}
constexpr bool needs_pytorch_trace(ViewNeeds needs) {
  return needs == ViewNeeds::pytorch_trace || needs == ViewNeeds::trace_and_frames;
}

struct ViewInfo {
  std::string_view name;   // "op_nodes"
  std::string_view title;  // "Ops"
  std::string_view help;   // what a row is
  bool has_iterations;     // whether ViewArguments::iteration narrows it
  bool has_ops;            // whether ViewArguments::ops does
  bool is_dlprofs = true;  // whether a DLProf database has a view of this name
  ViewNeeds needs = ViewNeeds::any_profile;
};

// In order of name.
std::span<const ViewInfo> views();

// The table refers to the profile and the aggregation, which must outlive it; over kernels it costs
// four bytes for each. Fails for an unknown name, an argument that does not narrow the table and an
// iteration that the table does not cover.
base::Result<Table> make_view(std::string_view name, const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation,
                              const ViewArguments& arguments = {});

// Returns whether a view with these arguments is equal for both aggregations of a profile, except
// for the column "aggr_id": it is about one iteration, and both ranges contain it with the same
// split and filters.
bool tells_the_same(const aggregate::Aggregation& one, const aggregate::Aggregation& other,
                    const ViewArguments& arguments);

// The table "idle_gaps", by an index that is at hand.
Table make_idle_gaps(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                     const aggregate::RuleIndex& rules);

// The table "finding_checks", of checks that are at hand.
Table make_finding_checks(std::vector<aggregate::Check> checks, const aggregate::RuleIndex& rules);

// The table "roofline", or that of kernels, shapes or groups, of rows that are at hand. `time_ns`
// is 100% of their shares; what the rows refer to lives as long as `rows`.
Table make_limits(const profile::Profile& profile, aggregate::LimitsBy by,
                  std::shared_ptr<const std::vector<aggregate::LimitRow>> rows, int64_t time_ns);

// The ops with this id or this name, for ViewArguments::ops; empty when there are none.
std::vector<profile::OpIndex> find_ops(const profile::Profile& profile,
                                       std::string_view id_or_name);

}  // namespace dlview::report
