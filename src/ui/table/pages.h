// Pages at the foot of a table, for those who want them; endless scrolling is the default.
#pragma once

#include "ui/table/rows.h"

namespace dlview::ui {

// Returns the left edge of what it drew at the right end of the box.
float draw_pages(TableDraw& draw, TableRows& rows, const Box& box);

}  // namespace dlview::ui
