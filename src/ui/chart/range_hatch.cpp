#include "ui/chart/range_hatch.h"

#include <algorithm>
#include <cmath>

namespace dlview::ui {

void hatch_outside(const Frame& frame, const Plot& plot, aggregate::IterationRange range,
                   Color surface) {
  const auto x_of = [&](int64_t edge) {
    return std::clamp(std::round(plot.x_of(static_cast<double>(edge))), plot.left, plot.right());
  };
  const Color line = with_opacity(surface, 0.7f);
  hatch(frame, {plot.left, plot.top, x_of(range.first), plot.bottom()}, line);
  hatch(frame, {x_of(range.last + 1), plot.top, plot.right(), plot.bottom()}, line);
}

}  // namespace dlview::ui
