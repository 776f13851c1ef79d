#include "aggregate/key_ops.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregation.h"
#include "aggregate/bursts.h"
#include "aggregate/group_tree.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

constexpr std::size_t kFewestInstances = 3;

// Starts of each op, by thread; instances are in order of start, so these are too.
using StartsByThread = std::map<Row, std::vector<int64_t>>;

std::vector<StartsByThread> starts_of_ops(const Profile& profile) {
  std::vector<StartsByThread> starts(profile.ops.size());
  const auto& instances = profile.instances;
  for (Row i = 0; i < instances.size(); ++i) {
    starts[instances.op[i]][instances.thread[i]].push_back(instances.cpu_start_ns[i]);
  }
  return starts;
}

const std::vector<int64_t>* busiest(const StartsByThread& starts) {
  const std::vector<int64_t>* most = nullptr;
  for (const auto& [thread, times] : starts) {
    if (most == nullptr || times.size() > most->size()) most = &times;
  }
  return most;
}

// The starts at which the op would cut: those of the busiest thread where there are several
// processes, else all, in order (decisions.md 4).
std::vector<int64_t> cutting_starts(const StartsByThread& starts, bool several_processes) {
  if (several_processes) return *busiest(starts);
  std::vector<int64_t> all;
  for (const auto& [thread, times] : starts) all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  return all;
}

bool has_several_processes(const Profile& profile) {
  const auto& threads = profile.instances.thread;
  return std::any_of(threads.begin(), threads.end(), [&](Row thread) {
    return profile.threads[thread].process_id != profile.threads[threads[0]].process_id;
  });
}

KeyOpCandidate judge(const Profile& profile, Row op, const std::vector<int64_t>& starts) {
  KeyOpCandidate c;
  c.op = op;
  c.key = std::string(profile.text(profile.ops.id[op]));
  c.instances = static_cast<int64_t>(starts.size());
  c.level = op_level(profile.text(profile.ops.name[op])) - 1;

  std::vector<int64_t> periods;
  for (std::size_t i = 1; i < starts.size(); ++i) periods.push_back(starts[i] - starts[i - 1]);
  std::sort(periods.begin(), periods.end());
  c.period_ns = percentile(periods, 0.5);
  int64_t off_ns = 0;
  for (const int64_t period : periods) off_ns += std::abs(period - c.period_ns);
  const int64_t span_ns = starts.back() - starts.front();
  if (span_ns > 0) {
    c.regularity = std::max(0.0, 1.0 - static_cast<double>(off_ns) / static_cast<double>(span_ns));
  }
  if (profile.last_ns > 0) {
    const int64_t covered_ns = span_ns + c.period_ns;
    c.coverage =
        std::min(1.0, static_cast<double>(covered_ns) / static_cast<double>(profile.last_ns));
  }
  c.score = c.regularity * c.regularity * c.coverage *
            (1.0 - 2.0 / static_cast<double>(c.instances)) *
            (0.9 + 0.1 / static_cast<double>(std::max(c.level, 1)));
  c.reason = fmt::format("{} instances every {}, regular to {}, over {} of the run",
                         base::format_count(c.instances), base::format_duration(c.period_ns),
                         base::format_percent(100 * (1 - c.regularity)),
                         base::format_percent(100 * c.coverage));
  return c;
}

}  // namespace

std::vector<KeyOpCandidate> rank_key_ops(const Profile& profile) {
  std::vector<std::pair<int64_t, KeyOpCandidate>> found;  // with the first start
  const std::vector<StartsByThread> starts = starts_of_ops(profile);
  const bool several_processes = has_several_processes(profile);
  for (Row op = 0; op < starts.size(); ++op) {
    const std::vector<int64_t>* times = busiest(starts[op]);
    if (times == nullptr || times->size() < kFewestInstances) continue;
    found.emplace_back(times->front(), judge(profile, op, *times));
    found.back().second.burst = burst_size(cutting_starts(starts[op], several_processes));
  }
  // Scores are compared to three digits: below that they are noise, and what begins first is
  // better.
  const auto rank = [](const auto& entry) {
    return std::pair(-std::llround(1000 * entry.second.score), entry.first);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<KeyOpCandidate> result;
  for (auto& [start_ns, candidate] : found) result.push_back(std::move(candidate));
  return result;
}

}  // namespace dlview::aggregate
