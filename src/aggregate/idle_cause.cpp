#include "aggregate/idle_cause.h"

#include <algorithm>
#include <map>

namespace dlview::aggregate {
namespace {

constexpr int64_t kShortestShare = 100;

struct CauseTime {
  int64_t ns = 0;  // of all gaps
  int64_t longest_ns = 0;
  HostTime host;  // in the longest
};

std::map<GapCause, CauseTime> causes_of(const RuleIndex& rules, const Iterations& iterations,
                                        int64_t number) {
  const std::vector<Iteration>& rows = iterations.rows;
  const auto i = static_cast<std::size_t>(number);
  const Iteration& iteration = rows[i];
  // Gaps that reach in from the iterations beside it.
  const int64_t from_ns = rows[i == 0 ? i : i - 1].start_ns,
                to_ns = rows[std::min(i + 1, rows.size() - 1)].stop_ns;
  const int64_t shortest_ns = iteration.duration_ns() / kShortestShare;
  std::map<GapCause, CauseTime> causes;
  for (const GpuWorkTimes& gpu : rules.gpus()) {
    const auto add = [&](const GpuWorkTimes::Gap& gap) {
      const int64_t ns =
          std::min(gap.stop_ns, iteration.stop_ns) - std::max(gap.start_ns, iteration.start_ns);
      if (ns <= shortest_ns) return;
      const HostTime host =
          rules.idle_gaps().host_time(gpu.device(), gap.start_ns, gap.stop_ns, gap.instance);
      CauseTime& cause = causes[host.cause];
      cause.ns += ns;
      if (ns <= cause.longest_ns) return;
      cause.longest_ns = ns;
      cause.host = host;
    };
    gpu.for_each_longer(gpu.gaps_in(from_ns, to_ns), shortest_ns, add);
  }
  return causes;
}

}  // namespace

std::optional<HostTime> idle_cause(const RuleIndex& rules, const Iterations& iterations,
                                   int64_t longer, int64_t shorter) {
  const std::map<GapCause, CauseTime> here = causes_of(rules, iterations, longer);
  const std::map<GapCause, CauseTime> there = causes_of(rules, iterations, shorter);
  std::optional<HostTime> host;
  int64_t most_ns = 0;
  for (const auto& [cause, time] : here) {
    const auto same = there.find(cause);
    const int64_t more_ns = time.ns - (same == there.end() ? 0 : same->second.ns);
    if (more_ns <= most_ns) continue;
    most_ns = more_ns;
    host = time.host;
  }
  return host;
}

}  // namespace dlview::aggregate
