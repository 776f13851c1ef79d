// The pane at the right of the timeline: what is told of the selected event,
// with links to what belongs to it.
#pragma once

#include <optional>

#include "ui/views/timeline/event_details.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kEventPaneWidth = 290;

struct EventPaneResult {
  std::optional<timeline::EventRef> go_to;
  bool closed = false;
};
EventPaneResult draw_event_pane(Frame& frame, const Box& box, const EventDetails& details);

}  // namespace dlview::ui
