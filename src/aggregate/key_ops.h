// Which op or user range could split the run into iterations: each that ran often enough, ranked,
// with the reason in words.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

struct KeyOpCandidate {
  profile::Row op = profile::kNoRow;  // kNoRow for a range
  std::string name;                   // the op's name, or the range's path
  // What to cut at: the op's id, which names this op alone, or the range's name or path.
  std::string key;
  int64_t instances = 0;     // on the thread that has most of them
  int64_t period_ns = 0;     // median distance of two starts
  double regularity = 0;     // 1 = all periods equal: 1 - sum |period - median| / sum of periods
  double coverage = 0;       // part of the run from the first start to the last one plus a period
  int32_t level = 0;         // number of '/' in the op's name: how deeply it is nested
  double score = 0;          // 0..1, see rank_key_ops
  bool is_numbered = false;  // a range that counts: "step 1", "step 2"
  int64_t burst = 1;         // of all that would cut, in short succession: see burst_size
  std::string reason;        // "257 instances every 80.7 ms, regular to 1 %, over 98 % of the run"
};

// Best first. Score = regularity^2 x coverage x (1 - 2 / instances) x (0.9 + 0.1 / level): a step
// marker repeats evenly, from the first step to the last, and stands high in the tree. A range that
// counts need not be even, for its numbers say what it is. Of equal ones the op that begins
// earliest in the step is best: cutting there leaves a step whole. What ran fewer than three times
// is no candidate, nor is an op that is but a range's own time. The run of an export begins with
// the first op that launched a kernel: loading a program may take longer than its steps. Linear in
// instances and ranges, but for a sort of each op's starts.
std::vector<KeyOpCandidate> rank_key_ops(const profile::Profile& profile);

// The key of the best candidate that runs once in a step, if it is likely to be a step; else "".
std::string best_key(const std::vector<KeyOpCandidate>& ranked);

}  // namespace dlview::aggregate
