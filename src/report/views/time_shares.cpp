#include "report/views/time_shares.h"

#include <algorithm>
#include <utility>

namespace dlview::report {

int64_t total_op_time(const aggregate::Aggregation& aggregation) {
  return aggregation.whole().model_times.gpu.sum;
}

int64_t total_kernel_time(const aggregate::Aggregation& aggregation,
                          std::span<const profile::OpIndex> ops) {
  std::vector<profile::OpIndex> sorted(ops.begin(), ops.end());
  std::ranges::sort(sorted);
  int64_t total_ns = 0;
  for (const aggregate::KernelAggregate& kernel : aggregation.whole().kernels) {
    const bool counts = ops.empty() || std::ranges::binary_search(sorted, kernel.op);
    if (counts) total_ns += kernel.gpu.sum;
  }
  return total_ns;
}

Column divided_column(ColumnId id, std::function<Cell(std::size_t row)> time, double divisor) {
  return column(id, [time = std::move(time), divisor](std::size_t row) -> Cell {
    const Cell cell = time(row);
    if (divisor == 0) return {};
    if (const auto* whole = std::get_if<int64_t>(&cell)) {
      return static_cast<double>(*whole) / divisor;
    }
    const auto* real = std::get_if<double>(&cell);
    return real == nullptr ? Cell() : Cell(*real / divisor);
  });
}

void append_time_shares(std::vector<Column>& columns,
                        const std::function<Cell(std::size_t row)>& gpu_time, int64_t total_ns,
                        const aggregate::Aggregation& aggregation) {
  columns.push_back(
      divided_column("gpu_time_share", gpu_time, static_cast<double>(total_ns) / 100));
  columns.push_back(divided_column("gpu_time_per_iteration", gpu_time,
                                   static_cast<double>(aggregation.selection.range.size())));
}

}  // namespace dlview::report
