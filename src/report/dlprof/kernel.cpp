#include <algorithm>
#include <memory>
#include <vector>

#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::KernelAggregate;
using aggregate::Stats;
using profile::Profile;
using profile::Row;

// Indices into Aggregation::kernels by (op's id in the file, kernel name); the kernels of an op are
// in order of their names already.
std::vector<Row> kernels_by_op(const Profile& profile, const Aggregation& aggregation) {
  std::vector<Row> order(aggregation.kernels.size());
  for (Row i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) {
    return profile.ops.source_id[aggregation.kernels[a].op] <
           profile.ops.source_id[aggregation.kernels[b].op];
  });
  return order;
}

}  // namespace

Table kernel_report(const Profile& profile, const Aggregation& aggregation) {
  const auto order = std::make_shared<const std::vector<Row>>(kernels_by_op(profile, aggregation));
  const auto kernel = [&aggregation, order](std::size_t row) -> const KernelAggregate& {
    return aggregation.kernels[(*order)[row]];
  };

  Table table{"kernel", "Kernel Report", Layout::rows, {}, order->size()};
  table.columns.push_back(text_column("kernel_name", "Kernel Name", [&profile, kernel](auto row) {
    return profile.text(kernel(row).name);
  }));
  append_op_columns(table.columns, profile, [kernel](std::size_t row) { return kernel(row).op; });
  table.columns.push_back(flag_column(
      "uses_tc", "Uses TC", [kernel](std::size_t row) { return kernel(row).uses_tensor_cores; }));
  append_stats_columns(table.columns, "gpu_time", "GPU Time", "Avg",
                       [kernel](std::size_t row) -> const Stats& { return kernel(row).gpu; });
  append_stats_columns(table.columns, "api_time", "API Time", "Avg",
                       [kernel](std::size_t row) -> const Stats& { return kernel(row).api; });
  return table;
}

}  // namespace dlview::report::dlprof
