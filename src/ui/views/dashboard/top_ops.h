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
  std::string gpu_time, name, direction, type, calls;
  std::string full_gpu_time;  // "13 820 000 000 ns"
  double fraction = 0;        // of the first row's GPU time
  bool eligible = false, using_tensor_cores = false;
};

struct TopOpsPanel {
  std::vector<TopOpRow> rows;  // largest first; ops without GPU time are left out
  bool has_direction = false;  // only PyTorch tells it
};

TopOpsPanel prepare_top_ops(const profile::Profile& profile,
                            const aggregate::Aggregation& aggregation, std::size_t most = 10);

float draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel);

}  // namespace dlview::ui
