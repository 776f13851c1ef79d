#include "aggregate/cpu/kept.h"

#include <algorithm>

#include "aggregate/instance_times.h"
#include "base/parallel.h"

namespace dlview::aggregate::cpu {

using profile::Profile;
using profile::Row;

// Decides for one instance after the other. One thread each.
class Kept::InstanceKeeper {
 public:
  InstanceKeeper(const Kept& kept, const Profile& profile, const ProfileIndex& index)
      : kept_(kept), profile_(profile), index_(index), timer_(profile) {}

  // Whether the instance counts, and what of it did on the GPU.
  bool keep(Row i, OnGpu& on_gpu) {
    const auto& instances = profile_.instances;
    on_gpu = {};
    if (!kept_.keeps_op(instances.op[i])) return false;
    const bool events = kept_.asks_for_time() ? any_touches(i, on_gpu) : sum_up(i, on_gpu);
    const bool counts = events || (!kept_.filter_.asks_for_events() &&
                                   kept_.filter_.starts_inside(instances.cpu_start_ns[i]));
    if (counts && !summed_up_) {
      const InstanceTimes exact = timer_.times_of(i, kept_.filter_);
      on_gpu.union_ns = exact.gpu;
      on_gpu.idle_ns = exact.idle;
    }
    return counts;
  }

 private:
  // Counts the kernels that start in a window. Whether any event lies in one.
  bool any_touches(Row i, OnGpu& on_gpu) {
    summed_up_ = false;
    const auto& [instances, kernels, memory_ops] =
        std::tie(profile_.instances, profile_.kernels, profile_.memory_ops);
    const auto touches = [&](int64_t start_ns, int64_t stop_ns) {
      return std::ranges::any_of(kept_.windows(), [&](const TimeWindow& window) {
        return RowFilter::touches(window, start_ns, stop_ns);
      });
    };
    bool any = false;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      const Row cell = index_.kernels.of_event[k];
      if (!kept_.keeps_kernel_cell(cell)) continue;
      const int64_t start_ns = kernels.gpu_start_ns[k], stop_ns = kernels.gpu_stop_ns[k];
      any = any || touches(start_ns, stop_ns);
      if (kept_.filter_.starts_inside(start_ns)) count(cell, stop_ns - start_ns, on_gpu.kernels);
    }
    for (Row m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
      any = any || (kept_.keeps_memory_cell(index_.memory_ops.of_event[m]) &&
                    touches(memory_ops.gpu_start_ns[m], memory_ops.gpu_stop_ns[m]));
    }
    return any;
  }

  // Most instances have kernels on one device and nothing else: these stand in order of time and
  // are added up at once. Whether any event passes.
  bool sum_up(Row i, OnGpu& on_gpu) {
    const auto& [instances, kernels] = std::tie(profile_.instances, profile_.kernels);
    bool any = false;
    for (Row m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
      any = any || kept_.keeps_memory_cell(index_.memory_ops.of_event[m]);
    }
    summed_up_ = !any;
    Row device = profile::kNoRow;
    int64_t reached_ns = 0;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      const Row cell = index_.kernels.of_event[k];
      if (!kept_.keeps_kernel_cell(cell)) continue;
      any = true;
      const int64_t start_ns = kernels.gpu_start_ns[k], stop_ns = kernels.gpu_stop_ns[k];
      if (device == profile::kNoRow) {
        device = index_.kernels.cells[cell].device;
        reached_ns = start_ns;
      } else if (device != index_.kernels.cells[cell].device) {
        summed_up_ = false;
      }
      on_gpu.idle_ns += std::max<int64_t>(start_ns - reached_ns, 0);
      on_gpu.union_ns += std::max<int64_t>(stop_ns - std::max(start_ns, reached_ns), 0);
      reached_ns = std::max(reached_ns, stop_ns);
      count(cell, stop_ns - start_ns, on_gpu.kernels);
    }
    return any;
  }

  void count(Row cell, int64_t duration_ns, KernelTotals& totals) const {
    const bool tensor_core = index_.kernels.cells[cell].uses_tensor_cores;
    totals += {1, tensor_core ? 1 : 0, duration_ns, tensor_core ? duration_ns : 0};
  }

  const Kept& kept_;
  const Profile& profile_;
  const ProfileIndex& index_;
  InstanceTimer timer_;
  bool summed_up_ = false;  // the times of the present instance are known
};

void Kept::look_up(const RowFilter& filter) {
  filter_ = filter;
  kernel_cells_.clear();
  for (const EventCell& cell : index_->kernels.cells) {
    const bool passes = filter.passes_kernel(cell.name, cell.device, cell.uses_tensor_cores);
    kernel_cells_.push_back(keeps_op(cell.op) && passes ? 1 : 0);
  }
  memory_cells_.clear();
  for (const EventCell& cell : index_->memory_ops.cells) {
    memory_cells_.push_back(keeps_op(cell.op) && filter.passes_memory_op_on(cell.device) ? 1 : 0);
  }
  if (keeps_whole_instances()) return;
  const std::size_t instances = profile_->instances.size();
  kept_instances_.resize(instances);
  on_gpu_.resize(instances);
  base::parallel_for(instances, 16'384, [&](std::size_t begin, std::size_t end) {
    InstanceKeeper keeper(*this, *profile_, *index_);
    for (std::size_t i = begin; i < end; ++i) {
      kept_instances_[i] = keeper.keep(static_cast<Row>(i), on_gpu_[i]) ? 1 : 0;
    }
  });
}

}  // namespace dlview::aggregate::cpu
