// The GPU utilization panel: a gauge for a single GPU; for several a bar for the mean over all, one
// for the mean over those that were used, and one for each device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/metrics.h"
#include "profile/profile.h"
#include "ui/widgets/stacked_bar.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

struct DeviceRow {
  std::string label;  // "GPU 3", "All 8", "4 used"
  std::string name;   // "A100-SXM4-80GB"; empty for a mean
  std::string share;  // "75.6%", or "no kernel"
  double fraction = 0;
  std::vector<TooltipRow> details;
  aggregate::MetricId metric;               // of a mean
  std::string full;                         // of a mean
  std::optional<aggregate::Filter> filter;  // of a single device
};

struct DevicesPanel {
  std::string note;  // "4 of 8 GPUs used"
  std::vector<BarPart> parts;
  std::string why_none;  // when there are no parts
  // Empty with a single GPU: the gauge says it all.
  std::vector<DeviceRow> means, rows;
};

DevicesPanel prepare_devices(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation);

float draw_devices(Frame& frame, const Area& area, const DevicesPanel& panel, HiddenParts& hidden);

}  // namespace dlview::ui
