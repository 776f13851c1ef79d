// The bar at the bottom, and what floats above it for a while.
#pragma once

#include <string>
#include <vector>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The bar at the bottom: what is open, how large it is, how fast the last aggregation was, and what
// the file does not tell or told wrongly.

inline constexpr float kStatusHeight = 24;

struct StatusText {
  std::vector<std::string> left;  // file, format, size; iterations; kernels; engine
  std::string engine_reason;      // of the last of them; may be empty
  std::string quality;            // "3 rows unusable · 2 things not recorded"; empty = all is well
};
// `view` is what the view has to say; may be empty.
StatusText prepare_status(const Model& model, std::string view = "");

void draw_status_bar(Frame& frame, const Box& bar, std::string view = "");

// What floats above the view for a while: notices, and the times of frames.

// Centered above `bottom`, the newest one lowest.
void draw_notices(Frame& frame, float bottom);

// At the top right below `top`; nothing unless the model has them.
void draw_frame_times(Frame& frame, float top);

}  // namespace dlview::ui
