// The outliers in the toolbar: how many there are, the way to the next one, and all in a list.
#pragma once

#include "ui/widgets/controls.h"

namespace dlview::ui {

// Draws nothing as long as the outliers are not known or there are none.
void draw_outliers(Frame& frame, Flow& flow);

}  // namespace dlview::ui
