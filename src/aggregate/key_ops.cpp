#include "aggregate/key_ops.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregation.h"
#include "aggregate/bursts.h"
#include "aggregate/clock.h"
#include "aggregate/group_tree.h"
#include "aggregate/range_paths.h"
#include "base/parallel.h"
#include "base/units.h"
#include "base/untouched_vector.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;
using profile::StringId;

constexpr std::size_t kFewestInstances = 3;
constexpr double kLikelyStep = 0.3;  // score from which a run is split without being asked
constexpr double kEqualScores = 0.95;
constexpr double kInside = 0.9;  // of the score of the ranges around
constexpr double kEpoch = 0.5, kCall = 0.5;
constexpr double kWarmUp = 0.25, kUnlike = 0.25;
constexpr int64_t kPausesInPeriod = 100;  // a pause that means something is longer than one

// A candidate with what ranks it among those of an equal score.
struct Ranked {
  KeyOpCandidate candidate;
  int64_t pause_ns = 0, first_ns = 0;
};

// What is looked up of each op.
struct OpFacts {
  std::vector<bool> has_kernels;  // by op
  bool several_processes = false;
  std::set<std::string> of_ranges;  // names of ops that hold a range's own time
};

bool says_epoch(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("epoch") != std::string::npos;
}

class Ranking {
 public:
  explicit Ranking(const Profile& profile);
  std::vector<KeyOpCandidate> rank();

 private:
  void add_ranges();
  void add_ops();
  std::optional<Ranked> rank_op(Row op, const StartsByThread& starts, const OpFacts& facts) const;
  // Fills in what the starts on one thread of the process tell.
  void judge(int64_t process, const std::vector<int64_t>& starts, KeyOpCandidate& candidate) const;
  bool are_unlike(int64_t process, const std::vector<int64_t>& starts) const;
  bool is_epoch(const KeyOpCandidate& candidate) const;
  double score_of(const KeyOpCandidate& candidate) const;
  void nest(const std::string& path, KeyOpCandidate& candidate);
  void sort();

  const Profile& profile_;
  const std::map<std::string, RangePath, std::less<>> paths_;
  const base::IntervalSet warm_up_;
  const std::map<int64_t, std::vector<int64_t>> singles_;
  int64_t run_start_ns_ = 0;
  std::vector<Ranked> found_;
  std::map<std::string, std::size_t, std::less<>> found_ranges_;  // by path
};

// An export may be the late part of a longer run, or begin with the loading of a program: what can
// be split begins with the first kernel.
int64_t run_start_ns(const Profile& profile) {
  const auto& instances = profile.instances;
  if (!profile.trace || instances.size() == 0) return 0;
  Row first = 0;
  while (first < instances.size() && instances.first_kernel[first + 1] == 0) ++first;
  return instances.cpu_start_ns[first < instances.size() ? first : 0];
}

Ranking::Ranking(const Profile& profile)
    : profile_(profile),
      paths_(ranges_by_path(profile)),
      warm_up_(warm_up_time(profile)),
      singles_(starts_of_singles(profile)),
      run_start_ns_(run_start_ns(profile)) {}

bool Ranking::are_unlike(int64_t process, const std::vector<int64_t>& starts) const {
  const auto singles = singles_.find(process);
  if (singles == singles_.end()) return false;
  const std::vector<int64_t>& times = singles->second;
  const auto first = std::lower_bound(times.begin(), times.end(), starts.front());
  const auto last = std::lower_bound(first, times.end(), starts.back());
  return last - first >= static_cast<std::ptrdiff_t>(starts.size()) - 1;
}

// By its own name: steps inside epochs are none.
bool Ranking::is_epoch(const KeyOpCandidate& c) const {
  return c.kind == KeyKind::range && says_epoch(profile_.text(paths_.at(c.name).name));
}

double Ranking::score_of(const KeyOpCandidate& c) const {
  double score = c.coverage * (1.0 - 2.0 / static_cast<double>(c.instances)) *
                 (0.9 + 0.1 / static_cast<double>(std::max(c.level, 1)));
  if (!c.is_numbered) score *= c.regularity * c.regularity * c.coverage;
  if (c.kind == KeyKind::call) score *= kCall;
  if (is_epoch(c)) score *= kEpoch;
  if (c.is_warm_up) score *= kWarmUp;
  if (c.is_unlike) score *= kUnlike;
  return score;
}

std::string counted(const KeyOpCandidate& c) {
  switch (c.kind) {
    case KeyKind::range:
      return c.is_numbered ? "numbered ranges" : "ranges";
    case KeyKind::op:
      return "instances";
    case KeyKind::kernel:
      return "launches";
    case KeyKind::call:
      return "calls";
  }
  return "";
}

// "4 in each step", "once in a usual step"
std::string nesting_text(const KeyOpCandidate& c) {
  const std::string count = c.per_outer == 1 ? "once" : base::format_count(c.per_outer);
  return fmt::format("{} in {} {}", count, c.always_per_outer ? "each" : "a usual", c.outer);
}

std::string reason_of(const KeyOpCandidate& c) {
  std::string text = fmt::format(
      "{} {} every {}, regular to {}, over {} of the run", base::format_count(c.instances),
      counted(c), base::format_duration(c.period_ns),
      base::format_percent(100 * (1 - c.regularity)), base::format_percent(100 * c.coverage));
  if (c.per_outer > 0) {
    text += " · " + nesting_text(c);
  }
  if (c.is_warm_up) text += " · a warm-up";
  if (c.is_unlike) text += " · each with ranges of its own, as layers have them";
  return text;
}

void Ranking::judge(int64_t process, const std::vector<int64_t>& starts, KeyOpCandidate& c) const {
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
  int64_t covered_ns = span_ns + c.period_ns;
  int64_t run_ns = profile_.last_ns - run_start_ns_;
  if (!c.is_warm_up) {
    covered_ns -= warm_up_.covered_ns(starts.front(), starts.back() + c.period_ns);
    run_ns -= warm_up_.covered_ns(run_start_ns_, profile_.last_ns);
  }
  if (run_ns > 0) {
    c.coverage = std::min(1.0, static_cast<double>(covered_ns) / static_cast<double>(run_ns));
  }
  c.is_unlike = !c.is_numbered && are_unlike(process, starts);
  c.score = score_of(c);
}

// Paths come after those around them, so that these are judged already.
void Ranking::nest(const std::string& path, KeyOpCandidate& c) {
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const auto outer = found_ranges_.find(std::string_view(path).substr(0, slash));
    if (outer == found_ranges_.end()) continue;
    const Nesting nesting = count_inside(paths_.at(path).ranges, paths_.at(outer->first).ranges);
    if (nesting.count == 0) return;
    const KeyOpCandidate& around = found_[outer->second].candidate;
    c.outer = std::string(profile_.text(paths_.at(outer->first).name));
    c.per_outer = nesting.count;
    c.always_per_outer = nesting.is_constant;
    if (around.score >= kLikelyStep && !is_epoch(around)) {
      c.score = std::min(c.score, kInside * around.score);
    }
    return;
  }
}

void Ranking::add_ranges() {
  std::map<StringId, int> paths_of_name;
  for (const auto& [path, ranges] : paths_) ++paths_of_name[ranges.name];
  for (const auto& [path, ranges] : paths_) {
    const auto& [thread, starts] = busiest(ranges.starts);
    if (starts.size() < kFewestInstances) continue;
    Ranked found;
    KeyOpCandidate& c = found.candidate;
    c.kind = KeyKind::range;
    c.name = path;
    c.key = paths_of_name[ranges.name] == 1 ? profile_.text(ranges.name) : std::string_view(path);
    c.level = op_level(path) - 1;
    c.is_numbered = ranges.is_numbered;
    c.is_warm_up = is_warm_up(path);
    c.burst = burst_size(starts);
    judge(thread.first, starts, c);
    nest(path, c);
    found.pause_ns = kPausesInPeriod * ranges.pause_ns > c.period_ns ? ranges.pause_ns : 0;
    found.first_ns = starts.front();
    found_ranges_.emplace(path, found_.size());
    found_.push_back(std::move(found));
  }
}

// Work in an export of which no thread is known has no start on the CPU.
bool has_thread(const Profile& profile, Row instance) {
  return !profile.trace || profile.threads[profile.instances.thread[instance]].thread_id != 0;
}

// The instances of each op, in order of start.
class InstancesByOp {
 public:
  explicit InstancesByOp(const Profile& profile)
      : first_(profile.ops.size() + 1), rows_(profile.instances.size()) {
    for (const Row op : profile.instances.op) ++first_[op + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (Row i = 0; i < rows_.size(); ++i) rows_[next[profile.instances.op[i]]++] = i;
  }
  std::span<const Row> of(Row op) const {
    return std::span(rows_).subspan(first_[op], first_[op + 1] - first_[op]);
  }

 private:
  std::vector<std::size_t> first_;
  base::UntouchedVector<Row> rows_;
};

StartsByThread starts_of(const Profile& profile, std::span<const Row> instances) {
  StartsByThread starts;
  Row thread = kNoRow;
  std::vector<int64_t>* times = nullptr;
  for (const Row i : instances) {
    if (!has_thread(profile, i)) continue;
    if (times == nullptr || profile.instances.thread[i] != thread) {
      thread = profile.instances.thread[i];
      times = &starts[key_of(profile.threads[thread])];
    }
    times->push_back(profile.instances.cpu_start_ns[i]);
  }
  return starts;
}

// The starts at which the op would cut: those of the busiest thread where there are several
// processes, else all, in order (decisions.md 4).
std::vector<int64_t> cutting_starts(const StartsByThread& starts, bool several_processes) {
  if (several_processes) return busiest(starts).second;
  std::vector<int64_t> all;
  for (const auto& [thread, times] : starts) all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<bool> launches_kernels(const Profile& profile) {
  std::vector<bool> launches(profile.ops.size());
  for (const Row instance : profile.kernels.instance) {
    launches[profile.instances.op[instance]] = true;
  }
  return launches;
}

// Names of the ops that hold a range's own time: its path, or "name (own time)" below it.
std::set<std::string> own_time_ops(const Profile& profile,
                                   const std::map<std::string, RangePath, std::less<>>& paths) {
  std::set<std::string> names;
  for (const auto& [path, ranges] : paths) {
    names.insert(path);
    names.insert(path + "/" + std::string(profile.text(ranges.name)) + " (own time)");
  }
  return names;
}

std::optional<Ranked> Ranking::rank_op(Row op, const StartsByThread& starts,
                                       const OpFacts& facts) const {
  if (starts.empty()) return std::nullopt;
  const auto& [thread, times] = busiest(starts);
  if (times.size() < kFewestInstances) return std::nullopt;
  Ranked found;
  KeyOpCandidate& c = found.candidate;
  c.name = std::string(profile_.text(profile_.ops.name[op]));
  if (facts.of_ranges.contains(c.name)) return std::nullopt;
  c.op = op;
  c.key = std::string(profile_.text(profile_.ops.id[op]));
  c.level = op_level(c.name) - 1;
  if (profile_.ops.tensor_core_support[op] == profile::TensorCoreSupport::unassociated) {
    c.kind = facts.has_kernels[op] ? KeyKind::kernel : KeyKind::call;
  }
  c.burst = burst_size(cutting_starts(starts, facts.several_processes));
  judge(thread.first, times, c);
  found.first_ns = times.front();
  return found;
}

void Ranking::add_ops() {
  const InstancesByOp instances(profile_);
  const OpFacts facts{launches_kernels(profile_), has_several_processes(profile_),
                      own_time_ops(profile_, paths_)};
  std::vector<std::optional<Ranked>> of_op(profile_.ops.size());
  base::parallel_for(of_op.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (auto op = static_cast<Row>(begin); op < end; ++op) {
      of_op[op] = rank_op(op, starts_of(profile_, instances.of(op)), facts);
    }
  });
  for (std::optional<Ranked>& found : of_op) {
    if (found) found_.push_back(*std::move(found));
  }
}

void Ranking::sort() {
  std::stable_sort(found_.begin(), found_.end(), [](const Ranked& a, const Ranked& b) {
    return a.candidate.score > b.candidate.score;
  });
  const auto place = [](const Ranked& r) {
    return std::tuple(r.candidate.kind, -r.pause_ns, r.first_ns);
  };
  for (auto first = found_.begin(); first != found_.end();) {
    const double equal = kEqualScores * first->candidate.score;
    const auto last = std::find_if(first, found_.end(),
                                   [equal](const Ranked& r) { return r.candidate.score < equal; });
    std::stable_sort(first, last,
                     [&](const Ranked& a, const Ranked& b) { return place(a) < place(b); });
    first = last;
  }
}

std::vector<KeyOpCandidate> Ranking::rank() {
  add_ranges();
  add_ops();
  sort();
  std::vector<KeyOpCandidate> result;
  for (Ranked& ranked : found_) {
    ranked.candidate.reason = reason_of(ranked.candidate);
    result.push_back(std::move(ranked.candidate));
  }
  return result;
}

}  // namespace

std::vector<KeyOpCandidate> rank_key_ops(const Profile& profile) {
  return Ranking(profile).rank();
}

const std::vector<KeyOpCandidate>& KeyRanking::candidates() const {
  std::call_once(ranked_, [this] { candidates_ = rank_key_ops(profile_); });
  return candidates_;
}

std::string best_key(const std::vector<KeyOpCandidate>& ranked) {
  const auto best = std::find_if(ranked.begin(), ranked.end(),
                                 [](const KeyOpCandidate& c) { return c.burst == 1; });
  return best == ranked.end() || best->score < kLikelyStep ? "" : best->key;
}

}  // namespace dlview::aggregate
