// A long text under its title: a command line, a stack trace.
#pragma once

#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The first lines, and all of them once "See more" was clicked: `whole` remembers it. A right click
// copies the text. Recorded as "<name>/<title>". Returns the bottom.
float draw_text_block(Frame& frame, std::string_view name, const Area& area, std::string_view title,
                      std::string_view text, bool& whole);

}  // namespace dlview::ui
