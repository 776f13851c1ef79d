// What kernels take of the GPU times of op types and of groups: for the colours of their rows, and
// in plain sums for tooltips.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "report/table.h"
#include "ui/theme.h"

namespace dlview::ui {

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
