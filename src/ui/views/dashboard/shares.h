// The Dashboard's stacked bars as data. Sums and unions stay apart; what was not recorded says so
// and has no share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/recorded.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

// The GPU time of kernels whose use of Tensor Cores is unknown (Model::unknown_use), in the range
// and under its filters. With many kernels, those that match the filters are found in the
// background.
struct UnknownUseTimes {
  int64_t gpu_ns = 0;
  int64_t eligible_gpu_ns = 0;  // UnknownTensorCoreUse::eligible_gpu_ns()
  bool operator==(const UnknownUseTimes&) const = default;
};
class UnknownTimeData {
 public:
  // nullopt while they are not known.
  std::optional<UnknownUseTimes> times(const Model& model, Background& background);

 private:
  struct Filtered {
    std::vector<aggregate::Filter> filters;
    aggregate::UnknownTensorCoreUse use;
  };

  Late<std::vector<aggregate::Filter>, Filtered> filtered_;
  UnknownUseTimes times_;  // of these two
  std::shared_ptr<const aggregate::Aggregation> summed_for_;
  const aggregate::UnknownTensorCoreUse* summed_ = nullptr;
};

// Returns nullopt while the times are not known.
std::optional<aggregate::KnownEfficiency> efficiency_of(
    const profile::Profile& profile, const aggregate::Aggregation& aggregation,
    const std::optional<UnknownUseTimes>& unknown_times);

// Why a bar has no parts.
inline constexpr std::string_view kNoDevices = "No GPUs recorded.";
// Returns why no op is known to be eligible for Tensor Cores, and how to record ops.
std::string_view no_eligibility(const profile::Profile& profile);
// Return what the profile lacks, or what did not happen in the range. `known`: nullopt while the
// efficiency is not known.
std::string why_no_kernel_time(const profile::Profile& profile,
                               const aggregate::Aggregation& aggregation);
std::string why_no_efficiency(const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation,
                              const std::optional<aggregate::KnownEfficiency>& known);

// Sums: Tensor Core kernels, memory, all other kernels and, if there are any, the `unknown_ns` of
// kernels whose use of Tensor Cores is unknown. With nullopt the others have no time yet.
std::vector<BarPart> prepare_kernel_time(const aggregate::Aggregation& aggregation,
                                         std::optional<int64_t> unknown_ns);

// Sums over the known kernels of ops that are eligible or use Tensor Cores. Empty if such ops ran
// none.
std::vector<BarPart> prepare_tensor_core_efficiency(const aggregate::KnownEfficiency& known);
// "Not counted: 300 ms (75.0% of kernel time), eligibility unknown", and the same of unknown use, a
// line each; empty if all is known.
std::string not_counted_text(const aggregate::KnownEfficiency& known);

}  // namespace dlview::ui
