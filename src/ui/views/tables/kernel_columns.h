// Kernel columns of tables: answers of dlview's Tensor Core rules, and parts of GPU times.
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
#include "ui/table/table_data.h"
#include "ui/theme.h"

namespace dlview::ui {

// dlview's Tensor Core rules in tables of kernels: a third state beside yes and no, and its reason.

// For a table of kernels, by launch or by name, with the ids of their ops. uses_tc becomes "not
// recorded" if the rules do not know and the numbers do not count it. Adds tc_by_rules and tc_rule:
// the answer of the rules, "unknown" if it differs between the kernels of a row.
void add_tensor_core_rules(TableData& data, const report::ViewArguments& arguments);

using UnknownUse = std::shared_ptr<const aggregate::UnknownTensorCoreUse>;

// A table of ops or of kernels by name with the cells of unknown use "not recorded", once they are
// known. Nothing of the table is summed again for it.
class MarkedTable {
 public:
  // `unknown` is null until it is known; `data` is null where there is no table.
  std::shared_ptr<const TableData> of(const std::shared_ptr<const TableData>& data,
                                      const UnknownUse& unknown);

 private:
  std::shared_ptr<const TableData> data_;
  UnknownUse unknown_;
  std::shared_ptr<const TableData> marked_;  // of these two
};

// Returns what the rules say of the kernel in this row, and how it counts; one sentence.
std::string reason_of_use(const report::Table& table, std::size_t row);

// Adds whether a row's op communicates (aggregate/communication_ops.h) in the range, to a table
// with "op_node_id": for the colors of its times.
void add_communication(TableData& data, const report::ViewArguments& arguments);

// The part of kernels in the GPU times of op types and groups: for the colors of their rows, and as
// sums for tooltips.

// Sums over ops.
struct KernelTimes {
  int64_t all_ns = 0, tensor_core_ns = 0, communication_ns = 0;
  void add(const aggregate::OpAggregate& op, int64_t op_communication_ns);
};
// By row, for the functions below.
void add_kernel_columns(report::Table& table, std::vector<KernelTimes> times);

struct TonePart {
  Tone tone = Tone::idle;
  double ns = 0;
};
// Returns the parts of a row's GPU time in the order of the breakdown. Kernels with and without
// Tensor Cores and communication share the time of kernels by their sums; memory is the rest.
// Kernels that overlap may hide copies.
using TimeParts = std::array<TonePart, 4>;
TimeParts gpu_time_parts(const report::Table& table, std::size_t row);
// "Kernels (sum): Tensor Cores 12.0 ms · others 3.10 ms · communication 2.00 ms"; empty without
// kernels.
std::string kernel_times_text(const report::Table& table, std::size_t row);

}  // namespace dlview::ui
