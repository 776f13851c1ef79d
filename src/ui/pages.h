// What stands in the place of a view when there is none: loading, an error, nothing open.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_loading_page(Frame& frame, const Box& box);
void draw_error_page(Frame& frame, const Box& box);
void draw_empty_page(Frame& frame, const Box& box);

}  // namespace dlview::ui
