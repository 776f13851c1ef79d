// The pages of help: definitions, about the program, the data quality of the open profile, and the
// thresholds of findings; and the question about a dropped file. The page of shortcuts is in
// ui/palette/shortcuts.h.
#pragma once

#include <string>

#include "ui/look.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// `search` is what was typed into the page's field.
void draw_definitions_page(Frame& frame, std::string& search);
void draw_about_page(Frame& frame);
void draw_data_quality_page(Frame& frame);

// The thresholds of findings, each a number to edit; findings follow at once.
void draw_thresholds_page(Frame& frame);

// Asks whether to open Model::dropped_file or to compare the active run with it. Enter opens it.
void draw_dropped_file(Frame& frame);

}  // namespace dlview::ui
