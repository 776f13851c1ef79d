// What the pointer shows above an op: its whole name, what it is, and its kernels with their times.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/look.h"

namespace dlview::ui {

struct OpKernelRow {
  std::string name, launches, gpu_time;
  bool uses_tensor_cores = false;
};

struct OpCard {
  std::string name;
  std::string facts;                 // "conv2d · bprop · float32 · 796 calls"
  std::string verdict;               // of Tensor Cores: "eligible, but no kernel uses them"
  std::vector<OpKernelRow> kernels;  // largest GPU time first, at most kMostKernels
  std::string more;                  // "and 3 more kernels"; empty when all are shown
};
inline constexpr std::size_t kMostKernels = 6;

OpCard prepare_op_card(const profile::Profile& profile, const aggregate::Aggregation& aggregation,
                       profile::Row op);

// For the op of the model's aggregation.
void show_op_card(Frame& frame, profile::Row op);

}  // namespace dlview::ui
