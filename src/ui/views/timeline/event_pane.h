// Details of an event and its actions: the pane at the right of the timeline, and
// the menu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/filter.h"
#include "timeline/lanes.h"
#include "ui/views/timeline/event_details.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The menu of an event on the lanes of the Timeline: what can be done with it, and what of it
// everything can be filtered to.

// To what an event is or belongs to: its kernel, Tensor Core kernels, its GPU, its op with the op's
// type, or its group. None where no filter tells of it, as of NVTX ranges.
std::vector<aggregate::Filter> filters_of(const timeline::Lanes& lanes,
                                          const timeline::Place& place);

enum class EventAction { none, zoom, next, previous, select_time, search };

// What of an event is searched for: of a launch the name of its kernel.
std::string name_to_search(const timeline::Lanes& lanes, const timeline::Place& place);

// In every frame in which the event is selected; a right click into the box opens it. `name` is
// what it copies; select_time is offered only where stretches of time are selected.
EventAction draw_event_menu(Frame& frame, const Box& box, const timeline::Lanes& lanes,
                            const timeline::Place& place, const std::string& name,
                            bool selects_stretches);

// The pane at the right of the timeline: what is told of the selected event,
// with links to what belongs to it.

inline constexpr float kEventPaneWidth = 290;

struct EventPaneResult {
  std::optional<timeline::EventRef> go_to;
  bool closed = false;
};
EventPaneResult draw_event_pane(Frame& frame, const Box& box, const EventDetails& details);

}  // namespace dlview::ui
