// A child window that scrolls vertically, its scroll bar in the margin at the right.
#pragma once

#include "ui/widgets/canvas.h"

namespace dlview::ui {

class ScrollArea {
 public:
  // With `wheel` false the mouse wheel is left to the contents.
  ScrollArea(Frame& frame, const char* id, const Box& box, bool wheel = true);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;

  // Inside the margins, moved by the scrolling.
  const Area& area() const { return area_; }
  // Tells how far down the contents reach.
  void end_at(float bottom) { bottom_ = bottom; }

 private:
  Frame& frame_;
  Area area_;
  float bottom_;
};

}  // namespace dlview::ui
