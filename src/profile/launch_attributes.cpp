#include "profile/launch_attributes.h"

#include "base/saturated_sum.h"
#include "profile/recorded_work.h"

namespace dlview::profile {
namespace {

// Below 0 = not recorded; so is a column that the file lacks.
template <typename Values>
std::optional<int64_t> value_of(const Values& values, std::size_t row) {
  if (row >= values.size()) return std::nullopt;
  const int64_t value = values[row];
  return value < 0 ? std::nullopt : std::optional(value);
}

}  // namespace

LaunchAttributes launch_attributes(const Profile& profile, KernelIndex kernel) {
  LaunchAttributes result;
  if (!profile.trace) return result;
  const TraceKernels& kernels = profile.trace->kernels;
  const std::size_t row = row_of_source_id(profile.kernels.source_id[kernel]);
  if (row >= kernels.size()) return result;  // the launch of a whole graph
  result.registers_per_thread = value_of(kernels.registers_per_thread, row);
  result.shared_bytes = value_of(kernels.shared_bytes, row);
  const auto fixed = value_of(kernels.static_shared_bytes, row);
  const auto dynamic = value_of(kernels.dynamic_shared_bytes, row);
  if (fixed && dynamic) result.shared_bytes = base::saturated_sum(*fixed, *dynamic);
  result.occupancy_percent = value_of(kernels.occupancy_percent, row);
  result.blocks_per_sm_millionths = value_of(kernels.blocks_per_sm_millionths, row);
  result.warps_per_sm_millionths = value_of(kernels.warps_per_sm_millionths, row);
  const auto node = value_of(kernels.graph_node, row);
  if (node && *node != 0) result.graph_node = node;
  return result;
}

bool tells_occupancy(const Profile& profile) {
  if (!profile.trace) return false;
  const TraceKernels& kernels = profile.trace->kernels;
  return kernels.occupancy_percent.size() > 0 || kernels.blocks_per_sm_millionths.size() > 0;
}

}  // namespace dlview::profile
