// Places controls from left to right in lines, wrapping where they do not fit.
#pragma once

#include "ui/widgets/controls.h"

namespace dlview::ui {

class Flow {
 public:
  Flow(const Frame& frame, const Area& area)
      : area_(area),
        line_height_(frame.px(kControlHeight)),
        spacing_(frame.px(8)),
        x_(area.left),
        y_(area.top) {}

  // Makes room for `width` and returns its left edge; top() is its upper edge.
  float place(float width) {
    if (x_ > area_.left && x_ + width > area_.right()) next_line();
    const float left = x_;
    x_ += width + spacing_;
    return left;
  }
  // The same at the right edge of the line; nothing follows it there.
  float place_right(float width) {
    if (x_ > area_.left && x_ + width > area_.right()) next_line();
    x_ = area_.right() + spacing_;
    return area_.right() - width;
  }
  void skip(float width) { x_ += width; }
  float top() const { return y_; }
  float bottom() const { return y_ + line_height_; }

 private:
  void next_line() {
    x_ = area_.left;
    y_ += line_height_ + spacing_;
  }

  Area area_;
  float line_height_, spacing_, x_, y_;
};

}  // namespace dlview::ui
