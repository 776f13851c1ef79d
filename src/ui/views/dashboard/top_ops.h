// The ten ops with the largest GPU time, or with the largest CPU time where no GPU work was
// recorded: a table that is sorted once and for all.
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

struct TopOpRow {
  profile::Row op = 0;
  std::string id;
  std::string time, name, direction, type, calls, data_type;
  std::string full_time;            // "13 820 000 000 ns"
  Tone tone = Tone::other_kernels;  // as in the legends: Tensor Core, other kernels, memory, CPU
  double fraction = 0;              // of the first row's time
  Mark eligible = Mark::no, uses_tensor_cores = Mark::no;
};

inline constexpr std::size_t kTopOps = 10;

struct TopOpsPanel {
  std::vector<TopOpRow> rows;  // largest first; ops without such time are left out
  bool has_direction = false;  // only PyTorch tells it
  bool has_data_type = false;  // not every framework tells it
  bool by_cpu = false;         // the times are CPU times
  bool filtered = false;       // ops may be missing for filters
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
// Room for ten rows is kept, whatever the range has, so that nothing moves with it.
TopOpsResult draw_top_ops(Frame& frame, const Area& area, const TopOpsPanel& panel,
                          float row_height);

}  // namespace dlview::ui
