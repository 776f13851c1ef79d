#include "ui/views/tables/kernel_times.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/table/table_data.h"

namespace dlview::ui {
namespace {

constexpr const char* kKernelTime = "kernel_time";
constexpr const char* kTensorCoreTime = "tensor_core_time";

}  // namespace

void KernelTimes::add(const aggregate::OpAggregate& op) {
  all_ns += op.kernel_gpu.sum;
  tensor_core_ns += op.tensor_core_gpu_ns;
}

void add_kernel_columns(report::Table& table, std::vector<KernelTimes> times) {
  const auto kept = std::make_shared<const std::vector<KernelTimes>>(std::move(times));
  const auto add = [&](const char* id, const char* title, int64_t KernelTimes::*time) {
    table.columns.push_back(
        report::integer_column(id, title, aggregate::Unit::ns,
                               [kept, time](std::size_t row) { return (*kept)[row].*time; }));
  };
  add(kKernelTime, "Kernel Time", &KernelTimes::all_ns);
  add(kTensorCoreTime, "Tensor Core Time", &KernelTimes::tensor_core_ns);
}

std::array<TonePart, 3> gpu_time_parts(const report::Table& table, std::size_t row) {
  const double all = number_of(cell_in(table, row, "gpu_time_sum"));
  const double kernels = number_of(cell_in(table, row, kKernelTime));
  const double tensor_cores = number_of(cell_in(table, row, kTensorCoreTime));
  const double of_kernels = std::min(kernels, all);
  const double of_tensor_cores = kernels == 0 ? 0 : of_kernels * tensor_cores / kernels;
  return {{{Tone::tensor_core_kernels, of_tensor_cores},
           {Tone::other_kernels, of_kernels - of_tensor_cores},
           {Tone::memory, all - of_kernels}}};
}

std::string kernel_times_text(const report::Table& table, std::size_t row) {
  const double all = number_of(cell_in(table, row, kKernelTime));
  const double tensor_cores = number_of(cell_in(table, row, kTensorCoreTime));
  if (all == 0) return "";
  return fmt::format("Kernels, plain sums: Tensor Cores {} · others {}",
                     base::format_duration(tensor_cores),
                     base::format_duration(all - tensor_cores));
}

}  // namespace dlview::ui
