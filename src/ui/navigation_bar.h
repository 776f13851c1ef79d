// The bar at the top that never scrolls away: brand, tabs, range, menus, theme; and the switch of a
// tab.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kNavigationHeight = 40;

void draw_navigation_bar(Frame& frame, const Box& bar);

// The views of the current tab, at the top of the box; nothing where the tab has one view. Returns
// the bottom. A menu where the box is too narrow.
float draw_view_switch(Frame& frame, const Box& box);

}  // namespace dlview::ui
