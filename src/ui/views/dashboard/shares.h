// The dashboard's four stacked bars as data: where the time of the range went. Exclusive shares,
// plain sums and unions stay apart; what was not recorded says so and has no share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

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

// A part with its time and its share of the whole.
BarPart timed_part(std::string_view id, std::string_view label, std::string_view metric, Tone tone,
                   int64_t part_ns, double percent);

// Of a sum over the devices that the filters keep.
int64_t mean_over_devices(const aggregate::Aggregation& aggregation, int64_t device_sum_ns);

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

}  // namespace dlview::ui
