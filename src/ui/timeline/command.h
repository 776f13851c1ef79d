// What keys and commands ask of the timeline, and what of it is worth remembering.
#pragma once

#include <cstdint>
#include <optional>

#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

enum class Command : uint8_t {
  zoom_in,  // around the pointer
  zoom_out,
  pan_left,
  pan_right,
  show_selection,     // with room around it
  zoom_to_selection,  // alone
  whole_run,
  back,  // to the window before
  next,  // of the selected event's name
  previous,
  filter_time,  // everything to the selected stretch of time
  deselect,
};

// What to begin with; an iteration of the cut, or a window.
struct Request {
  std::optional<TimeWindow> window;
  std::optional<int64_t> iteration;
  bool operator==(const Request&) const = default;
};

}  // namespace dlview::ui::timeline
