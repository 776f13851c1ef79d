// The details pane at the right of the Dashboard. It shows the kernel details, the kernels without
// Tensor Cores of ops that are eligible or use them, or the eligible ops that do not use Tensor
// Cores or not in half precision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "ui/views/dashboard/shares.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/fixed_table.h"

namespace dlview::ui {

// GPU time is a sum; names are distinct names, never launches.
struct KernelDetailsRow {
  std::string id, label, gpu_time, full_gpu_time, names;
  aggregate::MetricId metric;
  Color swatch = 0;
};
// Kernels and memory together (DLProf's "All Kernels"), Tensor Core, memory, all other.
std::vector<KernelDetailsRow> prepare_kernel_details(const aggregate::Aggregation& aggregation,
                                                     const Palette& palette);

struct TopKernelRow {
  std::string name, launches, gpu_time, full_gpu_time;
  Mark uses_tensor_cores = Mark::no;
};
inline constexpr std::size_t kMostKernelRows = 25;
// Largest GPU time first. `unknown`: null until it is known.
std::vector<TopKernelRow> prepare_top_kernels(const profile::Profile& profile,
                                              const aggregate::Aggregation& aggregation,
                                              const aggregate::UnknownTensorCoreUse* unknown,
                                              std::size_t most = kMostKernelRows);

// The kernels behind "Not using Tensor Cores" of the Tensor Core efficiency; the times add up to
// it.
struct MissedKernels {
  std::vector<TopKernelRow> rows;  // largest GPU time first, at most `most`
  std::string total;               // "542 ms in 31 kernels", including those without a row
  std::string more;                // "and 6 more"; empty if all have a row
};
// `unknown_times`: nullopt while they are not known.
MissedKernels prepare_missed_kernels(const profile::Profile& profile,
                                     const aggregate::Aggregation& aggregation,
                                     const aggregate::UnknownTensorCoreUse* unknown,
                                     const std::optional<UnknownUseTimes>& unknown_times,
                                     std::size_t most = kMostKernelRows);

struct EligibleOpRow {
  profile::OpIndex op{0};
  std::string id, name, data_type, gpu_time, full_gpu_time;
  // "bprop · full precision · sgemm_128x128 × 796", or that it already uses Tensor Cores
  std::string why;
};
// Eligible ops of the range that do not use Tensor Cores, largest GPU time first; after them those
// that use them, but not in half precision.
std::vector<EligibleOpRow> prepare_eligible_ops(const profile::Profile& profile,
                                                const aggregate::Aggregation& aggregation,
                                                const aggregate::UnknownTensorCoreUse* unknown);

struct Details {
  std::vector<KernelDetailsRow> totals;
  std::vector<TopKernelRow> kernels;
  MissedKernels missed;
  std::vector<EligibleOpRow> ops;
};

enum class DetailsKind { none, kernels, missed_kernels, ops };

// Fills the box; returns false when its X was clicked.
bool draw_details_pane(Frame& frame, const Box& box, DetailsKind kind, const Details& details);

}  // namespace dlview::ui
