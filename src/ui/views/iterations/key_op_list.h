// The key op's text field with the list of ops that can cut the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Returns the name that was entered or chosen. The list shows what contains `filter`.
std::optional<std::string> draw_key_op_field(Frame& frame, const Box& box, std::string& text,
                                             std::string_view filter);

}  // namespace dlview::ui
