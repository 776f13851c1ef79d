// The thresholds of the advice, each a number to edit: what is found follows at once.
#pragma once

#include "ui/look.h"

namespace dlview::ui {

void draw_thresholds_page(Frame& frame);

}  // namespace dlview::ui
