#include "aggregate/rules/saved_idle.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace dlview::aggregate {
namespace {

// The time of each call that no gap has used up yet.
class Slack {
 public:
  explicit Slack(std::span<const base::Interval> calls)
      : left_ns_(calls.size()), before_(calls.size() + 1) {
    std::iota(before_.begin(), before_.end(), std::size_t{0});
    // Threads that block at the same time hold up the process once: the time belongs to the call
    // that stops first, because work may follow it while the others still block.
    std::vector<base::Interval> taken;  // disjoint, in order of time
    for (std::size_t i = 0; i < calls.size(); ++i) {
      base::Interval time = calls[i];
      left_ns_[i] = std::max<int64_t>(0, time.stop_ns - time.start_ns);
      if (left_ns_[i] == 0) continue;
      for (; !taken.empty() && taken.back().stop_ns > time.start_ns; taken.pop_back()) {
        const base::Interval& last = taken.back();
        left_ns_[i] -= last.stop_ns - std::max(last.start_ns, calls[i].start_ns);
        time.start_ns = std::min(time.start_ns, last.start_ns);
      }
      taken.push_back(time);
    }
    for (std::size_t i = 0; i < left_ns_.size(); ++i) {
      if (left_ns_[i] == 0) before_[i + 1] = i;
    }
  }

  // Takes up to `wanted_ns` from calls [first, end), the last one first.
  template <typename Use>
  void take(std::size_t first, std::size_t end, int64_t wanted_ns, const Use& use) {
    for (std::size_t i = find(end); i > first && wanted_ns > 0; i = find(i)) {
      const int64_t taken_ns = std::min(left_ns_[i - 1], wanted_ns);
      left_ns_[i - 1] -= taken_ns;
      wanted_ns -= taken_ns;
      use(i - 1, taken_ns);
      if (left_ns_[i - 1] == 0) before_[i] = i - 1;
    }
  }

 private:
  // The end of the last calls up to `end` that have time left.
  std::size_t find(std::size_t end) {
    std::size_t root = end;
    while (before_[root] != root) root = before_[root];
    while (before_[end] != root) end = std::exchange(before_[end], root);
    return root;
  }

  std::vector<int64_t> left_ns_;
  std::vector<std::size_t> before_;
};

std::size_t stopped_before(std::span<const base::Interval> calls, int64_t time_ns) {
  const auto found = std::ranges::upper_bound(calls, time_ns, {}, &base::Interval::stop_ns);
  return static_cast<std::size_t>(found - calls.begin());
}

}  // namespace

std::vector<int64_t> saved_idle_ns(std::span<const base::Interval> calls,
                                   std::span<const base::Interval> barriers,
                                   std::span<const LaunchedGap> gaps) {
  std::vector<int64_t> saved_ns(calls.size());
  Slack slack(calls);
  for (const LaunchedGap& gap : gaps) {
    // Work that was queued before the gap waits for something else.
    if (gap.launch_ns < gap.start_ns) continue;
    const std::size_t barrier = stopped_before(barriers, gap.launch_ns);
    const std::size_t first =
        barrier == 0 ? 0 : stopped_before(calls, barriers[barrier - 1].stop_ns);
    slack.take(first, stopped_before(calls, gap.launch_ns), gap.stop_ns - gap.start_ns,
               [&](std::size_t call, int64_t ns) { saved_ns[call] += ns; });
  }
  return saved_ns;
}

}  // namespace dlview::aggregate
