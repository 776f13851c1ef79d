// RuleIndex: what the rules of `nsys analyze` look at, found once for a profile: the host's calls
// that copy pageable memory or wait, and when each GPU works for each process (decisions.md 60).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class CallRule : uint8_t { pageable_copy, synchronous_copy, synchronous_memset, wait };
inline constexpr CallRule kCallRules[] = {CallRule::pageable_copy, CallRule::synchronous_copy,
                                          CallRule::synchronous_memset, CallRule::wait};

struct RuleCall {
  CallRule rule = CallRule::wait;
  profile::Row instance = 0;
  profile::StringId name = 0;
  profile::Row thread = 0;
  int64_t start_ns = 0, stop_ns = 0;
  int64_t duration_ns() const { return stop_ns - start_ns; }
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
  // In order of process and device.
  std::span<const GpuWorkTimes> gpus() const { return gpus_; }
  std::span<const UntoldRule> untold() const { return untold_; }

 private:
  void find_calls(const profile::Profile& profile);
  void find_gpu_work(const profile::Profile& profile);

  std::vector<RuleCall> calls_;
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
