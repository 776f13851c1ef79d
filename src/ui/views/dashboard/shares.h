// The dashboard's four stacked bars as data: where the time of the range went. Exclusive shares,
// plain sums and unions stay apart; what was not recorded says so and has no share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

// The GPU time of kernels of which nobody knows whether they use Tensor Cores, for
// any range at once. Where there are many kernels they are looked for in the background.
// Of one file.
class UnknownUseData {
 public:
  // Nothing while the kernels that the filters keep are looked for.
  std::optional<int64_t> gpu_ns(const Model& model, Background& background);
  // Of the whole run; null until they have been looked for.
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> all() const { return all_.get(); }

 private:
  using Use = aggregate::UnknownTensorCoreUse;
  struct Filtered {
    std::vector<aggregate::Filter> filters;
    Use use;
  };

  Late<std::shared_ptr<const profile::Profile>, Use> all_;
  Late<std::vector<aggregate::Filter>, Filtered> filtered_;
};

// Why a bar has no parts.
inline constexpr std::string_view kNoDevices =
    "This file names no GPU, and time is counted for each GPU.";
inline constexpr std::string_view kNoEligibility =
    "Ranges of the program and calls outside of them do not tell whether Tensor Cores could do "
    "their "
    "work: record a framework's ops, with nsys profile --pytorch=autograd-shapes-nvtx.";
// Of the bars below: what the profile lacks, or what did not happen in the range.
std::string why_no_kernel_time(const profile::Profile& profile,
                               const aggregate::Aggregation& aggregation);
std::string why_no_efficiency(const profile::Profile& profile,
                              const aggregate::Aggregation& aggregation);
std::string why_no_utilization(const profile::Profile& profile);

// Exclusive: seven categories, mean over the kept devices, of the duration of the range; empty when
// the file names no GPU.
std::vector<BarPart> prepare_breakdown(const profile::Profile& profile,
                                       const aggregate::Aggregation& aggregation);

// Plain sums: Tensor Core kernels, memory, all other kernels, and apart from them, where there are
// such, the `unknown_ns` of kernels that may use Tensor Cores or not. Nothing = that is not known
// yet; then they are among the others.
std::vector<BarPart> prepare_kernel_time(const aggregate::Aggregation& aggregation,
                                         std::optional<int64_t> unknown_ns);

// Plain sums over the kernels of ops that are eligible or use Tensor Cores and, where there are
// such, of ops of which nothing tells; empty when none of the former ran a kernel.
std::vector<BarPart> prepare_tensor_core_efficiency(const profile::Profile& profile,
                                                    const aggregate::Aggregation& aggregation);
// What these parts are parts of, for their heading.
std::string_view efficiency_note(const std::vector<BarPart>& parts);

// Unions: using and idle, mean over the kept GPUs; empty when the file names no GPU or no work of
// it.
std::vector<BarPart> prepare_utilization(const profile::Profile& profile,
                                         const aggregate::Aggregation& aggregation);

// Below the resource usage of a run that communicates: how much, exposed and overlapped.

// All of it, the exposed part, the overlapped one; mean over all devices, of the duration of the
// range. Empty when no kernel of the run communicates.
std::vector<BarPart> prepare_communication(const aggregate::Aggregation& aggregation);

// Set apart by a line; a lane on the scale of the bar above, and the three figures. Returns the
// bottom.
float draw_communication(Frame& frame, const Area& area, const std::vector<BarPart>& parts);

}  // namespace dlview::ui
