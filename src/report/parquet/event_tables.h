// The tables that other programs read: a row for each kernel, op instance, iteration, collective
// and op of a selection, with times in whole ns and plain names. For `dlview export --parquet`.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "report/table.h"

namespace dlview::report::parquet {

inline constexpr std::array<std::string_view, 5> kEventTables{"kernels", "op_instances",
                                                              "iterations", "collectives", "ops"};

// The tables of kEventTables, with the same columns for every profile. A range of all iterations
// has the events outside of them, too, without an iteration; another range has its own only.
// Filters apply as in all tables. The tables share the profile and the aggregation, which belong
// together. Costs a pass over instances and kernels; 4 bytes for a kernel, 48 for an instance.
std::vector<Table> event_tables(const std::shared_ptr<const profile::Profile>& profile,
                                const std::shared_ptr<const aggregate::Aggregation>& aggregation);

}  // namespace dlview::report::parquet
