// The ten ops with the largest GPU time, or with the largest CPU time if no GPU activity was
// recorded: a table with a fixed order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"
#include "ui/look.h"
#include "ui/widgets/fixed_table.h"

namespace dlview::ui {

// The tooltip of an op: its full name, what it is, and its kernels with their times.

struct OpKernelRow {
  std::string name, launches, gpu_time;
  Tone tone = Tone::other_kernels;  // of its Tensor Core use, which may be unknown
};

struct OpCard {
  std::string name;
  std::string facts;                 // "conv2d · bprop · float32 · 796 calls"
  std::string verdict;               // of Tensor Cores: "eligible, but no kernel uses them"
  std::vector<OpKernelRow> kernels;  // largest GPU time first, at most kMostKernels
  std::string more;                  // "and 3 more kernels"; empty when all are shown
};
inline constexpr std::size_t kMostKernels = 6;

// `unknown`: null until it is known.
OpCard prepare_op_card(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                       const aggregate::UnknownTensorCoreUse* unknown, profile::OpIndex op);

// For the op of the model's aggregation.
void show_op_card(Frame& frame, profile::OpIndex op);

struct TopOpRow {
  profile::OpIndex op{0};
  std::string id;
  std::string time, name, direction, type, calls, data_type;
  std::string full_time;            // "13,820,000,000 ns"
  Tone tone = Tone::other_kernels;  // as in the legends: Tensor Core, other kernels, memory, CPU
  double fraction = 0;              // of the first row's time
  Mark eligible = Mark::no, uses_tensor_cores = Mark::no;
};

inline constexpr std::size_t kTopOps = 10;

struct TopOpsPanel {
  std::vector<TopOpRow> rows;  // largest first; ops without such time are left out
  bool has_direction = false;  // any row has one
  bool has_data_type = false;  // any row has one
  bool by_cpu = false;         // the times are CPU times
  bool filtered = false;       // filters may hide ops
};

// `unknown`: null until it is known.
TopOpsPanel prepare_top_ops(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation,
                            const aggregate::UnknownTensorCoreUse* unknown,
                            std::size_t most = kTopOps);

struct TopOpsResult {
  float bottom = 0;
  bool asked_why = false;  // the cross of an eligible op was clicked
};
TopOpsResult draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel);

}  // namespace dlview::ui
