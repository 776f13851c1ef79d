// The idle gap that has been chosen, on the lanes of its GPU.
#pragma once

#include <optional>

#include "ui/timeline/command.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Nothing where something else is asked for.
std::optional<IdleGap> gap_of(const timeline::Request& request);

// A bracket with its length on the GPU's busy times, and a band down through its streams; nothing
// where the GPU is folded away.
void draw_gap(Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
              const TimelinePlot& plot, const IdleGap& gap);

}  // namespace dlview::ui
