// A roofline as SVG: what the screen shows with everything in view, on white.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/limits/roofline.h"

namespace dlview::report {

// 960 x 640. `rows`: those of the plot; `head_line` stands above it. Names are tooltips of the
// marks.
std::string roofline_svg(const Roofline& plot, std::span<const aggregate::LimitRow> rows,
                         std::string_view head_line);

}  // namespace dlview::report
