// RuleIndex: what the rules of `nsys analyze` look at, found once for a profile: the host's calls
// that copy pageable memory or wait, and when each GPU works for each process (decisions.md 60).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// When kernels, copies or memsets of one process run on one GPU.
class GpuWorkTimes {
 public:
  struct Event {
    int64_t start_ns = 0, stop_ns = 0;
    profile::Row instance = 0;
  };
  // In any order.
  GpuWorkTimes(int64_t process_id, profile::Row device, std::vector<Event> events);

  int64_t process_id() const { return process_id_; }
  profile::Row device() const { return device_; }
  const base::IntervalSet& busy() const { return busy_; }

  // Calls use(start_ns, stop_ns, instance whose work ends it) for the gaps of more than `longer_ns`
  // that lie wholly in [start_ns, stop_ns], in order of time. Costs little beside those it finds.
  template <typename Use>
  void for_each_gap(int64_t start_ns, int64_t stop_ns, int64_t longer_ns, const Use& use) const;

 private:
  static constexpr std::size_t kBlock = 256;
  // The first interval that stops at or after the time.
  std::size_t first_stopping(int64_t time_ns) const;

  int64_t process_id_;
  profile::Row device_;
  base::IntervalSet busy_;
  std::vector<profile::Row> begun_by_;  // for each interval of busy_
  std::vector<int64_t> longest_gap_;    // behind one of the intervals of each block
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

  // Of the instances [first, last), in order of instance and time; each call once.
  std::span<const RuleCall> calls(profile::Row first, profile::Row last) const;
  const RuleTimes& times(CallRule rule) const { return times_[static_cast<std::size_t>(rule)]; }
  // In order of process and device.
  std::span<const GpuWorkTimes> gpus() const { return gpus_; }
  // Processes that used a GPU.
  int64_t process_count() const { return process_count_; }
  const KernelNames& kernel_names() const { return kernel_names_; }
  std::span<const UntoldRule> untold() const { return untold_; }

 private:
  void find_calls(const profile::Profile& profile);
  void find_gpu_work(const profile::Profile& profile);
  void find_idle_calls(const profile::Profile& profile);

  KernelNames kernel_names_;
  std::vector<RuleCall> calls_;
  std::array<RuleTimes, kCallRules.size()> times_;
  int64_t process_count_ = 0;
  std::vector<GpuWorkTimes> gpus_;
  std::vector<UntoldRule> untold_;
};

template <typename Use>
void GpuWorkTimes::for_each_gap(int64_t start_ns, int64_t stop_ns, int64_t longer_ns,
                                const Use& use) const {
  const std::vector<base::Interval>& busy = busy_.intervals();
  std::size_t i = first_stopping(start_ns);
  while (i + 1 < busy.size() && busy[i + 1].start_ns <= stop_ns) {
    if (i % kBlock == 0 && longest_gap_[i / kBlock] <= longer_ns) {
      i += kBlock;
      continue;
    }
    const int64_t gap_start = busy[i].stop_ns, gap_stop = busy[i + 1].start_ns;
    if (gap_stop - gap_start > longer_ns) use(gap_start, gap_stop, begun_by_[i + 1]);
    ++i;
  }
}

}  // namespace dlview::aggregate
