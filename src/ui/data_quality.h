// What the file does not tell, and rows that could not be used: a line in the status bar, and the
// list behind it.
#pragma once

#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The line; a click on it opens the list above the view.
void draw_quality_summary(Frame& frame, const Box& box, std::string_view text);

// Needs an open profile; returns the bottom.
float draw_quality_list(Frame& frame, const Area& area);

}  // namespace dlview::ui
