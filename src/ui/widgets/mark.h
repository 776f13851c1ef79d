// Marks: what stands for yes, no and unknown, the same in tables, on the Dashboard and in its pane.
#pragma once

#include <cstdint>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

enum class Mark : uint8_t {
  yes,      // a check
  missed,   // a cross: no, where yes would be better
  no,       // "–"
  unknown,  // "?"
};

// "1", "0" or "?", for the inspector.
std::string_view to_text(Mark mark);

// At the left of the box, or in its middle.
void draw_mark(Frame& frame, const Box& box, Mark mark, bool is_centered);

}  // namespace dlview::ui
