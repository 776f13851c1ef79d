// Which colour an event of the timeline has: that of its category, as
// everywhere; the host's own time, which has none, in quiet shades.
#pragma once

#include "ui/theme.h"
#include "ui/timeline/lanes.h"

namespace dlview::ui {

Colour colour_of(const Palette& palette, const timeline::Lanes& lanes, timeline::EventRef event);

// A fold whose events take `share` (0..1) of its time, on a background.
Colour colour_of_fold(Colour colour, Colour background, float share);

}  // namespace dlview::ui
