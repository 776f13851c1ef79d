// What the Timeline offers beside its window and its selection: the search, the panels below the
// lanes, bookmarks.

#include <cmath>

#include "ui/views/timeline/timeline_view.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {

// From the selected event on, or else from what is visible.
void TimelineView::step_hit(int direction) {
  const timeline::NameHits* hits = search_.hits();
  if (hits == nullptr) return;
  const timeline::TimeWindow window = navigator_.window();
  const auto next = selected_
                        ? hits->next(*selected_, direction)
                        : hits->next(direction > 0 ? window.start_ns : window.stop_ns(), direction);
  if (next) show(*next);
}

// First what is measured, then what is selected, then the search.
void TimelineView::deselect() {
  if (measure_.is_on()) return measure_.end();
  if (stretch_) return stretch_.reset();
  if (selected_) return selected_.reset();
  search_.end();
}

TimelineLooks TimelineView::looks(const Frame& frame) const {
  return {colours_.colours(frame, *lanes_), search_.hits()};
}

// The heading of a GPU comes to the top, if it is not visible.
void TimelineView::reveal_device(const TimelinePlot& plot) {
  const float top = ImGui::GetScrollY();
  for (const TimelineRow& row : layout_->rows) {
    if (row.kind != TimelineRowKind::heading || lanes_->groups[row.group].device != *revealed_) {
      continue;
    }
    if (row.top < top || row.bottom > top + plot.box.height()) ImGui::SetScrollY(row.top);
  }
  revealed_.reset();
}

void TimelineView::toggle(LowerPanel panel) {
  lower_ = lower_ == panel ? LowerPanel::none : panel;
  if (lower_ == LowerPanel::gaps) gaps_.begin(selected_gpu());
}

// The GPU that ran the selected event.
std::optional<int64_t> TimelineView::selected_gpu() const {
  if (!selected_) return std::nullopt;
  const profile::Row device = lanes_->groups[selected_->group].device;
  if (device == profile::kNoRow) return std::nullopt;
  return lanes_->events.profile().devices[device].device_id;
}

// At what is selected, or else at all that is visible.
void TimelineView::set_bookmark() {
  const timeline::TimeWindow window = navigator_.window();
  const auto time = selected_time();
  const timeline::TimeWindow marked =
      time ? timeline::window_between(time->start_ns, time->stop_ns) : window;
  bookmarks_.add({.time = marked, .window = window});
}

void TimelineView::show(const timeline::Bookmark& bookmark) {
  navigator_.jump(bookmark.window);
  selected_.reset();
  stretch_.reset();
  if (bookmark.time != bookmark.window) stretch_ = bookmark.time;
}

void TimelineView::draw_lower_panel(Frame& frame, const Box& box, Tables& tables) {
  const float gap = frame.px(kGap);
  const Box panel{box.left + gap, box.top + gap, box.right - gap, box.bottom - gap};
  if (lower_ == LowerPanel::gaps) {
    if (const auto chosen = gaps_.draw(frame, panel, tables)) apply(frame, *chosen);
  } else {
    const auto& iterations = frame.model.aggregation->iteration_table->iterations;
    if (const auto chosen = bookmarks_.draw_list(frame, panel, iterations)) show(*chosen);
  }
}

}  // namespace dlview::ui
