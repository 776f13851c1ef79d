// The ten ops with the largest GPU time: a table that is sorted once and for all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/look.h"

namespace dlview::ui {

struct TopOpRow {
  profile::Row op = 0;
  std::string id;
  std::string gpu_time, name, direction, type, calls, data_type;
  std::string full_gpu_time;        // "13 820 000 000 ns"
  Tone tone = Tone::other_kernels;  // as in the legends: Tensor Core, other kernels, memory, CPU
  double fraction = 0;              // of the first row's GPU time
  bool eligible = false, using_tensor_cores = false;
  bool misses_tensor_cores() const { return eligible && !using_tensor_cores; }
};

inline constexpr std::size_t kTopOps = 10;

struct TopOpsPanel {
  std::vector<TopOpRow> rows;  // largest first; ops without GPU time are left out
  bool has_direction = false;  // only PyTorch tells it
};

TopOpsPanel prepare_top_ops(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation, std::size_t most = kTopOps);

struct TopOpsResult {
  float bottom = 0;
  bool asked_why = false;  // the cross of an eligible op was clicked
};
// Room for ten rows is kept, whatever the range has, so that nothing moves with it.
TopOpsResult draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel,
                          float row_height);

}  // namespace dlview::ui
