// Windows that begin and end where runs of op instances do, or one ns beside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "aggregate/cpu/instance_spans.h"
#include "aggregate/filter.h"
#include "profile/profile.h"
#include "support/random_profile.h"

namespace dlview::aggregate {

// From the first to the last that instances of each run did, one event after the other.
inline std::vector<TimeWindow> spans_of_runs(const profile::Profile& profile) {
  std::vector<TimeWindow> spans;
  const auto widen = [&](profile::Row instance, int64_t ns) {
    const std::size_t run = instance / cpu::InstanceSpans::kRun;
    if (run == spans.size()) spans.push_back({ns, ns});
    spans[run] = {std::min(spans[run].start_ns, ns), std::max(spans[run].stop_ns, ns)};
  };
  for (profile::Row i = 0; i < profile.instances.size(); ++i) {
    widen(i, profile.instances.cpu_start_ns[i]);
  }
  const auto widen_by = [&](const auto& events) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      widen(events.instance[e], events.gpu_start_ns[e]);
      widen(events.instance[e], events.gpu_stop_ns[e]);
    }
  };
  widen_by(profile.kernels);
  widen_by(profile.memory_ops);
  return spans;
}

class RunWindows {
 public:
  RunWindows(const profile::Profile& profile, uint64_t seed)
      : spans_(spans_of_runs(profile)), random_(seed) {}

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }
  // One to four; one in three begins right behind the one before.
  std::vector<Filter> filters() {
    std::vector<Filter> filters;
    for (int64_t i = 1 + below(4); i > 0; --i) {
      TimeWindow next = window();
      if (!filters.empty() && below(3) == 0) {
        next.start_ns = filters.back().window.stop_ns + 1;
        next.stop_ns = std::max(next.start_ns, next.stop_ns);
      }
      filters.push_back({.kind = FilterKind::time, .window = next});
    }
    return filters;
  }
  // So many short ones, anywhere in the run.
  std::vector<Filter> scattered(int64_t count, int64_t longest_ns) {
    const int64_t first_ns = spans_.front().start_ns;
    const int64_t run_ns = std::ranges::max(spans_, {}, &TimeWindow::stop_ns).stop_ns - first_ns;
    std::vector<Filter> filters;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t start_ns = first_ns + below(run_ns);
      filters.push_back(
          {.kind = FilterKind::time, .window = {start_ns, start_ns + below(longest_ns)}});
    }
    return filters;
  }

 private:
  int64_t bound(int64_t run) {
    const TimeWindow& span = spans_[static_cast<std::size_t>(run)];
    return (below(2) == 0 ? span.start_ns : span.stop_ns) + below(3) - 1;
  }
  // Around a few runs, or from any to any.
  TimeWindow window() {
    const int64_t runs = std::ssize(spans_), run = below(runs);
    const int64_t other = below(2) == 0 ? below(runs) : std::min(run + below(8), runs - 1);
    const int64_t a = bound(run), b = bound(other);
    return {std::min(a, b), std::max(a, b)};
  }

  std::vector<TimeWindow> spans_;
  std::mt19937_64 random_;
};

// Of so many instances that windows hold some whole runs of them, and cut others.
inline testing::RandomProfileOptions many_runs(uint64_t seed) {
  testing::RandomProfileOptions options;
  options.seed = seed;
  options.nearby = true;
  options.instances = 2'500;
  options.kernels = 5'000;
  options.memory_ops = 400;
  options.key_instances = 60;
  options.length_ns = 250'000;
  return options;
}

}  // namespace dlview::aggregate
