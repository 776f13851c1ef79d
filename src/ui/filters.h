// The filters that everything on screen obeys: the gestures that set them, and the chips that show
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/filter.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {

// Cross-filter: what stands on screen for a part of the run narrows everything to that part. The
// gestures are the same everywhere: "Filter all views" in the context menu, and a click
// where that does nothing else. Done again, it takes the filter away.

void toggle_filter(Frame& frame, const aggregate::Filter& filter);
void add_filter(Frame& frame, const aggregate::Filter& filter);

// What a click that filters does, for a tooltip.
std::string click_hint(const Model& model, const aggregate::Filter& filter);

// The entry of a menu that is open; `id` tells those of one menu apart.
void offer_filter(Frame& frame, CopyMenu& menu, const aggregate::Filter& filter,
                  std::string_view id = "everything");

// A right click on a name or a word: copy it, filter everything to it. `name` is unique among the
// menus of the window; without a filter copying is all.
void word_menu(Frame& frame, std::string_view name, const Box& box, std::string_view word,
               const std::optional<aggregate::Filter>& filter);

// The filters that everything on screen obeys, as chips below the strip: what each keeps, a cross
// to take it off, and how much of the range they leave.
// As many lines as they need; returns the bottom.
float draw_filter_chips(Frame& frame, const Area& area);

}  // namespace dlview::ui
