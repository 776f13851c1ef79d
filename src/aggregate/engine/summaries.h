// From sums over rows to the rows of an Aggregation: ops, op types, groups, kernels, categories.
#pragma once

#include "aggregate/aggregation.h"
#include "aggregate/engine/layouts.h"

namespace dlview::aggregate {

// The cells of the range of an aggregation, with their layouts.
struct RangeCells {
  const OpLayout& op_layout;
  const EventLayout& event_layout;
  const GroupLayout& group_layout;
  const Cells &ops, &events, &groups;
};

// Fills everything of `result` that follows from the sums.
void summarize(const profile::Profile& profile, const ProfileIndex& index, const RangeCells& cells,
               Aggregation& result);

// Takes the I/O times of a stored aggregation of exactly this range out of Other (spec.md 9).
void add_stored_io(const profile::Profile& profile, Aggregation& result);

}  // namespace dlview::aggregate
