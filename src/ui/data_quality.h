// What the file does not tell, and rows that could not be used: a line in the status bar, and the
// list behind it.
#pragma once

#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The line; hovering it tells all, a click keeps the list open.
void draw_quality_summary(Frame& frame, const Box& box, std::string_view text);

}  // namespace dlview::ui
