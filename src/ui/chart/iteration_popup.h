// What the pointer shows above a bar: all constituents of the iteration, with their shares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/recorded.h"
#include "ui/chart/bars.h"
#include "ui/widgets/tooltip.h"
#include "workspace/run_model.h"

namespace dlview::ui {

struct IterationPopup {
  std::string heading;  // "Iteration 47 · 356 ms", "Iteration 3 · Step 30 · 356 ms"
  std::vector<TooltipRow> rows;
  std::string note;  // "Outside the range", "The longest of 12 iterations in this pixel"
};

// `candidates` share the pixel; the highest of them is told.
IterationPopup prepare_popup(const BarData& data, aggregate::IterationRange candidates,
                             aggregate::IterationRange range,
                             const aggregate::RecordedCategories& recorded, const Palette& palette);

// "4 × micro-step, 18 ms to 21 ms each" with their sum, one for each kind of which the iteration's
// range holds several; three at most.
std::vector<TooltipRow> prepare_inner_ranges(const profile::Profile& profile,
                                             const aggregate::Iterations& iterations,
                                             int64_t iteration);

// Shows the popup of the iterations under the mouse, with what makes them outliers. The data are
// those of the run's aggregation. Records the heading as `name`; returns the iteration it
// describes.
std::optional<int64_t> show_iteration_popup(Frame& frame, const workspace::RunModel& run,
                                            const BarData& data, const Plot& plot,
                                            aggregate::IterationRange range, std::string_view name);

}  // namespace dlview::ui
