// The pages of help: keys and gestures, what the numbers mean, about the program, and the data
// quality of the open file.
#pragma once

#include <string>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_keys_page(Frame& frame);
// `search` is what was typed into the page's field.
void draw_definitions_page(Frame& frame, std::string& search);
void draw_about_page(Frame& frame);
void draw_data_quality_page(Frame& frame);

}  // namespace dlview::ui
