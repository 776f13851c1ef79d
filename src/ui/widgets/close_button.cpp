#include "ui/widgets/close_button.h"

namespace dlview::ui {

bool draw_close_button(Frame& frame, std::string_view name, const Area& heading) {
  const float size = frame.px(16);
  const Box box{heading.right() - size, heading.top, heading.right(), heading.top + size};
  const Hit hit = hit_area(frame, name, box);
  draw_icon(Icon::close, (box.left + box.right) / 2, (box.top + box.bottom) / 2, size,
            hit.hovered ? frame.palette().text : frame.palette().dim);
  return hit.clicked;
}

}  // namespace dlview::ui
