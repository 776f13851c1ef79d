// Comparison: all that two ranges of two runs tell (spec.md, compare.*).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/judgment.h"
#include "aggregate/comparison/run_pair.h"
#include "aggregate/comparison/statistics.h"
#include "aggregate/comparison/waterfall.h"

namespace dlview::aggregate {

struct Comparison {
  std::shared_ptr<const RunPair> runs;
  RangePair ranges;
  RunFloor floor;
  Waterfall waterfall;
  Judgment judgment;
  ComparabilityReport comparability;
  MatchRate rate_before, rate_after;

  // Whether the difference is judged: the runs are comparable, and there are enough iterations.
  bool is_judged() const;
};

// Of ranges that a run does not have, compares the nearest ones. Costs the kernels and the entries
// of exclusive time in both ranges.
Comparison compare(std::shared_ptr<const RunPair> runs, const RangePair& ranges,
                   const RunFloor& floor = {});

// "Slower: iterations take longer, median +2.7% (+2.1% to +3.3%)." Without a verdict on the whole
// it says how many ops are slower or faster all the same, which condition is not met, and what
// would help.
std::string verdict_text(const Comparison& comparison);
// "GPU idle +1.13 ms, other kernels −0.2 ms": the parts that make up a fifth of the difference or
// more, the largest first, as the waterfall shows them; empty if there are none. One whose work ran
// beside kernels on the other side says so: "Exposed communication +3.4 ms (overlapped −3.38
// ms)".
std::string main_changes_text(const Waterfall& waterfall);
// The same; where the verdict says that the difference may be chance, the largest rows that were
// judged slower or faster, or nothing: "/net/conv1/conv2d (backward) +0.278 ms, and 2 more". Then
// how many kernels and ops are others: "; 160 kernels replaced, 3 ops added, 258 ops renamed".
std::string changes_text(const Comparison& comparison);

// Rows that were judged slower or faster: ops, each once, and idle causes. Pointers into the
// comparison; the largest difference first.
struct JudgedRows {
  std::vector<const OpBar*> ops, causes;
  std::size_t slower = 0, faster = 0;  // ops
  bool empty() const { return ops.empty() && causes.empty(); }
};
JudgedRows judged_rows(const Comparison& comparison);
// The iterations of both profiles if the ranges leave some out that may decide an inconclusive
// verdict; nullopt = they would not.
std::optional<RangePair> deciding_iterations(const Comparison& comparison);
// "2% (assumed)", "0.8% (learned from 5 captures)".
std::string floor_text(const RunFloor& floor);

}  // namespace dlview::aggregate
