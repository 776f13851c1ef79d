// The key op's text field with the list of ops that can cut the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/views/iterations/key_ops.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Returns the name that was entered or chosen. The list shows what contains `filter`; `choices` is
// filled when it is first opened.
std::optional<std::string> draw_key_op_field(Frame& frame, const Box& box, std::string& text,
                                             std::string_view filter,
                                             std::optional<std::vector<KeyOpChoice>>& choices);

}  // namespace dlview::ui
