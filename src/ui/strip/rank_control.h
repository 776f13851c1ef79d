// The rank that all views show, at the left of the strip: which it is, the one before and after,
// and a list with the typical and the slowest one, and the sums of all.
#pragma once

#include <string>

#include "ui/widgets/canvas.h"
#include "workspace/rank_run.h"

namespace dlview::ui {

// "Rank 17 of 64"; empty = the active profile is no rank.
std::string rank_text(const workspace::RankModel& model);

// Of the control; 0 = there is none.
float rank_control_width(const Frame& frame);
void draw_rank_control(Frame& frame, float left, const Box& strip);

}  // namespace dlview::ui
