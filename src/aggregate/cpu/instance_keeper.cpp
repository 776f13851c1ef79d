#include "aggregate/cpu/instance_keeper.h"

#include <algorithm>
#include <tuple>

#include "aggregate/engine/kernel_totals.h"

namespace dlview::aggregate::cpu {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;

Kept::InstanceKeeper::InstanceKeeper(const Kept& kept, const Profile& profile,
                                     const ProfileIndex& index)
    : kept_(kept), profile_(profile), index_(index), timer_(profile) {}

bool Kept::InstanceKeeper::keep_inside(InstanceIndex i, OnGpu& on_gpu) {
  if (kept_.packed_->packed_kernels(i).is_plain != 0) return sum_up_plain(i, on_gpu);
  const bool counts = sum_up(i, on_gpu);
  if (counts && !summed_up_) use_exact_times(i, on_gpu);
  return counts;
}

bool Kept::InstanceKeeper::keep_partly(InstanceIndex i, OnGpu& on_gpu) {
  const bool counts =
      any_touches(i, on_gpu) || (!kept_.filter_.asks_for_events() &&
                                 kept_.filter_.starts_inside(profile_.instances.cpu_start_ns[i]));
  if (counts && !summed_up_) use_exact_times(i, on_gpu);
  return counts;
}

void Kept::InstanceKeeper::use_exact_times(InstanceIndex i, OnGpu& on_gpu) {
  const InstanceTimes exact = timer_.times_of(i, kept_.filter_);
  on_gpu = {exact.gpu, exact.idle};
}

KernelTotals Kept::InstanceKeeper::take_kernels() {
  const KernelTotals taken = kernels_;
  kernels_ = {};
  return taken;
}

// Whether any event that passes lies in a window. Where all lie in the same one and pass, the
// instance keeps its times.
bool Kept::InstanceKeeper::any_touches(InstanceIndex i, OnGpu& on_gpu) {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile_.instances, profile_.kernels, profile_.memory_ops);
  bool any = false;
  const TimeWindow* home = nullptr;
  summed_up_ = true;
  const auto look_at = [&](bool passes, int64_t start_ns, int64_t stop_ns) {
    const auto holds = [&](const TimeWindow& window) {
      return start_ns >= window.start_ns && start_ns <= window.stop_ns && stop_ns <= window.stop_ns;
    };
    if (passes && home == nullptr) {
      const auto found = kept_.filter_.window_from(start_ns);
      if (found != kept_.windows().end() && holds(*found)) home = &*found;
    }
    summed_up_ = summed_up_ && passes && home != nullptr && holds(*home);
    any = any || (passes && kept_.filter_.touches_any(start_ns, stop_ns));
  };
  for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
    look_at(kept_.keeps_kernel_cell(index_.kernels.of_event[k]), kernels.gpu_start_ns[k],
            kernels.gpu_stop_ns[k]);
  }
  for (MemoryOpIndex m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
    look_at(kept_.keeps_memory_cell(index_.memory_ops.of_event[m]), memory_ops.gpu_start_ns[m],
            memory_ops.gpu_stop_ns[m]);
  }
  if (summed_up_) on_gpu = {index_.times[i].gpu, index_.times[i].idle};
  return any;
}

// The kernels stand in order of their start, so that what lies between the first start and the last
// stop is either covered or idle.
bool Kept::InstanceKeeper::sum_up_plain(InstanceIndex i, OnGpu& on_gpu) {
  const auto& [instances, kernels] = std::tie(profile_.instances, profile_.kernels);
  const int64_t* const start_ns = kernels.gpu_start_ns.span().data();
  const int64_t* const stop_ns = kernels.gpu_stop_ns.span().data();
  const Row* const cells = index_.kernels.of_event.data();
  const uint8_t* const kept_cells = kept_.kernel_cells_.data();
  int64_t first_ns = 0, reached_ns = 0, idle_ns = 0;
  KernelTotals totals;
  const KernelIndex end = instances.first_kernel[i + 1];
  for (KernelIndex k = instances.first_kernel[i]; k < end; ++k) {
    const uint8_t kept = kept_cells[cells[k]];
    if (kept == 0) continue;
    if (totals.count == 0) first_ns = reached_ns = start_ns[k];
    idle_ns += std::max<int64_t>(start_ns[k] - reached_ns, 0);
    reached_ns = std::max(reached_ns, stop_ns[k]);
    totals += totals_of_kernel(stop_ns[k] - start_ns[k], kept == kKeptTensorCores);
  }
  kernels_ += totals;
  on_gpu = {reached_ns - first_ns - idle_ns, idle_ns};
  return totals.count != 0;
}

// Of any instance. Where its kernels do not lie on one device alone the times are left open.
bool Kept::InstanceKeeper::sum_up(InstanceIndex i, OnGpu& on_gpu) {
  const auto& [instances, kernels] = std::tie(profile_.instances, profile_.kernels);
  bool any = false;
  for (MemoryOpIndex m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
    any = any || kept_.keeps_memory_cell(index_.memory_ops.of_event[m]);
  }
  summed_up_ = !any;
  on_gpu = {};
  DeviceIndex device;
  int64_t reached_ns = 0;
  for (KernelIndex k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
    const Row cell = index_.kernels.of_event[k];
    const uint8_t kept = kept_.kernel_cells_[cell];
    if (kept == 0) continue;
    any = true;
    const int64_t start_ns = kernels.gpu_start_ns[k], stop_ns = kernels.gpu_stop_ns[k];
    kernels_ += totals_of_kernel(stop_ns - start_ns, kept == kKeptTensorCores);
    const DeviceIndex runs_on = index_.kernels.cells[cell].device;
    if (device == profile::kNoRow) {
      device = runs_on;
      reached_ns = start_ns;
    } else if (device != runs_on) {
      summed_up_ = false;
    }
    on_gpu.idle_ns += std::max<int64_t>(start_ns - reached_ns, 0);
    const int64_t from_ns = std::max(start_ns, reached_ns);
    on_gpu.union_ns += std::max<int64_t>(stop_ns - from_ns, 0);
    reached_ns = std::max(from_ns, stop_ns);
  }
  return any;
}

}  // namespace dlview::aggregate::cpu
