#include "aggregate/key_ops.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregation.h"
#include "aggregate/bursts.h"
#include "aggregate/group_tree.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;
using profile::StringId;

constexpr std::size_t kFewestInstances = 3;
constexpr double kLikelyStep = 0.25;  // score from which a run is split without being asked

// An export may be the late part of a longer run, or begin with the loading of a program: what can
// be split begins with the first kernel.
int64_t run_duration_ns(const Profile& profile) {
  const auto& instances = profile.instances;
  if (!profile.trace || instances.size() == 0) return profile.last_ns;
  Row first = 0;
  while (first < instances.size() && instances.first_kernel[first + 1] == 0) ++first;
  return profile.last_ns - instances.cpu_start_ns[first < instances.size() ? first : 0];
}

// Work in an export of which no thread is known has no start on the CPU.
bool has_thread(const Profile& profile, Row instance) {
  return !profile.trace || profile.threads[profile.instances.thread[instance]].thread_id != 0;
}

// Starts of each op, by thread; instances are in order of start, so these are too.
using StartsByThread = std::map<Row, std::vector<int64_t>>;

std::vector<StartsByThread> starts_of_ops(const Profile& profile) {
  std::vector<StartsByThread> starts(profile.ops.size());
  const auto& instances = profile.instances;
  for (Row i = 0; i < instances.size(); ++i) {
    if (!has_thread(profile, i)) continue;
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

// Fills in what the starts tell, given level and is_numbered.
void judge(const Profile& profile, const std::vector<int64_t>& starts, KeyOpCandidate& c) {
  c.instances = static_cast<int64_t>(starts.size());
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
  if (const int64_t run_ns = run_duration_ns(profile); run_ns > 0) {
    const int64_t covered_ns = span_ns + c.period_ns;
    c.coverage = std::min(1.0, static_cast<double>(covered_ns) / static_cast<double>(run_ns));
  }
  const double evenness = c.is_numbered ? 1 : c.regularity * c.regularity;
  c.score = evenness * c.coverage * (1.0 - 2.0 / static_cast<double>(c.instances)) *
            (0.9 + 0.1 / static_cast<double>(std::max(c.level, 1)));
  c.reason = fmt::format(
      "{} {} every {}, regular to {}, over {} of the run", base::format_count(c.instances),
      c.is_numbered    ? "numbered ranges"
      : c.op == kNoRow ? "ranges"
                       : "instances",
      base::format_duration(c.period_ns), base::format_percent(100 * (1 - c.regularity)),
      base::format_percent(100 * c.coverage));
}

KeyOpCandidate judge_op(const Profile& profile, Row op, const std::vector<int64_t>& starts) {
  KeyOpCandidate c;
  c.op = op;
  c.name = std::string(profile.text(profile.ops.name[op]));
  c.key = std::string(profile.text(profile.ops.id[op]));
  c.level = op_level(c.name) - 1;
  judge(profile, starts, c);
  return c;
}

// User ranges of one path, on the thread that has most of them.
struct RangeStarts {
  StringId name = 0;
  bool is_numbered = true;
  StartsByThread starts;
};
using RangesByPath = std::map<StringId, RangeStarts>;

RangesByPath ranges_by_path(const Profile& profile) {
  RangesByPath paths;
  const profile::UserRanges& ranges = profile.user_ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    RangeStarts& entry = paths[ranges.path[i]];
    entry.name = ranges.name[i];
    entry.is_numbered &= ranges.number[i] != profile::kNoValue;
    entry.starts[ranges.thread[i]].push_back(ranges.start_ns[i]);
  }
  return paths;
}

// How many paths end in each name.
std::map<StringId, int> count_names(const RangesByPath& paths) {
  std::map<StringId, int> counts;
  for (const auto& [path, range] : paths) ++counts[range.name];
  return counts;
}

// Names of the ops that hold a range's own time: its path, or below it its name once more.
std::set<std::string> own_time_ops(const Profile& profile, const RangesByPath& paths) {
  std::set<std::string> names;
  for (const auto& [path, range] : paths) {
    const std::string text(profile.text(path));
    names.insert(text);
    names.insert(text + "/" + std::string(profile.text(range.name)));
  }
  return names;
}

}  // namespace

std::vector<KeyOpCandidate> rank_key_ops(const Profile& profile) {
  std::vector<std::pair<int64_t, KeyOpCandidate>> found;  // with the first start
  const std::vector<StartsByThread> starts = starts_of_ops(profile);
  const bool several_processes = has_several_processes(profile);
  const RangesByPath paths = ranges_by_path(profile);
  const std::map<StringId, int> counts = count_names(paths);
  for (const auto& [path, range] : paths) {
    const std::vector<int64_t>& times = *busiest(range.starts);
    if (times.size() < kFewestInstances) continue;
    KeyOpCandidate candidate;
    candidate.name = std::string(profile.text(path));
    const bool is_only = counts.at(range.name) == 1;
    candidate.key = std::string(profile.text(is_only ? range.name : path));
    candidate.level = op_level(candidate.name) - 1;
    candidate.is_numbered = range.is_numbered;
    judge(profile, times, candidate);
    candidate.burst = burst_size(times);
    found.emplace_back(times.front(), std::move(candidate));
  }
  const std::set<std::string> of_ranges = own_time_ops(profile, paths);
  for (Row op = 0; op < starts.size(); ++op) {
    const std::vector<int64_t>* times = busiest(starts[op]);
    if (times == nullptr || times->size() < kFewestInstances) continue;
    if (of_ranges.contains(std::string(profile.text(profile.ops.name[op])))) continue;
    found.emplace_back(times->front(), judge_op(profile, op, *times));
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

std::string best_key(const std::vector<KeyOpCandidate>& ranked) {
  const auto best = std::find_if(ranked.begin(), ranked.end(),
                                 [](const KeyOpCandidate& c) { return c.burst == 1; });
  return best == ranked.end() || best->score < kLikelyStep ? "" : best->key;
}

}  // namespace dlview::aggregate
