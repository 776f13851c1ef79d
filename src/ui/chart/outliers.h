// Which iterations stand out, and where the run is in a steady state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/outliers.h"
#include "aggregate/selection.h"
#include "ui/chart/bars.h"
#include "ui/theme.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Outliers on the chart: where their marks stand, what their class looks like, and the way from one
// to the next. Pure.

// Amber, or gray where the cause is harmless: warm-up, start-up, little work, a host that ran
// ahead.
Color outlier_color(const Palette& palette, aggregate::OutlierClass kind);

// The outlier with that number; nullptr = the iteration is none.
const aggregate::Outlier* find_outlier(const aggregate::Outliers& outliers, int64_t iteration);

int64_t outliers_in(const aggregate::Outliers& outliers, aggregate::IterationRange range);

// The one behind or before `from`, at the end the first one again; without `from` the first or the
// last. Nothing when there are none.
std::optional<int64_t> next_outlier(const aggregate::Outliers& outliers,
                                    std::optional<int64_t> from);
std::optional<int64_t> previous_outlier(const aggregate::Outliers& outliers,
                                        std::optional<int64_t> from);

// "data loader, +142 ms: DataLoader::__next__ +138 ms".
std::string describe_outlier(const profile::Profile& profile, const aggregate::Outlier& outlier);

struct OutlierMark {
  int64_t iteration = 0;
  aggregate::OutlierClass kind = aggregate::OutlierClass::other;
  float x = 0, y = 0;  // the middle of the bar's top, not above the plot
};

// Marks closer than `spacing` pixels are one, that of the largest difference.
std::vector<OutlierMark> prepare_outlier_marks(const aggregate::Outliers& outliers,
                                               const BarData& data, const Plot& plot,
                                               float spacing);

// The steady range, offered with its reason.

// What the steady range is and how many outliers it still holds; `outliers` may be null.
std::string steady_reason(const std::optional<aggregate::IterationRange>& steady,
                          const aggregate::Outliers* outliers);

// Two right-aligned lines, "steady state" and the range as a link that selects it.
void draw_steady_offer(Frame& frame, std::string_view name, const Box& box,
                       const std::optional<aggregate::IterationRange>& steady,
                       aggregate::IterationRange range);

}  // namespace dlview::ui
