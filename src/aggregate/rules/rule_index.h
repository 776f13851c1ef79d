// RuleIndex: what detectors look at, found once for a profile: the calls in which the host blocks,
// when each GPU works, what runs on it alone, and which ops may use Tensor Cores
// (spec.md 60, 63).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/gaps/gpu_work_times.h"
#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/rules/blocking_calls.h"
#include "aggregate/rules/exposed_work.h"
#include "aggregate/rules/gpu_events.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// A rule for which the file does not say enough.
struct UntoldRule {
  std::string_view detector;
  std::string_view what;  // "scalar reads (sizes of copies not recorded)"
};

class RuleIndex {
 public:
  // The profile outlives it. Costs a pass over all events, and sorts those of GPUs.
  explicit RuleIndex(const profile::Profile& profile);
  RuleIndex(const RuleIndex&) = delete;
  RuleIndex& operator=(const RuleIndex&) = delete;

  // Returns the calls of the instances [first, last), in order of instance and time; each call
  // once.
  std::span<const RuleCall> calls(profile::InstanceIndex first, profile::InstanceIndex last) const;
  // That did anything, in order of device.
  std::span<const GpuWorkTimes> gpus() const { return gpus_; }
  const IdleGaps& idle_gaps() const { return idle_gaps_; }
  // Processes that used a GPU.
  int64_t process_count() const { return process_count_; }
  const ExposedWork& exposed_work(ExposedKind kind) const {
    return exposed_[static_cast<std::size_t>(kind)];
  }
  // By number of GpuWorkTimes::gap() of gpus()[gpu].
  const std::vector<bool>& launch_gaps(std::size_t gpu) const { return launch_gaps_[gpu]; }
  // Kernels whose use of Tensor Cores is unknown.
  const UnknownTensorCoreUse& unknown_use() const { return unknown_use_; }
  std::span<const UntoldRule> untold() const { return untold_; }
  bool is_untold(std::string_view detector) const;

 private:
  RuleIndex(const profile::Profile& profile, const std::vector<GpuEvents>& events);
  void find_launch_gaps_of(const profile::Profile& profile, const std::vector<GpuEvents>& events,
                           const BlockingCalls& found);
  void note_what_is_not_recorded(const profile::Profile& profile, const BlockingCalls& found);

  std::vector<GpuWorkTimes> gpus_;
  IdleGaps idle_gaps_;
  std::vector<RuleCall> calls_;
  ExposedWorks exposed_;
  std::vector<std::vector<bool>> launch_gaps_;
  int64_t process_count_ = 0;
  UnknownTensorCoreUse unknown_use_;
  std::vector<UntoldRule> untold_;
};

}  // namespace dlview::aggregate
