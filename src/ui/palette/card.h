// OverlayCard: a surface above everything else, with the view dimmed behind it. A click beside it
// closes it; so does Escape, as a command.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

class OverlayCard {
 public:
  // At most so large, in pixels of the design; centred, in the upper part of the window.
  OverlayCard(Frame& frame, float width, float height);
  ~OverlayCard();
  OverlayCard(const OverlayCard&) = delete;
  OverlayCard& operator=(const OverlayCard&) = delete;

  const Box& box() const { return box_; }
  // Inside the padding.
  Area area() const;
  // A heading with a close button; returns what is left below it.
  Area draw_heading(std::string_view title);

 private:
  Frame& frame_;
  Box box_;
};

}  // namespace dlview::ui
