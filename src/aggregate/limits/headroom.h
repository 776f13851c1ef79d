// Tensor Core headroom: what GEMMs and convolutions outside Tensor Cores would gain at the rate
// that those on Tensor Cores reach in this profile (docs/dev/spec.md, Limits).
//
//   best rate  95th percentile of the FLOP/s of calls of at least 1 GFLOP on Tensor Cores, of the
//              same data type, in the range; FP32 on Tensor Cores is TF32
//   gain       time - max(FLOP / best rate, bytes / peak bandwidth): an upper bound
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/exclusive/what_if.h"
#include "aggregate/limits/limits.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// FLOP/s by MathType; nullopt = no call on Tensor Cores is large enough.
using BestRates = std::array<std::optional<double>, kMathTypes>;
// Which calls of GEMMs and convolutions on Tensor Cores have a rate that counts: all, or those of
// sizes that Tensor Cores need.
enum class RatedCalls : uint8_t { all, aligned };
// Those of the range, whatever the filters. O(calls of the range).
BestRates best_tensor_rates(const Aggregation& aggregation, const LimitIndex& index,
                            RatedCalls calls = RatedCalls::all);

inline constexpr double kLeastFlopsOfRate = 1e9, kPercentileOfRate = 0.95;

struct HeadroomRow {
  profile::OpIndex op{0};
  std::optional<MathType> type;  // in which it runs; nullopt = unknown
  // Of its GEMMs and convolutions that run on CUDA cores.
  int64_t time_ns = 0;
  std::optional<double> flops;      // nullopt = unknown for a part of them
  std::optional<double> best_rate;  // FLOP/s
  std::optional<double> gain_ns;    // at most
  std::string_view note;            // why there is no number; may be empty
};

// Ops of the range with GEMMs or convolutions that run on CUDA cores although their GPU has Tensor
// Cores, or with an eligible type: largest gain first, then those without a number by time. Filters
// do not apply.
std::vector<HeadroomRow> tensor_core_headroom(const profile::Profile& profile,
                                              const Aggregation& aggregation,
                                              const LimitIndex& index);

// The ops that gain, for what_if().
std::vector<OpHeadroom> op_headroom(const profile::Profile& profile, const Aggregation& aggregation,
                                    const LimitIndex& index);

// The type on Tensor Cores of ops of this data type: TF32 of "float32". nullopt = unknown, or none.
std::optional<MathType> tensor_type(std::string_view data_type);
// Whether the GPU has Tensor Cores for the type: from CC 7.0 for FP16, 8.0 for TF32, BF16 and FP64,
// 8.9 for FP8. Unknown compute capability: no.
bool has_tensor_cores(const profile::Device& device, MathType type);
// What moves FP32 products to Tensor Cores on all GPUs of the profile: "Allow TF32 (...), or run in
// FP16 or BF16 with AMP", "Run in FP16 with AMP"; no period at the end.
std::string_view tensor_core_advice(const profile::Profile& profile);

}  // namespace dlview::aggregate
