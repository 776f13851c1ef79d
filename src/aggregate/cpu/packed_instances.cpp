#include "aggregate/cpu/packed_instances.h"

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using profile::Row;

constexpr std::size_t kRowsAtOnce = 16'384;

bool fits(int64_t ns) {
  return ns >= 0 && ns < PackedTimes::kLong;
}

PackedTimes packed(const InstanceTimes& times) {
  const bool fit = fits(times.cpu) && fits(times.api) && fits(times.gpu) && fits(times.idle) &&
                   fits(times.gpu + times.idle);
  if (!fit) return {};
  return {static_cast<uint32_t>(times.cpu), static_cast<uint32_t>(times.gpu),
          static_cast<uint32_t>(times.api), static_cast<uint32_t>(times.idle)};
}

PackedKernels packed(const KernelTotals& totals) {
  const bool fit = fits(totals.gpu_ns) && fits(totals.tensor_core_gpu_ns) &&
                   totals.count < PackedKernels::kLong / 2;
  if (!fit) return {};
  return {static_cast<uint32_t>(totals.gpu_ns), static_cast<uint32_t>(totals.tensor_core_gpu_ns),
          static_cast<uint16_t>(totals.count),
          static_cast<uint16_t>(totals.tensor_core_count & 0x7fff)};
}

}  // namespace

bool PackedInstances::is_plain(const Profile& profile, InstanceIndex instance) const {
  const auto& [instances, kernels] = std::tie(profile.instances, profile.kernels);
  if (times_[instance].is_long() || kernels_[instance].is_long()) return false;
  if (instances.first_memory_op[instance] != instances.first_memory_op[instance + 1]) return false;
  const KernelIndex first = instances.first_kernel[instance];
  for (KernelIndex k = first; k < instances.first_kernel[instance + 1]; ++k) {
    if (kernels.gpu_stop_ns[k] < kernels.gpu_start_ns[k]) return false;
    if (index_->kernels.cells[index_->kernels.of_event[k]].device !=
        index_->kernels.cells[index_->kernels.of_event[first]].device) {
      return false;
    }
  }
  return true;
}

PackedInstances::PackedInstances(const Profile& profile, const ProfileIndex& index)
    : index_(&index), times_(profile.instances.size()), kernels_(profile.instances.size()) {
  base::parallel_for(times_.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (InstanceIndex i(static_cast<Row>(begin)); i < end; ++i) {
      times_[i] = packed(index.times[i]);
      kernels_[i] = packed(index.kernels_between(i, i + 1));
      kernels_[i].is_plain = is_plain(profile, i) ? 1 : 0;
    }
  });
  for (InstanceIndex i{0}; i < times_.size(); ++i) {
    if (times_[i].is_long()) long_.push_back(i);
  }
}

}  // namespace dlview::aggregate::cpu
