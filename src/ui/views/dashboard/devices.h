// The GPU utilization panel: the mean over all GPUs, over those that were used, and each device.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "profile/profile.h"
#include "ui/widgets/stacked_bar.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

struct DeviceRow {
  std::string label;  // "GPU 3"
  std::string name;   // "A100-SXM4-80GB"
  std::string share;  // "75.6 %", or "no kernel"
  double fraction = 0;
  std::vector<TooltipRow> details;
};

struct DevicesPanel {
  std::string note;  // "mean over all 8 GPUs · 75.6 % over the 4 used"
  std::vector<BarPart> parts;
  std::vector<DeviceRow> rows;  // empty with a single GPU: the bar says it all
};

DevicesPanel prepare_devices(const profile::Profile& profile,
                             const aggregate::Aggregation& aggregation);

float draw_devices(Frame& frame, const Area& area, const DevicesPanel& panel, HiddenParts& hidden);

}  // namespace dlview::ui
