#include "ui/widgets/mark.h"

namespace dlview::ui {

std::string_view to_text(Mark mark) {
  switch (mark) {
    case Mark::yes:
      return "1";
    case Mark::missed:
    case Mark::no:
      return "0";
    case Mark::unknown:
      break;
  }
  return "?";
}

void draw_mark(Frame& frame, const Box& box, Mark mark, bool is_centered) {
  const Palette& colours = frame.palette();
  const float size = frame.px(14);
  const float x = is_centered ? (box.left + box.right) / 2 : box.left + size / 2;
  const float middle = (box.top + box.bottom) / 2;
  if (mark == Mark::yes) {
    draw_icon(Icon::check, x, middle, size, colours.good);
  } else if (mark == Mark::missed) {
    draw_icon(Icon::cross, x, middle, size * 0.85f, colours.attention);
  } else {
    draw_text_in(frame.fonts().text, box, colours.dim, mark == Mark::no ? "–" : "?", is_centered);
  }
}

}  // namespace dlview::ui
