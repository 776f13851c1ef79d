// What is drawn over the rows: the frame around the selected event, the arrow
// between a piece of work and its call with a word where its end lies outside,
// and the selected stretch of time.
#pragma once

#include <optional>
#include <string>

#include "ui/timeline/lanes.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Where the other end of an arrow lies: "launch 9.23 ms earlier"; empty where
// it is on screen.
std::string off_screen_text(const timeline::Lanes& lanes, const timeline::TimeWindow& window,
                            timeline::EventRef from, timeline::EventRef to);

void draw_selection(Frame& frame, const timeline::Lanes& lanes, const TimelineRows& rows,
                    const TimelinePlot& plot, const timeline::Place& selected);

enum class StretchAction { none, zoom, filter, clear };
// Down through the plot.
void draw_stretch(Frame& frame, const TimelinePlot& plot, const timeline::TimeWindow& stretch);
// Its length, start, end and iterations, and what can be done with it, at the bottom of the plot:
// the last rows can be scrolled to where they are seen.
StretchAction draw_stretch_bar(Frame& frame, const TimelinePlot& plot,
                               const timeline::TimeWindow& stretch);

}  // namespace dlview::ui
