#include "aggregate/key_ops.h"

#include <algorithm>
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
#include "aggregate/group_tree.h"
#include "aggregate/period_work.h"
#include "aggregate/range_paths.h"
#include "aggregate/step_names.h"
#include "base/parallel.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "base/untouched_vector.h"
#include "profile/nesting.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;
using profile::ThreadIndex;
using profile::UserRangeIndex;

constexpr std::size_t kFewestInstances = 3;
constexpr double kLikelyStep = 0.3;  // score from which a run is split without being asked
constexpr double kEqualScores = 0.95, kPartOfSameStep = 0.7;
constexpr double kInside = 0.9;  // of the score of the ranges around
// The highest score by kind. A range whose name means a step can reach 1; the others have to look
// like a step.
constexpr double kNumberedRange = 0.8, kRange = 0.7, kOp = 0.6, kKernel = 0.5, kCall = 0.25;
// Factors that lower the score.
constexpr double kEpoch = 0.5, kBringsData = 0.6, kSideWork = 0.25;
constexpr double kWarmUp = 0.25, kUnlike = 0.25, kStride = 0.25, kBackground = 0.25, kBurst = 0.25;
constexpr double kOddPeriods = 0.9;
// A period that ends a pass launches this much more than the others.
constexpr double kEndsPass = 1.25;
// Periods that are alike but for this part are whole steps, even in short succession.
constexpr double kAlike = 0.95;
// A helper thread launches a smaller part of its process's kernels than this.
constexpr double kBackgroundKernels = 0.1;
constexpr std::size_t kPeriodsOfRanges = 256, kPeriodsOfOps = 64;  // there are many more ops
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

class Ranking {
 public:
  explicit Ranking(const Profile& profile);
  std::vector<KeyOpCandidate> rank();

 private:
  void add_ranges();
  void add_ops();
  std::optional<Ranked> rank_op(OpIndex op, const StartsByThread& starts,
                                const OpFacts& facts) const;
  // Fills in what the starts on one thread of the process tell.
  void judge(int64_t process, const std::vector<int64_t>& starts, KeyOpCandidate& candidate) const;
  bool are_unlike(int64_t process, const std::vector<int64_t>& starts) const;
  void judge_work(int64_t process, const std::vector<int64_t>& starts, KeyOpCandidate& c) const;
  bool serves_another(const ThreadKey& thread) const;
  double score_of(const KeyOpCandidate& candidate) const;
  void nest_all();
  void nest(const Marker& marker, KeyOpCandidate& candidate);
  void sort();
  void prefer_first_in_step();

  const Profile& profile_;
  const Markers markers_;
  const base::IntervalSet warm_up_;
  const std::map<int64_t, std::vector<int64_t>> singles_;
  const PeriodWork work_;
  const std::map<int64_t, ThreadKey> first_threads_;  // by process
  int64_t run_start_ns_ = 0;
  std::vector<Ranked> found_;
  std::map<std::string, std::size_t, std::less<>> found_ranges_;  // by path
};

// An export may be the late part of a longer run, or begin with the loading of a program: what can
// be split begins with the first kernel.
int64_t run_start_ns(const Profile& profile) {
  const auto& instances = profile.instances;
  if (!profile.trace || instances.size() == 0) return 0;
  InstanceIndex first{0};
  while (first < instances.size() && instances.first_kernel[first + 1] == 0) ++first;
  return instances.cpu_start_ns[first < instances.size() ? first : InstanceIndex{0}];
}

// By process: the thread that bears its number, else that of the earliest range or op instance.
std::map<int64_t, ThreadKey> find_first_threads(const Profile& profile) {
  std::map<int64_t, std::pair<int64_t, ThreadKey>> earliest;
  const auto look_at = [&](ThreadIndex row, int64_t start_ns) {
    const profile::Thread& thread = profile.threads[row];
    const int64_t time_ns = thread.process_id == thread.thread_id ? INT64_MIN : start_ns;
    const std::pair found{time_ns, key_of(thread)};
    const auto [entry, is_new] = earliest.try_emplace(thread.process_id, found);
    if (!is_new) entry->second = std::min(entry->second, found);
  };
  // Both are in order of start, so that the first of each thread is its earliest.
  std::set<ThreadIndex> seen;
  for (UserRangeIndex i{0}; i < profile.user_ranges.size(); ++i) {
    const ThreadIndex thread = profile.user_ranges.thread[i];
    if (seen.insert(thread).second) look_at(thread, profile.user_ranges.start_ns[i]);
  }
  seen.clear();
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    const ThreadIndex thread = profile.instances.thread[i];
    if (seen.insert(thread).second) look_at(thread, profile.instances.cpu_start_ns[i]);
  }
  std::map<int64_t, ThreadKey> first;
  for (const auto& [process, found] : earliest) first.emplace(process, found.second);
  return first;
}

Ranking::Ranking(const Profile& profile)
    : profile_(profile),
      markers_(find_markers(profile)),
      warm_up_(warm_up_time(profile)),
      singles_(starts_of_singles(profile)),
      work_(profile, warm_up_),
      first_threads_(find_first_threads(profile)),
      run_start_ns_(run_start_ns(profile)) {}

bool Ranking::are_unlike(int64_t process, const std::vector<int64_t>& starts) const {
  const auto singles = singles_.find(process);
  if (singles == singles_.end()) return false;
  const std::vector<int64_t>& times = singles->second;
  const auto first = std::lower_bound(times.begin(), times.end(), starts.front());
  const auto last = std::lower_bound(first, times.end(), starts.back());
  return last - first >= static_cast<std::ptrdiff_t>(starts.size()) - 1;
}

double worth_of(const KeyOpCandidate& c) {
  switch (c.kind) {
    case KeyKind::range:
      return c.names_step ? 1 : c.is_numbered ? kNumberedRange : kRange;
    case KeyKind::op:
      return kOp;
    case KeyKind::kernel:
      return kKernel;
    case KeyKind::call:
      return kCall;
  }
  return 0;
}

// How much like a step the periods look, where the name does not say that they are steps.
double evenness(const KeyOpCandidate& c) {
  double even = 1;
  if (c.likeness) {
    even = c.is_numbered ? *c.likeness : *c.likeness * *c.likeness * (0.5 + 0.5 * c.regularity);
  } else if (c.kernel_share) {
    even = kUnlike;  // most periods launch nothing
  } else if (!c.is_numbered) {
    even = c.regularity * c.regularity * c.coverage;
  }
  if (c.kind != KeyKind::range) even *= c.regularity * c.coverage;
  if (c.kind == KeyKind::kernel) even *= c.equal;  // it runs in evaluations and checkpoints, too
  if (c.stride > 0) even *= c.is_rising && !c.ends_pass ? kOddPeriods : kStride;
  if (c.burst > 1) even *= kBurst;
  if (c.is_unlike) even *= kUnlike;
  return even;
}

// Takes coverage from the kernels if the process launches any, else from times.
double Ranking::score_of(const KeyOpCandidate& c) const {
  const auto instances = static_cast<double>(c.instances);
  const double share = c.kernel_share.value_or(c.coverage);
  double score = worth_of(c) * (0.9 + 0.1 / static_cast<double>(std::max(c.level, 1)));
  if (c.names_step) {
    // A few steps are steps, and those between long evaluations; not what launches next to nothing.
    score *= (1 - 1 / instances) * std::min(3 * share, 0.5 + 0.5 * share);
  } else {
    score *= (1 - 2 / instances) * share * evenness(c);
  }
  if (c.is_background) score *= kBackground;
  if (c.brings_data) score *= kBringsData;
  if (c.is_side_work) score *= kSideWork;
  if (c.is_epoch) score *= kEpoch;
  if (c.is_warm_up) score *= kWarmUp;
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
  return fmt::format("{} in {} {}", count, c.always_per_outer ? "each" : "a typical", c.outer);
}

std::string reason_of(const KeyOpCandidate& c) {
  std::string text = fmt::format(
      "{} {} every {}, varying by {}, covering {} of the run", base::format_count(c.instances),
      counted(c), base::format_duration(c.period_ns),
      base::format_percent(100 * (1 - c.regularity)), base::format_percent(100 * c.coverage));
  if (c.per_outer > 0) {
    text += " · " + nesting_text(c);
  }
  if (c.kernel_share) {
    text += fmt::format(" · {} of the kernels", base::format_percent(100 * *c.kernel_share));
  }
  if (c.names_step) text += " · named like a step";
  if (c.is_warm_up) text += " · warm-up";
  if (c.brings_data) text += " · loads data";
  if (c.is_side_work) text += " · runs parallel to steps";
  if (c.is_background) text += " · on a helper thread";
  if (c.stride > 0) {
    text += fmt::format(" · kernels repeat every {} periods, like layers", c.stride);
  }
  if (c.is_unlike) text += " · unique ranges in each period, like layers";
  return text;
}

void Ranking::judge(int64_t process, const std::vector<int64_t>& starts, KeyOpCandidate& c) const {
  base::stop_point();
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
  base::stop_point();
  c.is_unlike = !c.is_numbered && are_unlike(process, starts);
  judge_work(process, starts, c);
  c.score = score_of(c);
}

void Ranking::judge_work(int64_t process, const std::vector<int64_t>& starts,
                         KeyOpCandidate& c) const {
  if (work_.kernels() == 0) return;
  c.kernel_share = 0;
  const int64_t all = work_.kernels(process);
  const int64_t cut = work_.kernels_between(process, starts.front(), starts.back() + c.period_ns);
  if (all > 0) c.kernel_share = static_cast<double>(cut) / static_cast<double>(all);
  const std::optional<Likeness> likeness =
      work_.likeness(process, starts, c.kind == KeyKind::range ? kPeriodsOfRanges : kPeriodsOfOps);
  if (!likeness) return;
  c.likeness = likeness->share;
  c.equal = likeness->equal;
  c.stride = likeness->stride;
  c.ends_pass = likeness->odd_kernels >= kEndsPass;
  if (c.stride == 0 && likeness->equal >= kAlike) c.burst = 1;
}

// Not so the first thread of a process, which may leave all launches to others. It bears the number
// of the process where there is such a thread; on Windows there is none.
bool Ranking::serves_another(const ThreadKey& thread) const {
  if (work_.kernels() == 0) return false;
  const auto all = static_cast<double>(work_.kernels(thread.first));
  if (all == 0) return true;
  if (thread == first_threads_.at(thread.first)) return false;
  if (work_.kernels_of_thread({thread.first, 0}) > 0) return false;  // who launched is not told
  const auto own = static_cast<double>(work_.kernels_of_thread({thread.first, thread.second}));
  return own < kBackgroundKernels * all;
}

void Ranking::nest(const Marker& marker, KeyOpCandidate& c) {
  const std::string& path = marker.paths.front();
  const std::string_view slashes = profile::nesting_of(profile_, path);
  for (std::size_t slash = slashes.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = slashes.rfind('/', slash - 1)) {
    auto outer = found_ranges_.find(path.substr(0, slash));
    if (outer == found_ranges_.end()) {
      outer = found_ranges_.find(
          without_epochs(std::string_view(path).substr(0, slash), slashes.substr(0, slash)));
    }
    if (outer == found_ranges_.end()) continue;
    const Marker& outer_marker = markers_.at(outer->first);
    const Nesting nesting = count_inside(marker.ranges, outer_marker.ranges);
    if (nesting.count == 0) return;
    const KeyOpCandidate& around = found_[outer->second].candidate;
    c.outer = std::string(profile_.text(outer_marker.name));
    c.per_outer = nesting.count;
    c.always_per_outer = nesting.is_constant;
    const bool is_step = around.names_step || !c.names_step;
    const bool is_likely = around.names_step || around.score >= kLikelyStep;
    if (is_likely && !around.is_epoch && is_step) {
      c.score = std::min(c.score, kInside * around.score);
    }
    return;
  }
}

void Ranking::add_ranges() {
  std::map<StringId, int> markers_of_name;
  for (const auto& [path, marker] : markers_) ++markers_of_name[marker.name];
  for (const auto& [path, ranges] : markers_) {
    const auto& [thread, starts] = busiest(ranges.starts);
    if (starts.size() < kFewestInstances) continue;
    Ranked found;
    KeyOpCandidate& c = found.candidate;
    c.kind = KeyKind::range;
    c.name = ranges.paths.front();
    c.key =
        markers_of_name[ranges.name] == 1 ? profile_.text(ranges.name) : std::string_view(c.name);
    c.level = op_level(profile_, c.name) - 1;
    c.is_numbered = ranges.is_numbered;
    c.is_rising = ranges.is_rising;
    c.is_warm_up = is_warm_up(c.name);
    c.names_step = names_step(profile_.text(ranges.name));
    c.is_epoch = !c.names_step && says_epoch(profile_.text(ranges.name));
    c.brings_data = brings_data(profile_.text(ranges.name));
    c.is_side_work = is_side_work(profile_.text(ranges.name));
    c.is_background = serves_another(thread);
    c.burst = c.names_step || c.is_rising ? 1 : burst_size(starts);  // steps may come in pairs
    judge(thread.first, starts, c);
    found.pause_ns = kPausesInPeriod * ranges.pause_ns > c.period_ns ? ranges.pause_ns : 0;
    found.first_ns = starts.front();
    found_ranges_.emplace(path, found_.size());
    found_.push_back(std::move(found));
  }
  nest_all();
}

// Those around come before those inside them.
void Ranking::nest_all() {
  std::vector<std::pair<int32_t, const Markers::value_type*>> by_level;
  for (const auto& marker : markers_) {
    by_level.emplace_back(op_level(profile_, marker.second.paths.front()), &marker);
  }
  std::ranges::stable_sort(by_level, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [level, marker] : by_level) {
    const auto found = found_ranges_.find(marker->first);
    if (found != found_ranges_.end()) nest(marker->second, found_[found->second].candidate);
  }
}

// Work in an export of which no thread is known has no start on the CPU.
bool has_thread(const Profile& profile, InstanceIndex instance) {
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
    for (InstanceIndex i{0}; i < rows_.size(); ++i) rows_[next[profile.instances.op[i]]++] = i;
  }
  std::span<const Row> of(OpIndex op) const {
    return std::span(rows_).subspan(first_[op], first_[op + 1] - first_[op]);
  }

 private:
  std::vector<std::size_t> first_;
  base::UntouchedVector<Row> rows_;
};

StartsByThread starts_of(const Profile& profile, std::span<const Row> instances) {
  StartsByThread starts;
  ThreadIndex thread;
  std::vector<int64_t>* times = nullptr;
  for (const Row row : instances) {
    const InstanceIndex i(row);
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
// processes, else all, in order (spec.md 4).
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

// Names of the ops that hold a range's own time: its path, or "name (self time)" below it.
std::set<std::string> own_time_ops(const Profile& profile, const Markers& markers) {
  std::set<std::string> names;
  for (const auto& [without, marker] : markers) {
    for (const std::string& path : marker.paths) {
      names.insert(path);
      names.insert(path + "/" + std::string(profile.text(marker.name)) + " (self time)");
    }
  }
  return names;
}

std::optional<Ranked> Ranking::rank_op(OpIndex op, const StartsByThread& starts,
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
  c.level = op_level(profile_, c.name) - 1;
  if (profile_.is_unassociated(op)) {
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
                      own_time_ops(profile_, markers_)};
  std::vector<std::optional<Ranked>> of_op(profile_.ops.size());
  base::parallel_for(of_op.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (OpIndex op(static_cast<Row>(begin)); op < end; ++op) {
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
  prefer_first_in_step();
}

// What runs as often as the best candidate, and as well, may begin the step that the best one ends.
void Ranking::prefer_first_in_step() {
  if (found_.empty() || found_.front().candidate.names_step) return;
  const KeyOpCandidate& best = found_.front().candidate;
  auto chosen = found_.begin();
  for (auto other = found_.begin(); other != found_.end(); ++other) {
    const KeyOpCandidate& c = other->candidate;
    const bool is_alike = c.kind == best.kind && c.outer == best.outer &&
                          std::abs(c.instances - best.instances) <= 1 &&
                          c.score >= kPartOfSameStep * best.score;
    const auto place = [](const Ranked& r) { return std::pair(-r.pause_ns, r.first_ns); };
    if (is_alike && place(*other) < place(*chosen)) chosen = other;
  }
  std::rotate(found_.begin(), chosen, chosen + 1);
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
  return ranked.empty() || ranked.front().score < kLikelyStep ? "" : ranked.front().key;
}

std::optional<KeyPair> keys_to_compare(const std::vector<KeyOpCandidate>& one,
                                       const std::vector<KeyOpCandidate>& other) {
  if (best_key(one).empty() && best_key(other).empty()) return KeyPair{};
  // The id of an op is of one file only.
  const auto key_of = [](const KeyOpCandidate& c) {
    return c.kind == KeyKind::range ? c.key : c.name;
  };
  std::map<std::string, double> scores;
  for (const KeyOpCandidate& c : other) {
    if (c.score >= kLikelyStep) scores[key_of(c)] = std::max(scores[key_of(c)], c.score);
  }
  std::optional<KeyPair> best;
  double best_score = 0;
  bool best_names_step = false;
  for (const KeyOpCandidate& c : one) {
    const auto found = scores.find(key_of(c));
    if (c.score < kLikelyStep || found == scores.end()) continue;
    const double both = std::min(c.score, found->second);
    // Equal names mean the same.
    if (std::pair(c.names_step, both) <= std::pair(best_names_step, best_score)) continue;
    best = KeyPair{key_of(c), key_of(c)};
    best_score = both;
    best_names_step = c.names_step;
  }
  if (best_names_step) return best;
  const auto steps = [](const std::vector<KeyOpCandidate>& ranked) {
    return !best_key(ranked).empty() && ranked.front().names_step;
  };
  if (steps(one) && steps(other)) return KeyPair{one.front().key, other.front().key};
  return best;
}

}  // namespace dlview::aggregate
