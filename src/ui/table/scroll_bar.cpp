#include "ui/table/scroll_bar.h"

#include "ui/table/row_positions.h"

namespace dlview::ui {
namespace {

constexpr float kShortestThumb = 28;

Box thumb_box(const Frame& frame, const Box& trough, ScrollAxis axis, const Thumb& thumb) {
  const float near = frame.px(2);
  const float far = frame.px(1);
  if (axis == ScrollAxis::down) {
    const float top = trough.top + thumb.offset;
    return {trough.left + near, top, trough.right - far, top + thumb.length};
  }
  const float left = trough.left + thumb.offset;
  return {left, trough.top + near, left + thumb.length, trough.bottom - far};
}

}  // namespace

double ScrollBar::draw(Frame& frame, std::string_view name, const Box& trough, ScrollAxis axis,
                       double scroll, double total, double view) {
  const bool down = axis == ScrollAxis::down;
  const float length = down ? trough.height() : trough.width();
  const Thumb thumb = place_thumb(scroll, total, view, length, frame.px(kShortestThumb));
  if (thumb.length == 0) return scroll;
  const Hit hit = hit_area(frame, name, trough);
  const ImVec2 at = ImGui::GetIO().MousePos;
  const float mouse = down ? at.y - trough.top : at.x - trough.left;
  if (hit.held && !grabbed_) {
    const bool on_thumb = mouse >= thumb.offset && mouse <= thumb.offset + thumb.length;
    grabbed_ = on_thumb ? mouse - thumb.offset : thumb.length / 2;
  }
  if (!hit.held) grabbed_.reset();
  const bool lit = hit.hovered || hit.held;
  fill(thumb_box(frame, trough, axis, thumb), lit ? frame.palette().dim : frame.palette().line,
       frame.px(3));
  return grabbed_ ? scroll_of_thumb(mouse - *grabbed_, total, view, length, thumb.length) : scroll;
}

}  // namespace dlview::ui
