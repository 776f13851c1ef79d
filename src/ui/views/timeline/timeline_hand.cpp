// What a hand does on the lanes of the Timeline: a click, a drag.

#include <cmath>

#include "ui/views/timeline/timeline_view.h"

namespace dlview::ui {
namespace {

constexpr float kClickSlack = 3;

}  // namespace

void TimelineView::click(const std::optional<TimelineHit>& hit) {
  stretch_.reset();
  selected_.reset();
  if (!hit) return;
  selected_ = hit->place;
  selected_->at = hit->mark.longest;
}

void TimelineView::drag(const Frame& frame, const Hit& hit, TimelinePlot& plot,
                        TimelineRows& rows) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.held && !measure_.is_on() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    click(rows.hit(io.MousePos.x, io.MousePos.y));
    return show_selection(0);
  }
  if (hit.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    drag_ = Drag{io.MousePos.x, io.MousePos.y, ImGui::GetScrollY(), io.KeyCtrl, false};
    navigator_.begin_drag();
  }
  if (!drag_) return;
  const float right = io.MousePos.x - drag_->x, down = io.MousePos.y - drag_->y;
  drag_->moved |= std::abs(right) > frame.px(kClickSlack) || std::abs(down) > frame.px(kClickSlack);
  if (hit.held && drag_->moved) {
    if (drag_->selects) {
      const timeline::TimeWindow stretch =
          timeline::window_between(plot.time_at(drag_->x), plot.time_at(io.MousePos.x));
      stretch_ = timeline::inside(stretch, navigator_.whole());
    } else {
      const double ns_per_pixel =
          static_cast<double>(navigator_.window().length_ns) / plot.map.columns();
      navigator_.drag(static_cast<int64_t>(std::round(static_cast<double>(-right) * ns_per_pixel)));
      ImGui::SetScrollY(drag_->scroll - down);
    }
  }
  if (hit.held) return;
  if (hit.clicked && !drag_->moved) {
    measure_.is_on() ? measure_.click() : click(rows.hit(io.MousePos.x, io.MousePos.y));
  }
  drag_.reset();
}

}  // namespace dlview::ui
