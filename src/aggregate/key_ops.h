// Which op or user range could split the run into iterations: each that ran often enough, ranked,
// with the reason in words.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

// In the order in which they are preferred. A kernel or call is an op that no range names.
enum class KeyKind : uint8_t { range, op, kernel, call };

struct KeyOpCandidate {
  KeyKind kind = KeyKind::op;
  profile::OpIndex op{};  // kNoRow for a range
  std::string name;       // the op's name, or the range's path
  // The marker: the op's id, which names this op only, or the range's name or path.
  std::string key;
  int64_t instances = 0;     // on the thread that has most of them
  int64_t period_ns = 0;     // median distance of two starts
  double regularity = 0;     // 1 = all periods equal: 1 - sum |period - median| / sum of periods
  double coverage = 0;       // part of the run from the first start to the last one plus a period
  int32_t level = 0;         // number of '/' in the op's name: how deeply it is nested
  double score = 0;          // 0..1, see rank_key_ops
  bool is_numbered = false;  // a range that counts: "step 1", "step 2"
  bool is_rising = false;    // and never restarts, as layers and micro-batches do
  bool is_warm_up = false;   // a range whose path says so
  // Ranges only: the name means a step ("train_step", "Iteration 7"), an epoch.
  bool names_step = false, is_epoch = false;
  // Ranges only: its thread is a helper, which launches few of its process's kernels; its name says
  // that it loads a batch, which the next step waits for.
  bool is_background = false, brings_data = false;
  bool is_side_work = false;  // and that it saves, logs or evaluates
  // Ranges between two consecutive starts run only there: layers, for example, and not steps.
  bool is_unlike = false;
  // The part of its process's kernels launched from the first start to the end of the last period;
  // the part of a period's kernels that the next period launches, too (Likeness::share). nullopt if
  // the process launches no kernel; likeness also if the median period launches none.
  std::optional<double> kernel_share, likeness;
  double equal = 1;        // Likeness::equal, where there is a likeness
  int64_t stride = 0;      // every stride-th period launches other kernels; 0: none
  bool ends_pass = false;  // and more of them, as the last layer of a pass does
  int64_t burst = 1;       // instances in short succession: see burst_size
  // For a range inside ranges of another path: their name, and how many of it each of them has.
  std::string outer;
  int64_t per_outer = 0;
  bool always_per_outer = false;  // in each of them; else the median
  // "257 instances every 80.7 ms, varying by 1%, covering 98% of the run · 4 in each step"
  std::string reason;
};

// Returns the candidates, best first. The score, 0 to 1, estimates how likely a person is to call
// one a step (spec.md 42). Scores within 5% count as equal. Then ranges rank before ops, and
// what follows a pause or comes first in the step ranks higher: a boundary there keeps steps whole.
//
// Candidates ran at least three times, and are not the self time of a range. The run of an export
// begins with the first op that launched a kernel, because loading a program may take longer than
// its steps. It excludes ranges that are called a warm-up. Linear in instances and ranges, except
// for a sort of each op's starts.
std::vector<KeyOpCandidate> rank_key_ops(const profile::Profile& profile);

// The ranking of a profile's markers, computed on the first call, on any thread. The profile must
// outlive it.
class KeyRanking {
 public:
  KeyRanking(const profile::Profile& profile) : profile_(profile) {}  // NOLINT: see above
  const profile::Profile& profile() const { return profile_; }
  const std::vector<KeyOpCandidate>& candidates() const;

 private:
  const profile::Profile& profile_;
  mutable std::once_flag ranked_;
  mutable std::vector<KeyOpCandidate> candidates_;
};

// The key of the best candidate if it is likely to be a step; else "".
std::string best_key(const std::vector<KeyOpCandidate>& ranked);

// The keys at which two runs are split to be compared.
struct KeyPair {
  std::string one, other;
  bool operator==(const KeyPair&) const = default;
};
// Returns the first of: the best key that names a step in both; the best keys of both, if both name
// a step ("step" and "ProfilerStep", as the tools do); the best key that is likely to be a step in
// both. Empty keys where neither run has any; nullopt where nothing pairs.
std::optional<KeyPair> keys_to_compare(const std::vector<KeyOpCandidate>& one,
                                       const std::vector<KeyOpCandidate>& other);

}  // namespace dlview::aggregate
