// Waterfall: from the mean iteration of one run to that of another, in parts that add up
// (spec.md, compare.waterfall).
//
//   iteration      mean of the range
//     part         exclusive time of the stack, per GPU
//       op         matched ops are one bar, others are bars of their own; of "other": idle causes
//         kernel   of a GPU part
//
// Times are whole ns per iteration and GPU. On each level the bars of one parent add up to it,
// before, after and in the difference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aggregate/comparison/call_index.h"
#include "aggregate/comparison/kernel_keys.h"
#include "aggregate/comparison/matching.h"
#include "aggregate/exclusive/parts.h"
#include "aggregate/gaps/idle_gaps.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// A range of a run: its exclusive times and calls. The index outlives it.
struct WaterfallSide {
  PartSums sums;
  const CallIndex* index = nullptr;
  InstanceSpan instances;
};

// The levels below the parts that a waterfall has: all, or what one look at it shows.
struct WaterfallScope {
  enum class Depth : uint8_t { parts, ops, kernels };
  Depth depth = Depth::kernels;
  std::optional<StackPart> part = std::nullopt;  // ops of this part only; nullopt = of all
  // Kernels of this op only, by its rows before and after; nullopt = of all.
  std::optional<std::pair<profile::OpIndex, profile::OpIndex>> op = std::nullopt;
};

struct Bar {
  // Sums over the range and all GPUs, exact.
  int64_t before_sum_ns = 0, after_sum_ns = 0;
  int64_t overlapped_before_ns = 0, overlapped_after_ns = 0;  // PartTime::overlapped_ns, sums
  // Calls of the op, or launches of the kernel, in the range.
  int64_t calls_before = 0, calls_after = 0;
  // Per iteration and GPU, rounded so that bars add up.
  int64_t before_ns = 0, after_ns = 0;
  int64_t difference_ns() const { return after_ns - before_ns; }
  bool operator==(const Bar&) const = default;
};

// The two parts of a difference in time: what other calls cost at the time per call before, and how
// much longer calls after take. Together difference_ns().
struct CallSplit {
  int64_t by_calls_ns = 0, by_time_per_call_ns = 0;
};

enum class KernelPairing : uint8_t { same, replaced, only_before, only_after };

struct KernelBar : Bar {
  KernelPairing pairing = KernelPairing::same;
  uint32_t before = 0, after = 0;  // KernelKeys; equal unless replaced
  bool operator==(const KernelBar&) const = default;
};

struct OpBar : Bar {
  StackPart part = StackPart::other;
  profile::OpIndex before{}, after{};   // kNoRow where the run has no such op
  std::optional<MatchedBy> by;          // nullopt: an op without a partner, or no op
  std::optional<GapCause> cause;        // of Other, and of stored I/O without an op
  std::vector<KernelBar> kernels = {};  // the largest difference first
  bool is_op() const { return before != profile::kNoRow || after != profile::kNoRow; }
  bool is_only_before() const { return is_op() && after == profile::kNoRow; }
  bool is_only_after() const { return is_op() && before == profile::kNoRow; }
  // Matched although its path differs in more than numbers.
  bool is_renamed() const { return by && *by >= MatchedBy::shape; }
};

struct PartBar : Bar {
  StackPart part = StackPart::other;
  std::vector<OpBar> ops = {};  // the largest difference first
};

struct Waterfall {
  int64_t iterations_before = 0, iterations_after = 0;
  int64_t devices_before = 0, devices_after = 0;  // that times are divided by
  // That were busy in the range, by which calls are divided.
  int64_t busy_devices_before = 0, busy_devices_after = 0;
  Bar iteration;                                 // the mean iteration; no calls
  std::array<PartBar, kStackPartCount> parts{};  // in the order of the stack

  // calls * mean before + calls after * (mean after - mean before), for a bar.
  CallSplit split(const Bar& bar) const;
  // Calls per iteration and GPU that worked: as many processes make as many calls.
  double calls_before(const Bar& bar) const;
  double calls_after(const Bar& bar) const;
};

// Costs the rows of the sums, and for each op and kernel of the scope four binary searches: fast
// enough for each frame of a dragged bound. Bars are the same in any scope that has them.
Waterfall make_waterfall(const WaterfallSide& before, const WaterfallSide& after,
                         const OpMatching& matching, const KernelKeys& keys,
                         const WaterfallScope& scope = {});

// The waterfall with times in whole steps, as a shown digit has them: bars add up in it, too.
Waterfall in_steps_of(Waterfall waterfall, int64_t step_ns);

// Rounds sums / denominator so that they add up to `total`, which is their exact sum rounded down
// or up. Each is less than 1 away from its exact value; of equal remainders the first is rounded
// up.
std::vector<int64_t> rounded_to(std::span<const int64_t> sums, int64_t denominator, int64_t total);

}  // namespace dlview::aggregate
