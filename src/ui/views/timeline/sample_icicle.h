// CPU samples of a thread as an icicle: each function a box as wide as its share of the samples,
// below its caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregate/host/sample_tree.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct SampleIcicle {
  struct Function {
    std::string name, full_name;
    std::size_t depth = 0;
    int64_t first = 0, samples = 0;  // from left to right, of all samples
  };
  std::vector<Function> functions;
  int64_t samples = 0;
  std::string thread;  // "pt_data_pin (114211)"
};

// Empty if the thread has no samples in the window.
SampleIcicle prepare_samples(const profile::Profile& profile, const aggregate::HostRecord& record,
                             const profile::Thread& thread, const base::Interval& window);

// Returns the bottom.
float draw_samples(Frame& frame, const Area& area, const SampleIcicle& icicle);

}  // namespace dlview::ui
