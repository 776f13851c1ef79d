// What floats above the view for a while: the notice of the last command, and the times of frames.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Centred above `bottom`; nothing without a notice.
void draw_toast(Frame& frame, float bottom);

// At the top right below `top`; nothing unless the model has them.
void draw_frame_times(Frame& frame, float top);

}  // namespace dlview::ui
