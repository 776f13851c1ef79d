// How the candidates for a key op look: titles that sort, and rows.
#pragma once

#include <optional>
#include <string>

#include "ui/views/iterations/key_ops.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

float key_op_row_height(const Frame& frame);

// Returns the column whose title was clicked.
std::optional<KeyOpColumn> draw_key_op_titles(Frame& frame, const Box& row, KeyOpOrder order);

Hit draw_key_op_row(Frame& frame, const Box& box, const KeyOpRow& row, bool is_lit,
                    bool is_current);

// "4 instances per step": cutting there makes several iterations of each step.
std::string burst_warning(int64_t burst);

}  // namespace dlview::ui
