// What a hand does on two iterations side by side: a click, a drag, the wheel.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ui/views/timeline/event_details.h"
#include "ui/views/timeline/side_by_side.h"
#include "ui/views/timeline/window_controls.h"

namespace dlview::ui {

void SideBySide::obey_hand(Frame& frame, std::size_t side, const Scene& scene) {
  const TimelinePlot& plot = plots_[side];
  const ImGuiIO& io = ImGui::GetIO();
  const Hit hit = hit_area(frame, fmt::format("{}/plot", plot.name), plot.box);
  const float overflow = layout_->height - plot.box.height();
  if (hovered(plot.box) && !drag_) {
    TimelinePlot ruler = plot;
    ruler.map = {navigator_.window(), plot.map.columns()};
    scroll_ += turn_wheel(frame, ruler, overflow > 0, navigator_);
  }
  if (hit.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !measure_.is_on()) {
      click(frame, side, scene);
      return show_chosen(0, scene);
    }
    drag_ = Drag{io.MousePos.x, io.MousePos.y, scroll_, side};
    navigator_.begin_drag();
  }
  if (!drag_ || drag_->side != side) return;
  const float right = io.MousePos.x - drag_->x, down = io.MousePos.y - drag_->y;
  drag_->moved |= was_dragged(frame);
  if (hit.held && drag_->moved) {
    const double ns_per_pixel =
        static_cast<double>(navigator_.window().length_ns) / plot.map.columns();
    navigator_.drag(static_cast<int64_t>(std::round(static_cast<double>(-right) * ns_per_pixel)));
    scroll_ = drag_->scroll - down;
  }
  if (hit.held) return;
  if (hit.clicked && !drag_->moved) click(frame, side, scene);
  drag_.reset();
}

void SideBySide::click(Frame& frame, std::size_t side, const Scene& scene) {
  if (measure_.is_on()) return click_measure(frame, side, scene);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimelineLooks looks = this->looks(side, scene);
  choose(rows(frame, side, scene, looks).hit(mouse.x, mouse.y), side, scene);
}

// A right click on an event selects it and opens its menu.
void SideBySide::offer_event_menu(Frame& frame, const Scene& scene) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Box opens_at;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!ImGui::IsMouseReleased(ImGuiMouseButton_Right) || !hovered(plots_[side].box) ||
        measure_.is_on()) {
      continue;
    }
    const TimelineLooks looks = this->looks(side, scene);
    if (const auto hit = rows(frame, side, scene, looks).hit(mouse.x, mouse.y)) {
      choose(hit, side, scene);
      opens_at = {mouse.x, mouse.y, mouse.x + 1, mouse.y + 1};
    }
  }
  if (!selected_) return;
  const std::string name =
      full_event_name(*scene.lanes, event_at(*scene.lanes, selected_->place), SelectedEvent());
  carry_out(draw_event_menu(frame, opens_at, *scene.lanes, selected_->place, name, false), scene);
}

void SideBySide::carry_out(EventAction action, const Scene& scene) {
  switch (action) {
    case EventAction::none:
    case EventAction::select_time:
      return;
    case EventAction::zoom:
      return show_chosen(0, scene);
    case EventAction::next:
      return step_name(1, scene);
    case EventAction::previous:
      return step_name(-1, scene);
    case EventAction::search:
      return scene.search.begin(name_to_search(*scene.lanes, selected_->place));
  }
}

// What has been measured stays until something else is, in this band or the other one.
void SideBySide::click_measure(const Frame& frame, std::size_t side, const Scene& scene) {
  if (side != measured_ && measure_.is_fixed()) {
    measure_.restart();
    point_measure(frame, scene);
  }
  measure_.click();
}

// From one edge to another of the same band.
void SideBySide::point_measure(const Frame& frame, const Scene& scene) {
  const std::size_t over = hovered(plots_[1].box) ? 1 : 0;
  const bool is_over = hovered(plots_[over].box) && !(drag_ && drag_->moved);
  if (is_over && !measure_.has_first()) measured_ = over;
  measure_.set_origin(start_ns(measured_));
  measure_.point(frame, *scene.lanes, *layout_, plots_[measured_], is_over && over == measured_);
}

}  // namespace dlview::ui
