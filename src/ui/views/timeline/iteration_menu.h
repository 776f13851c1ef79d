// The menu of an iteration in the ruler of the timeline: which other one is to stand beside it.
#pragma once

#include <cstdint>
#include <optional>

#include "ui/model.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class IterationMenu {
 public:
  // In every frame; a right click into the box opens it for the iteration at the pointer. Returns
  // what was chosen.
  std::optional<IterationPair> draw(Frame& frame, const Box& box, std::optional<int64_t> pointed);

 private:
  std::optional<int64_t> of_;
  bool is_open_ = false;
};

}  // namespace dlview::ui
