// The pages of help: keys and gestures, what the numbers mean, about the program, and the data
// quality of the open file.
#pragma once

#include <string>

#include "ui/look.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_keys_page(Frame& frame);
// `search` is what was typed into the page's field.
void draw_definitions_page(Frame& frame, std::string& search);
void draw_about_page(Frame& frame);
void draw_data_quality_page(Frame& frame);

// The thresholds of the advice, each a number to edit: what is found follows at once.
void draw_thresholds_page(Frame& frame);

}  // namespace dlview::ui
