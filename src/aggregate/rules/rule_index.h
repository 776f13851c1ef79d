// RuleIndex: what the rules of `nsys analyze` look at, found once for a profile: the host's calls
// that copy pageable memory or wait, and when each GPU works for each process (decisions.md 60).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/gaps/gpu_work_times.h"
#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/rules/kernel_names.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class CallRule : uint8_t { pageable_copy, synchronous_copy, synchronous_memset, wait };
inline constexpr std::array kCallRules{CallRule::pageable_copy, CallRule::synchronous_copy,
                                       CallRule::synchronous_memset, CallRule::wait};

struct RuleCall {
  CallRule rule = CallRule::wait;
  profile::Row instance = 0;
  profile::StringId name = 0;
  profile::Row thread = 0;
  int64_t start_ns = 0, stop_ns = 0;
  // Of it, while no GPU of its process computes; for a wait: while none does anything.
  int64_t idle_ns = 0;
  int64_t duration_ns() const { return stop_ns - start_ns; }
};

// The time in which at least one thread is in a call of a rule: all of it, and that in which the
// GPUs are idle as RuleCall has it, for each process with such calls.
struct RuleTimes {
  base::IntervalSet in_calls;
  std::vector<base::IntervalSet> idle;
};

// A rule for which the file does not say enough.
struct UntoldRule {
  std::string_view detector;
  std::string_view what;  // "whether ...; the kinds of memory are not recorded"
};

class RuleIndex {
 public:
  // The profile outlives it. Costs a pass over all events, and sorts those of GPUs.
  explicit RuleIndex(const profile::Profile& profile);
  RuleIndex(const RuleIndex&) = delete;
  RuleIndex& operator=(const RuleIndex&) = delete;

  // Of the instances [first, last), in order of instance and time; each call once.
  std::span<const RuleCall> calls(profile::Row first, profile::Row last) const;
  const RuleTimes& times(CallRule rule) const { return times_[static_cast<std::size_t>(rule)]; }
  // In order of process and device.
  std::span<const GpuWorkTimes> gpus() const { return gpus_; }
  const IdleGaps& idle_gaps() const { return idle_gaps_; }
  // Processes that used a GPU.
  int64_t process_count() const { return process_count_; }
  const KernelNames& kernel_names() const { return kernel_names_; }
  std::span<const UntoldRule> untold() const { return untold_; }

 private:
  void find_calls(const profile::Profile& profile);
  void find_idle_calls(const profile::Profile& profile);

  KernelNames kernel_names_;
  std::vector<GpuWorkTimes> gpus_;
  IdleGaps idle_gaps_;
  std::vector<RuleCall> calls_;
  std::array<RuleTimes, kCallRules.size()> times_;
  int64_t process_count_ = 0;
  std::vector<UntoldRule> untold_;
};

}  // namespace dlview::aggregate
