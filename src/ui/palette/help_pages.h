// The pages of help: keys and gestures, about the program, and what the open file does not tell.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_keys_page(Frame& frame);
void draw_about_page(Frame& frame);
void draw_data_quality_page(Frame& frame);

}  // namespace dlview::ui
