// The GPU utilization panel of a machine with several GPUs: a bar for the mean over all, one for
// the mean over those that were used, and one for each GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"
#include "ui/look.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

struct DeviceRow {
  std::string label;  // "GPU 3", "All 8", "4 used", "2 of 8"
  std::string name;   // "A100-SXM4-80GB"; empty for a mean
  std::string share;  // "75.6%", or "no kernel"
  double fraction = 0;
  std::vector<TooltipRow> details;
  aggregate::MetricId metric;               // of a mean
  std::string full;                         // of a mean
  std::optional<aggregate::Filter> filter;  // of a single GPU
};

struct DevicesPanel {
  std::string note;  // "4 of 8 GPUs used"
  // Empty with a single GPU, and without GPU activity: the key figure says it all.
  std::vector<DeviceRow> means, rows;
};

DevicesPanel prepare_devices(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation);

// Needs rows; returns the bottom.
float draw_devices(Frame& frame, const Area& area, const DevicesPanel& panel);

}  // namespace dlview::ui
