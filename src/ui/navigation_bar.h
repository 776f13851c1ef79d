// The bar at the top that never scrolls away: brand, views, range, menus, theme.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kNavigationHeight = 40;

void draw_navigation_bar(Frame& frame, const Box& bar);

}  // namespace dlview::ui
