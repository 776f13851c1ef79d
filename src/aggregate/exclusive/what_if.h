// What-if: the time of a range if ops were faster or a wait were gone, between two bounds. Each GPU
// event that gets faster gets shorter within its time, and all else keeps its place. Nothing here
// is a forecast: a gain is "at most" (spec.md, what_if.*).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/exclusive/parts.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class WhatIfKind : uint8_t {
  part,          // text: to_text(StackPart)
  gap,           // idle gaps of a cause; text: id_of(GapCause)
  op,            // id or name
  op_type,       // the type
  kernel,        // Kernels::name
  tensor_cores,  // eligible ops run on Tensor Cores; no text
};

// Thousandths: 1500 = a speedup of 1.5.
using Factor = int64_t;
inline constexpr Factor kSame = 1000;
inline constexpr Factor kGone = 0;  // takes no time
inline constexpr Factor kMostFactor = 1'000'000;

struct WhatIfChange {
  WhatIfKind kind = WhatIfKind::part;
  std::string text = {};
  Factor factor = kGone;  // kGone, or kSame and more; no meaning for tensor_cores
  bool operator==(const WhatIfChange&) const = default;
};

std::string_view id_of(GapCause cause);  // "nothing_recorded"
std::string_view to_text(WhatIfKind kind);
std::string factor_text(Factor factor);                     // "1.5"
std::optional<Factor> parse_factor(std::string_view text);  // "2", "1.25"; from 1 to 1000
// "No data loader", "No idle gaps: synchronization", "conv2d: 2x speedup".
std::string describe(const WhatIfChange& change);
// "data_loader", "idle_synchronization", "op=conv2d:2", as parse_change() reads them.
std::string id_of(const WhatIfChange& change);
// "data_loader", "exposed_communication", "memory", "io", "idle_CAUSE", "tensor_cores";
// "op=NAME:FACTOR", and the same with op_type, kernel and part. Without a factor: 2.
base::Result<WhatIfChange> parse_change(std::string_view text);

// The ops with the id or name of a change of ops; none of other changes.
std::vector<profile::OpIndex> ops_of(const profile::Profile& profile, const WhatIfChange& change);
// Returns whether the profile has the op, type or kernel of the change.
bool has_match(const profile::Profile& profile, const WhatIfChange& change);
// As parse_change(); refuses what the profile does not have. Data loader time is refused where it
// is not recorded, as it would gain 0.
base::Result<WhatIfChange> find_change(const profile::Profile& profile, std::string_view text);

// The kernel time of an op in the range that Tensor Cores would save, a sum over GPUs.
struct OpHeadroom {
  profile::OpIndex op{0};
  int64_t gain_ns = 0;
};

struct WhatIf {
  int64_t iterations = 0, devices = 0;
  int64_t before_ns = 0;                            // T, of the range
  int64_t least_ns = 0;                             // L: the most that can be saved
  int64_t most_ns = 0;                              // U; least_ns <= most_ns <= before_ns
  std::array<int64_t, kStackPartCount> saved_ns{};  // by part, over all GPUs
  std::array<int64_t, kStackPartCount> parts_before_ns{};
  // gpu_ns: if only time is saved in which nothing else runs on a GPU; of the GPU that saves least.
  // host_ns: that remains.
  int64_t gpu_ns = 0, host_ns = 0;

  int64_t saved_total_ns() const;                           // over all GPUs
  int64_t gain_ns() const { return before_ns - least_ns; }  // at most
  double gain_share() const;                                // of before_ns, 0..100
  bool operator==(const WhatIf&) const = default;
};

// An instant is saved once: where several changes match, the largest counts. The saving of each
// row of `sums` is rounded up to whole ns. `headroom`: for
// WhatIfKind::tensor_cores.
WhatIf what_if(const profile::Profile& profile, const PartSums& sums,
               std::span<const WhatIfChange> changes, std::span<const OpHeadroom> headroom = {});

// The changes that are worth a look in a range, alone: waits and idle causes with time, and the
// `most` ops and op types with the most exclusive time, `factor` times as fast.
std::vector<WhatIfChange> suggested_changes(const profile::Profile& profile, const PartSums& sums,
                                            std::span<const OpHeadroom> headroom = {},
                                            std::size_t most = 10, Factor factor = 2 * kSame);

}  // namespace dlview::aggregate
