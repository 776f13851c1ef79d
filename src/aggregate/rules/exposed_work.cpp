#include "aggregate/rules/exposed_work.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "aggregate/rules/gpu_events.h"
#include "aggregate/rules/kernel_kinds.h"
#include "base/stop_point.h"
#include "profile/communication.h"
#include "profile/kinds.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::CopyDirection;
using profile::DeviceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::MemoryOpKind;
using profile::Profile;
using profile::Row;
using enum ExposedKind;

class ExposedWorkFinder {
 public:
  ExposedWorkFinder(const Profile& profile, const BlockingCalls& calls) : profile_(profile) {
    add_memory_ops(calls);
    add_kernels();
    for (std::size_t kind = 0; kind < kExposedKinds; ++kind) {
      finish(static_cast<ExposedKind>(kind));
    }
    count_compute_streams();
  }
  ExposedWorks take() { return std::move(found_); }

 private:
  using ByDevice = std::vector<std::vector<Interval>>;

  ExposedWork& of(ExposedKind kind) { return found_[static_cast<std::size_t>(kind)]; }
  ByDevice& times(ExposedKind kind) { return times_[static_cast<std::size_t>(kind)]; }

  void add(ExposedKind kind, Row row, DeviceIndex device, const Interval& time) {
    of(kind).rows.push_back(row);
    times(kind).resize(profile_.devices.size());
    times(kind)[device].push_back(time);
  }

  std::optional<ExposedKind> kind_of_memory_op(MemoryOpIndex row,
                                               const BlockingCalls& calls) const {
    const profile::MemoryOps& ops = profile_.memory_ops;
    if (ops.kind[row] == MemoryOpKind::memset) return memory_on_gpu;
    const bool is_of_call = calls.rule_of_memory_op[row] != kNoRule;
    switch (profile::direction_of(ops.copy_kind[row])) {
      case CopyDirection::to_device:
        return is_of_call ? std::nullopt : std::optional(copies_to_gpu);
      case CopyDirection::to_host:
        return is_of_call ? std::nullopt : std::optional(copies_to_host);
      case CopyDirection::within_devices:
        return memory_on_gpu;
      case CopyDirection::within_host:
        return std::nullopt;
    }
    return std::nullopt;
  }

  void add_memory_ops(const BlockingCalls& calls) {
    const profile::MemoryOps& ops = profile_.memory_ops;
    for (MemoryOpIndex row{0}; row < ops.size(); ++row) {
      const std::optional<ExposedKind> kind = kind_of_memory_op(row, calls);
      if (!kind) continue;
      add(*kind, row, ops.device[row], {ops.gpu_start_ns[row], ops.gpu_stop_ns[row]});
      if (profile::is_migration(ops.copy_kind[row])) ++of(*kind).migrations;
    }
  }

  void add_kernels() {
    kernels_.resize(profile_.devices.size());
    KernelKinds kinds(profile_);
    const std::vector<uint8_t> communicates = profile::communication_kernels(profile_);
    const profile::Kernels& kernels = profile_.kernels;
    for (KernelIndex row{0}; row < kernels.size(); ++row) {
      base::stop_point();
      const DeviceIndex device = profile_.device_of_kernel(row);
      const Interval time{kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row]};
      kernels_[device].push_back(time);
      if (!communicates.empty() && communicates[row] != 0) add(communication, row, device, time);
      if (kinds.is_layout_transpose(row)) add(layout_transposes, row, device, time);
      if (kinds.is_cuda_core_product(row)) add(cuda_core_products, row, device, time);
    }
  }

  // Kernels of a device but those of the kind.
  IntervalSet others(ExposedKind kind, DeviceIndex device) {
    if (!is_of_kernels(kind)) {
      if (!all_kernels_.contains(device)) {
        all_kernels_[device] = IntervalSet::union_of(kernels_[device]);
      }
      return all_kernels_[device];
    }
    return IntervalSet::union_of(std::move(others_[device]));
  }

  // By device: kernels that are not of the kind.
  void find_others(ExposedKind kind) {
    others_.assign(profile_.devices.size(), {});
    const profile::Kernels& kernels = profile_.kernels;
    const std::vector<Row>& rows = of(kind).rows;  // in order of row here
    auto next = rows.begin();
    for (KernelIndex row{0}; row < kernels.size(); ++row) {
      base::stop_point();
      if (next != rows.end() && *next == row) {
        ++next;
      } else {
        others_[profile_.device_of_kernel(row)].push_back(
            {kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row]});
      }
    }
  }

  void finish(ExposedKind kind) {
    ExposedWork& work = of(kind);
    if (is_of_kernels(kind) && !work.rows.empty()) find_others(kind);
    for (DeviceIndex device{0}; device < times(kind).size(); ++device) {
      if (times(kind)[device].empty()) continue;
      base::stop_point();
      work.exposed[device] =
          IntervalSet::union_of(std::move(times(kind)[device])).without(others(kind, device));
    }
    using Times = profile::Column<int64_t>;
    const profile::Kernels& kernels = profile_.kernels;
    const profile::MemoryOps& ops = profile_.memory_ops;
    const Times& starts = is_of_kernels(kind) ? static_cast<const Times&>(kernels.gpu_start_ns)
                                              : static_cast<const Times&>(ops.gpu_start_ns);
    base::stop_point();
    std::ranges::stable_sort(work.rows, {}, [&](Row row) { return starts[row]; });
    const Times& stops = is_of_kernels(kind) ? static_cast<const Times&>(kernels.gpu_stop_ns)
                                             : static_cast<const Times&>(ops.gpu_stop_ns);
    int64_t reached_ns = std::numeric_limits<int64_t>::min();
    for (const Row row : work.rows) {
      reached_ns = std::max(reached_ns, stops[row]);
      work.reached_ns.push_back(reached_ns);
    }
  }

  void count_compute_streams() {
    if (!profile_.trace || (of(copies_to_gpu).rows.empty() && of(copies_to_host).rows.empty())) {
      return;
    }
    const std::vector<bool> computes = in_compute_streams(profile_);
    for (const ExposedKind kind : {copies_to_gpu, copies_to_host}) {
      of(kind).on_compute_streams =
          std::ranges::count_if(of(kind).rows, [&](Row row) { return computes[row]; });
    }
  }

  const Profile& profile_;
  ExposedWorks found_;
  std::array<ByDevice, kExposedKinds> times_;
  ByDevice kernels_;  // all
  ByDevice others_;
  std::map<DeviceIndex, IntervalSet> all_kernels_;
};

}  // namespace

ExposedWorks find_exposed_work(const Profile& profile, const BlockingCalls& calls) {
  return ExposedWorkFinder(profile, calls).take();
}

}  // namespace dlview::aggregate
