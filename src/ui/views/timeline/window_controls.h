// How keys and the wheel move the window of a plot of the timeline.
#pragma once

#include "ui/timeline/command.h"
#include "ui/timeline/time_window.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Room on either side of a selection that is shown, in its own lengths.
inline constexpr int64_t kRoomAround = 4;

// False, and nothing done, for commands that do not move the window. `steps` may be parts of one.
bool move_window(timeline::Navigator& navigator, timeline::Command command, double steps,
                 const TimelinePlot& plot);

// Zooms or pans; returns how many pixels the lanes, where they can, are scrolled down instead.
float turn_wheel(const Frame& frame, const TimelinePlot& plot, bool can_scroll,
                 timeline::Navigator& navigator);

}  // namespace dlview::ui
