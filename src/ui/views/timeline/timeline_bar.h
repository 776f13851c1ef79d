// The bar above the timeline: its search, what the colours tell with their
// legend as far as there is room, and what stands below the lanes.
#pragma once

#include <cstdint>
#include <optional>

#include "ui/views/timeline/colour_choice.h"
#include "ui/views/timeline/event_search.h"

namespace dlview::ui {

inline constexpr float kTimelineBarHeight = 36;

// The last two below two iterations that stand side by side.
enum class LowerPanel : uint8_t { none, gaps, bookmarks, differing_ops, differing_kernels };

// Returns the step that the search asks for.
int draw_timeline_bar(Frame& frame, const Box& box, EventSearch& search, ColourChoice& colours,
                      LowerPanel lower, const timeline::Lanes& lanes,
                      const std::optional<timeline::Place>& selected);

}  // namespace dlview::ui
