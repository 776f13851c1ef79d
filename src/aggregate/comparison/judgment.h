// Judgment: which changes of a waterfall are more than noise, and what each op became (spec.md,
// compare.change).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/comparison/run_pair.h"
#include "aggregate/comparison/statistics.h"
#include "aggregate/comparison/waterfall.h"

namespace dlview::aggregate {

// What an op or a kernel became.
enum class ChangeKind : uint8_t {
  same,        // no difference beyond the floor
  added,       // no calls before
  removed,     // no calls after
  replaced,    // its kernels changed names
  moved,       // the same time in another part, or overlapped before or after
  renamed,     // on another path, and neither slower nor faster
  more_calls,  // calls make more of the difference than the time of a call
  fewer_calls,
  slower,  // the time of a call does
  faster,
  inconclusive,  // the iterations do not tell
  not_judged,    // below 0.1% of the time, or too few iterations, and equal calls
};
std::string_view to_text(ChangeKind kind);  // "more calls"

// Whether two differences are of opposite sign and of one size within 20%: the same time,
// elsewhere.
bool is_moved_time(int64_t a, int64_t b);

struct JudgedBar {
  ChangeKind kind = ChangeKind::not_judged;
  std::optional<ValueChange> change = std::nullopt;  // per iteration and GPU; nullopt = not judged
};

struct JudgedPart : JudgedBar {
  std::vector<JudgedBar> ops;                    // as PartBar::ops
  std::vector<std::vector<ChangeKind>> kernels;  // of each op, as OpBar::kernels
};

struct Judgment {
  std::optional<ValueChange> iteration;  // durations; nullopt: fewer than 4 iterations on a side
  std::array<JudgedPart, kStackPartCount> parts;
  std::size_t rows = 0;  // judged together: parts and ops
};

// Ops with less are too small to be judged.
inline constexpr double kLeastJudgedShare = 0.001;

// Judges the bars of a waterfall, which is that of the ranges. Reads all entries of the ranges.
Judgment judge(const RunPair& runs, const RangePair& ranges, const Waterfall& waterfall,
               const RunFloor& floor);

// Leaves what needs no judging: added, removed, replaced, more and fewer calls.
void withdraw_verdicts(Judgment& judgment);

}  // namespace dlview::aggregate
