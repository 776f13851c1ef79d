// The steady range, offered with its reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregate/outliers.h"
#include "aggregate/selection.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What the steady range is and how many outliers it still holds; `outliers` may be null.
std::string steady_reason(const std::optional<aggregate::IterationRange>& steady,
                          const aggregate::Outliers* outliers);

// Two right-aligned lines, "steady range" and the range as a link that selects it.
void draw_steady_offer(Frame& frame, std::string_view name, const Box& box,
                       const std::optional<aggregate::IterationRange>& steady,
                       aggregate::IterationRange range);

}  // namespace dlview::ui
