// EdgeGrip: the edge between two boxes, one above the other, that a hand drags. A double click asks
// for the first division again.
#pragma once

#include <optional>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

class EdgeGrip {
 public:
  struct Move {
    std::optional<float> top;  // where the hand takes the top of the edge
    bool resets = false;
  };
  Move draw(Frame& frame, std::string_view name, const Box& edge);

 private:
  std::optional<float> held_at_;  // pixels below the top of the edge
};

}  // namespace dlview::ui
