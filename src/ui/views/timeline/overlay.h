// Draws over the rows, or instead of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timeline/lanes.h"
#include "ui/views/timeline/rows.h"
#include "ui/views/timeline/selected_event.h"

namespace dlview::ui {

// Over the rows: the frame around the selected event, the arrow between GPU activity and its call
// or between a backward op and its forward op, with a word if its end is outside, and the selected
// time.

// `facts` are those of the selected event.
void draw_selection(Frame& frame, const timeline::Lanes& lanes, const TimelineRows& rows,
                    const TimelinePlot& plot, const timeline::Place& selected,
                    const SelectedEvent& facts);

enum class StretchAction { none, zoom, filter, clear };
// Down through the plot.
void draw_stretch(Frame& frame, const TimelinePlot& plot, const timeline::TimeWindow& stretch);
// Its length, start, end and iterations, and what can be done with it, at the bottom of the plot:
// the last rows can be scrolled to where they are seen.
StretchAction draw_stretch_bar(Frame& frame, const TimelinePlot& plot,
                               const timeline::TimeWindow& stretch);

// Messages instead of lanes, and the tooltip at the pointer.

// Recorded as "timeline/page".
void draw_timeline_page(Frame& frame, const Box& box, std::string_view title,
                        std::string_view text);

// The number of events of a fold, and the longest.
void show_mark_tooltip(Frame& frame, const timeline::Lanes& lanes, const TimelineHit& hit);

}  // namespace dlview::ui
