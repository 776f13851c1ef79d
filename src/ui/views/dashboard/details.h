// The details pane at the right of the dashboard: the kernel details, or the ops that the advice on
// data types speaks of.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Total GPU time is a plain sum; names are distinct names, never launches.
struct KernelDetailsRow {
  std::string id, label, gpu_time, full_gpu_time, names;
  Colour swatch = 0;
};
// All kernels (memory operations among them, as DLProf counts), Tensor Core, memory, all other.
std::vector<KernelDetailsRow> prepare_kernel_details(const aggregate::Aggregation& aggregation,
                                                     const Palette& palette);

struct DataTypeRow {
  std::string name, data_type, gpu_time;
};
// Eligible ops of the range whose data type keeps them from Tensor Cores, largest GPU time first.
std::vector<DataTypeRow> prepare_data_types(const profile::Profile& profile,
                                            const aggregate::Aggregation& aggregation);

enum class DetailsKind { none, kernels, data_types };

// Fills the box; returns false when its X was clicked.
bool draw_details_pane(Frame& frame, const Box& box, DetailsKind kind,
                       const std::vector<KernelDetailsRow>& kernels,
                       const std::vector<DataTypeRow>& data_types);

}  // namespace dlview::ui
