// ScrollBar: the thumb at the edge of a table, for contents longer than a float counts.
#pragma once

#include <optional>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

enum class ScrollAxis { down, across };

class ScrollBar {
 public:
  // Returns where the contents stand now, 0 .. total - view. Draws nothing where all is in view.
  double draw(Frame& frame, std::string_view name, const Box& trough, ScrollAxis axis,
              double scroll, double total, double view);

 private:
  std::optional<float> grabbed_;  // where on the thumb the mouse holds it
};

}  // namespace dlview::ui
