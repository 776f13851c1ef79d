// Kernel columns of tables: verdicts of the present rules for Tensor Cores, and shares of GPU
// times.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/tensor_core_uses.h"
#include "report/table.h"
#include "report/views/views.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/table_data.h"
#include "ui/theme.h"

namespace dlview::ui {

// The present rules for Tensor Cores in tables of kernels: a third state beside yes and no, and the
// reason.

// To a table of kernels, by launch or by name, with the ids of their ops: uses_tc becomes not
// recorded where the rules do not know and the numbers do not count it; tc_by_rules and tc_rule
// tell what the rules say. A row of several kernels that they see differently is "unknown".
void add_tensor_core_rules(TableData& data, const report::ViewArguments& arguments);

// Looks up in the background, once for each profile, which kernels the rules do not know.
class UnknownUse {
 public:
  // Null until it is known.
  const std::shared_ptr<const aggregate::UnknownTensorCoreUse>& get(const Model& model,
                                                                    Background& background);

 private:
  Late<std::shared_ptr<const profile::Profile>, aggregate::UnknownTensorCoreUse> use_;
};

// To a table of kernels by name, with or without launch configuration: uses_tc becomes not recorded
// for names of which the rules know none of the kernels. `unknown` may be null.
void add_unknown_names(TableData& data,
                       std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown);
// To a table of all ops: using_tc becomes not recorded for ops of whose kernels the rules know
// none, where they run kernels in it.
void add_unknown_use(TableData& data,
                     std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown);

// What they say of the kernel in this row, beside what it counts as; one sentence.
std::string reason_of_use(const report::Table& table, std::size_t row);

// What kernels take of the GPU times of op types and of groups: for the colors of their rows, and
// in plain sums for tooltips.

// Plain sums over ops.
struct KernelTimes {
  int64_t all_ns = 0, tensor_core_ns = 0;
  void add(const aggregate::OpAggregate& op);
};
// By row; what is below reads them.
void add_kernel_columns(report::Table& table, std::vector<KernelTimes> times);

struct TonePart {
  Tone tone = Tone::idle;
  double ns = 0;
};
// What the GPU time of a row is drawn as: of its kernels, which share it by their sums, and of
// memory as much as it is longer than these. Kernels that overlap may hide copies.
std::array<TonePart, 3> gpu_time_parts(const report::Table& table, std::size_t row);
// "Kernels, plain sums: Tensor Cores 12.0 ms · others 3.10 ms"; empty where there is none.
std::string kernel_times_text(const report::Table& table, std::size_t row);

}  // namespace dlview::ui
