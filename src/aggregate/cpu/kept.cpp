#include "aggregate/cpu/kept.h"

#include <algorithm>
#include <tuple>

#include "aggregate/instance_times.h"
#include "base/parallel.h"

namespace dlview::aggregate::cpu {

using profile::Profile;
using profile::Row;

namespace {

// Instances that a time is asked for together, and whose kernels are added up together.
constexpr std::size_t kRun = 64;

KernelTotals one_kernel(int64_t duration_ns, bool tensor_core) {
  return {1, tensor_core ? 1 : 0, duration_ns, tensor_core ? duration_ns : 0};
}

}  // namespace

// Decides for one instance after the other, of ops that keep some. One thread each.
class Kept::InstanceKeeper {
 public:
  InstanceKeeper(const Kept& kept, const Profile& profile, const ProfileIndex& index)
      : kept_(kept), profile_(profile), index_(index), timer_(profile) {}

  // Whether the instance counts, and what of it did on the GPU.
  bool keep(Row i, OnGpu& on_gpu) {
    const bool events = kept_.asks_for_time() ? any_touches(i, on_gpu) : sum_up(i, on_gpu);
    const bool counts = events || (!kept_.filter_.asks_for_events() &&
                                   kept_.filter_.starts_inside(profile_.instances.cpu_start_ns[i]));
    if (counts && !summed_up_) {
      const InstanceTimes exact = timer_.times_of(i, kept_.filter_);
      on_gpu = {exact.gpu, exact.idle};
    }
    return counts;
  }
  // Of the kernels of that instance that pass, where no time is asked for.
  const KernelTotals& kernels() const { return kernels_; }

 private:
  // Whether any event that passes lies in a window. Where all lie in the same one and pass, the
  // instance keeps its times.
  bool any_touches(Row i, OnGpu& on_gpu) {
    const auto& [instances, kernels, memory_ops] =
        std::tie(profile_.instances, profile_.kernels, profile_.memory_ops);
    bool any = false;
    const TimeWindow* home = nullptr;
    summed_up_ = true;
    const auto look_at = [&](bool passes, int64_t start_ns, int64_t stop_ns) {
      const auto holds = [&](const TimeWindow& window) {
        return start_ns >= window.start_ns && start_ns <= window.stop_ns &&
               stop_ns <= window.stop_ns;
      };
      if (passes && home == nullptr) {
        const auto found = std::ranges::find_if(kept_.windows(), holds);
        if (found != kept_.windows().end()) home = &*found;
      }
      summed_up_ = summed_up_ && passes && home != nullptr && holds(*home);
      any = any || (passes && std::ranges::any_of(kept_.windows(), [&](const TimeWindow& window) {
                      return RowFilter::touches(window, start_ns, stop_ns);
                    }));
    };
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      look_at(kept_.keeps_kernel_cell(index_.kernels.of_event[k]), kernels.gpu_start_ns[k],
              kernels.gpu_stop_ns[k]);
    }
    for (Row m = instances.first_memory_op[i]; m < instances.first_memory_op[i + 1]; ++m) {
      look_at(kept_.keeps_memory_cell(index_.memory_ops.of_event[m]), memory_ops.gpu_start_ns[m],
              memory_ops.gpu_stop_ns[m]);
    }
    if (summed_up_) on_gpu = {index_.times[i].gpu, index_.times[i].idle};
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
    on_gpu = {};
    kernels_ = {};
    Row device = profile::kNoRow;
    int64_t reached_ns = 0;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      const Row cell = index_.kernels.of_event[k];
      if (!kept_.keeps_kernel_cell(cell)) continue;
      any = true;
      const int64_t start_ns = kernels.gpu_start_ns[k], stop_ns = kernels.gpu_stop_ns[k];
      const EventCell& of = index_.kernels.cells[cell];
      kernels_ += one_kernel(stop_ns - start_ns, of.uses_tensor_cores);
      if (device == profile::kNoRow) {
        device = of.device;
        reached_ns = start_ns;
      } else if (device != of.device) {
        summed_up_ = false;
      }
      on_gpu.idle_ns += std::max<int64_t>(start_ns - reached_ns, 0);
      const int64_t from_ns = std::max(start_ns, reached_ns);
      on_gpu.union_ns += std::max<int64_t>(stop_ns - from_ns, 0);
      reached_ns = std::max(from_ns, stop_ns);
    }
    return any;
  }

  const Kept& kept_;
  const Profile& profile_;
  const ProfileIndex& index_;
  InstanceTimer timer_;
  KernelTotals kernels_;
  bool summed_up_ = false;  // the times of the present instance are known
};

Kept::Kept(const Profile& profile, const ProfileIndex& index)
    : profile_(&profile),
      index_(&index),
      filter_(profile, {}),
      lacks_events_(profile.ops.size()),
      shares_(profile.ops.size(), Share::all) {
  const auto& instances = profile.instances;
  for (Row i = 0; i < instances.size(); ++i) {
    if (instances.first_kernel[i] == instances.first_kernel[i + 1] &&
        instances.first_memory_op[i] == instances.first_memory_op[i + 1]) {
      lacks_events_[instances.op[i]] = 1;
    }
  }
}

void Kept::look_up_cells() {
  kernel_cells_.clear();
  for (const EventCell& cell : index_->kernels.cells) {
    const bool passes = filter_.passes_kernel(cell.name, cell.device, cell.uses_tensor_cores);
    kernel_cells_.push_back(filter_.keeps_op(cell.op) && passes ? 1 : 0);
  }
  memory_cells_.clear();
  for (const EventCell& cell : index_->memory_ops.cells) {
    const bool passes = filter_.passes_memory_op_on(cell.device);
    memory_cells_.push_back(filter_.keeps_op(cell.op) && passes ? 1 : 0);
  }
}

void Kept::look_up_shares() {
  std::vector<uint8_t> any(shares_.size()), lost(shares_.size());
  const auto look_at = [&](const std::vector<EventCell>& cells, const std::vector<uint8_t>& kept) {
    for (std::size_t c = 0; c < cells.size(); ++c) (kept[c] != 0 ? any : lost)[cells[c].op] = 1;
  };
  look_at(index_->kernels.cells, kernel_cells_);
  look_at(index_->memory_ops.cells, memory_cells_);
  for (Row op = 0; op < shares_.size(); ++op) {
    Share share = Share::some;
    if (!filter_.keeps_op(op)) {
      share = Share::none;
    } else if (!asks_for_time()) {
      const bool events = filter_.asks_for_events();
      if (events && any[op] == 0) share = Share::none;
      if (!events || (any[op] != 0 && lost[op] == 0 && lacks_events_[op] == 0)) share = Share::all;
    }
    shares_[op] = share;
  }
}

void Kept::find_spans() {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile_->instances, profile_->kernels, profile_->memory_ops);
  spans_.resize((instances.size() + kRun - 1) / kRun);
  base::parallel_for(spans_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t run = begin; run < end; ++run) {
      const auto first = static_cast<Row>(run * kRun);
      const auto last = static_cast<Row>(std::min((run + 1) * kRun, instances.size()));
      TimeWindow span{instances.cpu_start_ns[first], instances.cpu_start_ns[first]};
      const auto widen = [&span](int64_t ns) {
        span.start_ns = std::min(span.start_ns, ns);
        span.stop_ns = std::max(span.stop_ns, ns);
      };
      const auto widen_by = [&](const auto& events, Row event, Row end_event) {
        for (; event < end_event; ++event) {
          widen(events.gpu_start_ns[event]);
          widen(events.gpu_stop_ns[event]);
        }
      };
      for (Row i = first; i < last; ++i) widen(instances.cpu_start_ns[i]);
      widen_by(kernels, instances.first_kernel[first], instances.first_kernel[last]);
      widen_by(memory_ops, instances.first_memory_op[first], instances.first_memory_op[last]);
      spans_[run] = span;
    }
  });
}

bool Kept::any_window_meets(const TimeWindow& span) const {
  return std::ranges::any_of(windows(), [&span](const TimeWindow& window) {
    return span.start_ns <= window.stop_ns && span.stop_ns >= window.start_ns;
  });
}

void Kept::look_up(const RowFilter& filter) {
  filter_ = filter;
  look_up_cells();
  look_up_shares();
  kernels_of_run_.clear();
  if (!has(Share::some)) return;
  if (asks_for_time() && spans_.empty()) find_spans();
  const auto& op = profile_->instances.op;
  kept_instances_.resize(op.size());
  on_gpu_.resize(op.size());
  const std::size_t runs = (op.size() + kRun - 1) / kRun;
  if (!asks_for_time()) kernels_of_run_.resize(runs);
  base::parallel_for(runs, 256, [&](std::size_t begin, std::size_t end) {
    InstanceKeeper keeper(*this, *profile_, *index_);
    for (std::size_t run = begin; run < end; ++run) {
      const std::size_t first = run * kRun, last = std::min(first + kRun, op.size());
      if (asks_for_time() && !any_window_meets(spans_[run])) {
        std::fill(&kept_instances_[first], &kept_instances_[first] + (last - first), uint8_t{0});
        continue;
      }
      KernelTotals kernels;
      for (auto i = static_cast<Row>(first); i < last; ++i) {
        if (shares_[op[i]] == Share::all) kernels += index_->kernels_between(i, i + 1);
        if (shares_[op[i]] != Share::some) continue;
        kept_instances_[i] = keeper.keep(i, on_gpu_[i]) ? 1 : 0;
        kernels += keeper.kernels();
      }
      if (!kernels_of_run_.empty()) kernels_of_run_[run] = kernels;
    }
  });
}

KernelTotals Kept::kernels_between(Row first, Row end) const {
  const auto first_run = (first + kRun - 1) / kRun, end_run = end / kRun;
  if (kernels_of_run_.empty() || first_run >= end_run) return kernels_by_row(first, end);
  KernelTotals totals = kernels_by_row(first, static_cast<Row>(first_run * kRun));
  for (std::size_t run = first_run; run < end_run; ++run) totals += kernels_of_run_[run];
  totals += kernels_by_row(static_cast<Row>(end_run * kRun), end);
  return totals;
}

KernelTotals Kept::kernels_by_row(Row first, Row end) const {
  const auto& [instances, kernels] = std::tie(profile_->instances, profile_->kernels);
  KernelTotals totals;
  Row whole_from = first;  // up to the present instance all is kept
  for (Row i = first; i < end; ++i) {
    const Share share = shares_[instances.op[i]];
    if (share == Share::all) continue;
    if (whole_from < i) totals += index_->kernels_between(whole_from, i);
    whole_from = i + 1;
    if (share == Share::none || kept_instances_[i] == 0) continue;
    for (Row k = instances.first_kernel[i]; k < instances.first_kernel[i + 1]; ++k) {
      if (!counts_kernel(k)) continue;
      totals += one_kernel(kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                           kernels.uses_tensor_cores[k] != 0);
    }
  }
  if (whole_from < end) totals += index_->kernels_between(whole_from, end);
  return totals;
}

}  // namespace dlview::aggregate::cpu
