// Advice on ops: what follows from their limits, which number says so, and what it could save at
// most (docs/dev/spec.md, Limits; docs/findings.md).
//
// An op with less than kLeastAdviceShare of the range's kernel time raises none: nothing about it
// is worth the user's time. Filters do not apply.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/limits/limits.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class AdviceKind : uint8_t {
  tensor_cores,   // FP32 GEMMs and convolutions on CUDA cores
  fp8,            // math-bound on Tensor Cores already
  channels_last,  // a convolution converts layouts
  aligned_sizes,  // sizes that Tensor Cores cannot use, or use slowly
  fuse,           // chains of elementwise and normalization kernels
  less_memory,    // memory-bound: smaller format, reuse
  near_roofs,     // both
  tail_waves,     // the last wave of blocks leaves most SMs idle
  occupancy,      // few warps for each SM
  small_kernels,  // many kernels below 10 µs
  other_pipes,    // SM busy, FLOP/s low
  collect,        // nothing is known: what to record
};
inline constexpr int kAdviceKinds = 12;
// "tensor_cores"; "Use Tensor Cores".
std::string_view to_text(AdviceKind kind);
std::string_view title_of(AdviceKind kind);

struct LimitAdvice {
  AdviceKind kind{};
  profile::OpIndex op;               // kNoRow: of the whole range
  Limit limit = Limit::unknown;      // of the op
  std::string advice, evidence;      // sentences without a period at the end
  int64_t kernels = 0, time_ns = 0;  // that it is about
  std::optional<double> save_ns;     // at most; nullopt = no number can be named
  bool operator==(const LimitAdvice&) const = default;
};

// Kernels of one call that an advice is about.
struct AdvicePlace {
  AdviceKind kind{};
  profile::KernelIndex first_kernel{0};
  int64_t kernels = 0, start_ns = 0, stop_ns = 0;  // on the GPU
  int64_t time_ns = 0, save_ns = 0;                // without a number the time
};

struct AdviceOptions {
  double occupancy_percent = 25;  // low below it
  double last_wave_percent = 50;  // a tail below it
};

inline constexpr double kLeastAdviceShare = 1;       // % of the kernel time of the range
inline constexpr int64_t kSmallKernelNs = 10'000;    // launching costs as much
inline constexpr int64_t kShortestChain = 3;         // kernels
inline constexpr int64_t kFewestSmallKernels = 100;  // of an op, for a range

// Largest savings first, then those without a number by time. O(kernels of the range log kernels).
// `on_place`: called for each place of the kinds tensor_cores, aligned_sizes, fuse, tail_waves and
// occupancy, also of ops that are too small to raise advice.
std::vector<LimitAdvice> limit_advice(const profile::Profile& profile,
                                      const Aggregation& aggregation, const LimitIndex& index,
                                      const AdviceOptions& options = {},
                                      const std::function<void(const AdvicePlace&)>& on_place = {});

}  // namespace dlview::aggregate
