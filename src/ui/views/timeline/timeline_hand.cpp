// What a hand does on the lanes of the Timeline: a click, a drag.

#include <cmath>

#include "ui/views/timeline/timeline_view.h"

namespace dlview::ui {
void TimelineView::click(const std::optional<TimelineHit>& hit) {
  stretch_.reset();
  selected_.reset();
  if (!hit) return;
  selected_ = hit->place;
  selected_->at = hit->mark.longest;
}

// An event, or on the busy times of a GPU a gap.
void TimelineView::click(TimelineRows& rows) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  click(rows.hit(mouse.x, mouse.y));
  if (const auto gap = rows.gap_at(mouse.x, mouse.y)) {
    gap_ = gap;
    stretch_ = gap->time;
  }
  has_clicked_ = has_selection();
}

// On what its first click selected, which may have opened the pane under the pointer: what the pane
// shows there is not meant.
void TimelineView::double_click() {
  has_clicked_ = false;
  show_selection(0);
  ImGui::GetIO().MouseClicked[ImGuiMouseButton_Left] = false;
}

// A right click on an event selects it and opens its menu.
void TimelineView::offer_event_menu(Frame& frame, const TimelinePlot& plot, TimelineRows& rows) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Box opens_at;
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right) && hovered(plot.box) && !measure_.is_on()) {
    if (const auto hit = rows.hit(mouse.x, mouse.y)) {
      click(hit);
      opens_at = {mouse.x, mouse.y, mouse.x + 1, mouse.y + 1};
    }
  }
  if (!selected_) return;
  carry_out(draw_event_menu(frame, opens_at, *lanes_, *selected_, details_.name, true));
}

void TimelineView::carry_out(EventAction action) {
  switch (action) {
    case EventAction::none:
      return;
    case EventAction::zoom:
      return show_selection(0);
    case EventAction::next:
      return step(1);
    case EventAction::previous:
      return step(-1);
    case EventAction::select_time: {
      const base::Interval time = lanes_->events.time(event_at(*lanes_, *selected_));
      stretch_ = timeline::window_between(time.start_ns, time.stop_ns);
      return;
    }
    case EventAction::search:
      return search_.begin(name_to_search(*lanes_, *selected_));
  }
}

// A hand on the rulers drags the run along.
void TimelineView::drag_rulers(const Frame& frame, bool held, const TimelinePlot& plot) {
  const float x = ImGui::GetIO().MousePos.x;
  if (held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    rulers_held_at_ = x;
    navigator_.begin_drag();
  }
  if (!held) rulers_held_at_.reset();
  if (rulers_held_at_ && was_dragged(frame)) pan_by(*rulers_held_at_ - x, plot);
}

// By so many pixels, since the hand went down.
void TimelineView::pan_by(float right, const TimelinePlot& plot) {
  const double ns_per_pixel =
      static_cast<double>(navigator_.window().length_ns) / plot.map.columns();
  navigator_.drag(static_cast<int64_t>(std::round(static_cast<double>(right) * ns_per_pixel)));
}

void TimelineView::drag(const Frame& frame, const Hit& hit, TimelinePlot& plot,
                        TimelineRows& rows) {
  if (has_clicked_ && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return double_click();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) has_clicked_ = false;
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    drag_ = Drag{io.MousePos.x, io.MousePos.y, ImGui::GetScrollY(), io.KeyCtrl, false};
    navigator_.begin_drag();
  }
  if (!drag_) return;
  const float right = io.MousePos.x - drag_->x, down = io.MousePos.y - drag_->y;
  drag_->moved |= was_dragged(frame);
  if (hit.held && drag_->moved) {
    if (drag_->selects) {
      const timeline::TimeWindow stretch =
          timeline::window_between(plot.time_at(drag_->x), plot.time_at(io.MousePos.x));
      stretch_ = timeline::inside(stretch, navigator_.whole());
    } else {
      pan_by(-right, plot);
      ImGui::SetScrollY(drag_->scroll - down);
    }
  }
  if (hit.held) return;
  if (hit.clicked && !drag_->moved) {
    measure_.is_on() ? measure_.click() : click(rows);
  }
  drag_.reset();
}

}  // namespace dlview::ui
