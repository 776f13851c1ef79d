// What the timeline says instead of lanes, and of what the pointer is at.
#pragma once

#include <string>
#include <string_view>

#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Recorded as "timeline/page".
void draw_timeline_page(Frame& frame, const Box& box, std::string_view title,
                        std::string_view text);

// Of a fold how many events it stands for, and the longest.
void show_mark_tooltip(Frame& frame, const timeline::Lanes& lanes, const TimelineHit& hit);

}  // namespace dlview::ui
