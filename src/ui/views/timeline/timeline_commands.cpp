// What commands and requests do to the Timeline: which window and which event it shows.

#include <algorithm>
#include <utility>

#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline/window_controls.h"

namespace dlview::ui {
namespace {

using timeline::Command;
using timeline::Place;

}  // namespace

void TimelineView::apply(Frame& frame, const timeline::Request& request) {
  if (request.colours) colours_.choose(*request.colours);
  if (request.side_by_side) return pair_.begin(request.window);
  pair_.end();
  if (request.window) {
    navigator_.jump(timeline::part_inside(*request.window, navigator_.whole()));
  }
  if (request.device) reveal(*request.device);
  if (request.stretch) {
    stretch_ = request.stretch;
    if (const auto gap = gap_of(request)) gap_ = gap;
    selected_.reset();
    show_selection(kRoomAround);
  }
  if (request.kernel) {
    if (go_to({timeline::EventKind::kernel, *request.kernel})) show_selection(kRoomAround);
  }
  if (request.instance) {
    if (go_to({timeline::EventKind::op, *request.instance})) show_selection(kRoomAround);
  }
  if (!request.iteration || request.window) return;
  const auto& rows = frame.model.aggregation->iteration_table->iterations.rows;
  const auto last = static_cast<int64_t>(rows.size()) - 1;
  const auto& row =
      rows[static_cast<std::size_t>(std::clamp<int64_t>(*request.iteration, 0, last))];
  navigator_.jump(timeline::fitted(row.start_ns, row.stop_ns, navigator_.whole()));
}

std::optional<base::Interval> TimelineView::selected_time() const {
  if (stretch_) return base::Interval{stretch_->start_ns, stretch_->stop_ns()};
  if (selected_) return lanes_->events.time(event_at(*lanes_, *selected_));
  return std::nullopt;
}

void TimelineView::show_selection(int64_t parts_around) {
  const auto time = selected_time();
  if (!time) return;
  const int64_t room = std::max<int64_t>(1, time->stop_ns - time->start_ns) * parts_around;
  navigator_.jump(
      timeline::fitted(time->start_ns - room, time->stop_ns + room, navigator_.whole()));
  reveals_selected_ = selected_ && !stretch_;
}

// Brings an event into view and selects it.
void TimelineView::show(const Place& place) {
  selected_ = place;
  stretch_.reset();
  folded_.erase(lanes_->groups[place.group].id);
  const base::Interval time = lanes_->events.time(event_at(*lanes_, place));
  navigator_.jump(
      timeline::revealing(navigator_.window(), time.start_ns, time.stop_ns, navigator_.whole()));
  reveals_selected_ = true;
}

bool TimelineView::go_to(timeline::EventRef event) {
  const auto place = find_place(*lanes_, event);
  if (place) show(*place);
  return place.has_value();
}

void TimelineView::step(int direction) {
  if (!selected_) return;
  if (const auto next = next_of_name(*lanes_, *selected_, direction)) show(*next);
}

void TimelineView::filter_time(Frame& frame) {
  const auto time = selected_time();
  // Filters ask for times of the run; there is room around it on screen.
  if (!time || time->stop_ns < 0 || time->start_ns > frame.model.profile->last_ns) return;
  aggregate::Selection selection = frame.model.selection;
  std::erase_if(selection.filters, [](const aggregate::Filter& filter) {
    return filter.kind == aggregate::FilterKind::time;
  });
  selection.filters.push_back({.kind = aggregate::FilterKind::time,
                               .window = {std::max<int64_t>(0, time->start_ns), time->stop_ns}});
  selection.filters = aggregate::canonical(std::move(selection.filters));
  frame.host.select(selection);
}

void TimelineView::carry_out(Frame& frame, const Order& order, const TimelinePlot& plot) {
  drag_.reset();  // a command ends what the hand does
  if (carry_out_anywhere(frame, order.command)) return;
  if (pair_.is_on()) return pair_.run(order.command, order.steps);
  if (move_window(navigator_, order.command, order.steps, plot)) return;
  switch (order.command) {
    case Command::show_selection:
      return show_selection(kRoomAround);
    case Command::zoom_to_selection:
      return show_selection(0);
    case Command::whole_run:
      return navigator_.jump(navigator_.whole());
    case Command::back:
      return navigator_.back();
    case Command::next:
      return step(1);
    case Command::previous:
      return step(-1);
    case Command::filter_time:
      return filter_time(frame);
    case Command::measure:
      return measure_.toggle();
    case Command::gaps:
      return toggle(LowerPanel::gaps);
    case Command::bookmark:
      return set_bookmark();
    case Command::bookmarks:
      return toggle(LowerPanel::bookmarks);
    default:
      return;
  }
}

}  // namespace dlview::ui
