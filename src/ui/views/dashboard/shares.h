// The dashboard's four stacked bars as data: where the time of the range went. Exclusive shares,
// plain sums and unions stay apart; what was not recorded says so and has no share.
#pragma once

#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

// Why a bar has no parts.
inline constexpr std::string_view kNoDevices =
    "This file names no GPU, and time is counted for each GPU.";

// Exclusive: seven categories, mean over all devices, of the duration of the range; empty when the
// file names no GPU.
std::vector<BarPart> prepare_breakdown(const aggregate::Aggregation& aggregation);

// Plain sums: Tensor Core kernels, memory, all other kernels.
std::vector<BarPart> prepare_kernel_time(const aggregate::Aggregation& aggregation);

// Plain sums over the kernels of eligible ops; empty when none of them ran a kernel.
std::vector<BarPart> prepare_tensor_core_efficiency(const aggregate::Aggregation& aggregation);

// Unions: using and idle, mean over all GPUs; empty when the file names no GPU.
std::vector<BarPart> prepare_utilization(const aggregate::Aggregation& aggregation);

}  // namespace dlview::ui
