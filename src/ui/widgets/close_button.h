// The cross that closes a pane, at the right edge of its heading.
#pragma once

#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// True when it was clicked.
bool draw_close_button(Frame& frame, std::string_view name, const Area& heading);

}  // namespace dlview::ui
