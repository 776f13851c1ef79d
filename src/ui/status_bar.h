// The bar at the bottom: what is open, how large it is, how fast the last aggregation was, and what
// the file does not tell or told wrongly.
#pragma once

#include <string>
#include <vector>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr float kStatusHeight = 24;

struct StatusText {
  std::vector<std::string> left;  // file, format, size; iterations; kernels; engine
  std::string quality;            // "3 rows unusable · 2 things not recorded"; empty = all is well
};
// `view` is what the view has to say; may be empty.
StatusText prepare_status(const Model& model, std::string view = "");

void draw_status_bar(Frame& frame, const Box& bar, std::string view = "");

}  // namespace dlview::ui
