// What commands and requests do to the Timeline: which window and which event it shows, the search,
// the panels below the lanes, bookmarks, two iterations side by side.

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregate/compare.h"
#include "profile/python_frames.h"
#include "ui/views/timeline/plot_controls.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using timeline::Place;

}  // namespace

void TimelineView::apply(Frame& frame, const timeline::Request& request) {
  if (request.colors) colors_.choose(*request.colors);
  if (request.python_frames) show_python_frames(true);
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
    if (go_to({timeline::EventKind::kernel, *request.kernel}) && !request.window) {
      show_selection(kRoomAround);
    }
  }
  if (request.instance) {
    if (go_to({timeline::EventKind::op, *request.instance}) && !request.window) {
      show_selection(kRoomAround);
    }
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
  unfold(folded_, *lanes_, place);
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
    case TimelineCommand::show_selection:
      return show_selection(kRoomAround);
    case TimelineCommand::zoom_to_selection:
      return show_selection(0);
    case TimelineCommand::whole_run:
      return navigator_.jump(navigator_.whole());
    case TimelineCommand::back:
      return navigator_.back();
    case TimelineCommand::next:
      return step(1);
    case TimelineCommand::previous:
      return step(-1);
    case TimelineCommand::filter_time:
      return filter_time(frame);
    case TimelineCommand::measure:
      return measure_.toggle();
    case TimelineCommand::gaps:
      return toggle(LowerPanel::gaps);
    case TimelineCommand::bookmark:
      return set_bookmark();
    case TimelineCommand::bookmarks:
      return toggle(LowerPanel::bookmarks);
    default:
      return;
  }
}

bool TimelineView::carry_out_anywhere(Frame& frame, TimelineCommand command) {
  using enum TimelineCommand;
  using timeline::ColorBy;
  switch (command) {
    case deselect:
      this->deselect();
      return true;
    case search:
      search_.focus();
      return true;
    case next_hit:
      step_hit(1);
      return true;
    case previous_hit:
      step_hit(-1);
      return true;
    case next_colors:
      colors_.choose_next();
      return true;
    case color_by_category:
      colors_.choose(ColorBy::category);
      return true;
    case color_by_op_type:
      colors_.choose(ColorBy::op_type);
      return true;
    case color_by_op:
      colors_.choose(ColorBy::op);
      return true;
    case color_by_direction:
      colors_.choose(ColorBy::direction);
      return true;
    case python_frames:
      show_python_frames(!shows_python_frames());
      return true;
    case side_by_side:
      toggle_pair(frame);
      return true;
    default:
      return false;
  }
}

// From the selected event on, or else from what is visible.
void TimelineView::step_hit(int direction) {
  if (pair_.is_on()) return pair_.step_hit(direction);
  const timeline::NameHits* hits = search_.hits();
  if (hits == nullptr) return;
  const timeline::TimeWindow window = navigator_.window();
  const auto next = selected_
                        ? hits->next(*selected_, direction)
                        : hits->next(direction > 0 ? window.start_ns : window.stop_ns(), direction);
  if (next) show(*next);
}

// First what is measured, then what is selected, then the search; then the run is shown again.
void TimelineView::deselect() {
  if (pair_.is_on() && pair_.is_measuring()) return pair_.end_measuring();
  if (pair_.is_on() && pair_.deselect()) return;
  if (pair_.is_on()) return search_.is_on() ? search_.end() : pair_.end();
  if (measure_.is_on()) return measure_.end();
  if (stretch_) return stretch_.reset();
  if (selected_) return selected_.reset();
  search_.end();
}

// That of the selected time, or the one that fills most of the window; nothing where many are
// shown.
std::optional<int64_t> TimelineView::shown_iteration(const Frame& frame) const {
  constexpr int64_t kMostShown = 2;  // iterations as long as the one in the middle
  const aggregate::Iterations& iterations = frame.model.aggregation->iteration_table->iterations;
  const timeline::TimeWindow window = navigator_.window();
  const auto time = selected_time();
  const auto iteration =
      iteration_at(iterations, time ? time->start_ns : window.start_ns + window.length_ns / 2);
  if (time || !iteration) return iteration;
  const auto& row = iterations.rows[static_cast<std::size_t>(*iteration)];
  return window.length_ns / kMostShown <= row.duration_ns() ? iteration : std::nullopt;
}

// What is shown stands above the one that all are compared with; a typical one above the slowest.
void TimelineView::toggle_pair(Frame& frame) {
  if (pair_.is_on()) return pair_.end();
  const Model& model = frame.model;
  workspace::IterationPair pair = model.compared;
  if (const auto iteration = shown_iteration(frame)) pair.iteration = iteration;
  if (!pair.baseline && model.outliers && pair.iteration == model.outliers->typical) {
    pair.baseline = aggregate::slowest_iteration(*model.aggregation->whole().iteration_table,
                                                 model.aggregation->selection.range);
  }
  begin_pair(frame, pair);
}

void TimelineView::begin_pair(Frame& frame, const workspace::IterationPair& pair) {
  measure_.end();
  pair_.begin(std::nullopt);
  frame.host.select_iteration(pair.iteration);
  frame.host.select_baseline(pair.baseline);
}

// A frame that is hidden cannot be selected.
void TimelineView::show_python_frames(bool shows) {
  if (shows) {
    folded_.erase(std::string(kPythonFrames));
    return;
  }
  folded_.insert(std::string(kPythonFrames));
  const auto is_frame = [this](const std::optional<timeline::Place>& place) {
    return place && event_at(*lanes_, *place).kind == timeline::EventKind::frame;
  };
  if (is_frame(selected_)) selected_.reset();
  if (is_frame(pair_.selected_place())) pair_.deselect();
}

bool TimelineView::draw_pair(Frame& frame, const Box& box, BarLayer& bars, Tables& tables) {
  if (!pair_.is_on()) return false;
  pair_.draw(frame, box, bars, tables,
             {lanes_, colors_.colors(frame, *lanes_), search_.hits(), frame.model.rules.get(),
              search_, folded_, bookmarks_, tables.background});
  return true;
}

float TimelineView::draw_frames_reading(Frame& frame, const Box& box) {
  const Model& model = frame.model;
  const bool is_shown = lanes_ && lanes_->events.frames() != nullptr;
  if (!shows_python_frames() || is_shown || !model.profile ||
      profile::python_frame_count(*model.profile) == 0) {
    return box.top;
  }
  const Box bar{box.left, box.top, box.right, box.top + frame.px(kFramesBarHeight)};
  if (draw_frames_bar(frame, bar)) show_python_frames(false);
  return bar.bottom;
}

void TimelineView::draw_bar(Frame& frame, const Box& box) {
  const LowerPanel lower = !pair_.is_on()                       ? lower_
                           : pair_.lists() == DifferencesOf::op ? LowerPanel::differing_ops
                                                                : LowerPanel::differing_kernels;
  const auto selected = pair_.is_on() ? pair_.selected_place() : selected_;
  const int direction = draw_timeline_bar(frame, box, search_, colors_, lower,
                                          shows_python_frames(), *lanes_, selected);
  if (direction != 0) step_hit(direction);
}

std::vector<timeline::TimeWindow> TimelineView::marked() const {
  if (pair_.is_on()) return pair_.shown();
  const auto window = this->window();
  return window ? std::vector{*window} : std::vector<timeline::TimeWindow>{};
}

TimelineLooks TimelineView::looks(const Frame& frame) const {
  return {.colors = colors_.colors(frame, *lanes_),
          .hits = search_.hits(),
          .rules = frame.model.rules.get(),
          .gap = shows_gap() ? &*gap_ : nullptr};
}

void TimelineView::reveal(profile::DeviceIndex device) {
  revealed_ = device;
  for (const timeline::LaneGroup& group : lanes_->groups) {
    if (group.device == device) folded_.erase(group.id);
  }
}

// The heading of a GPU comes to the top, if it is not visible.
void TimelineView::scroll_to_revealed(const TimelinePlot& plot, float above) {
  const float top = ImGui::GetScrollY() - above;
  for (const TimelineRow& row : layout_->rows) {
    if (row.kind != TimelineRowKind::heading || lanes_->groups[row.group].device != *revealed_) {
      continue;
    }
    if (row.top < top || row.bottom > top + plot.box.height()) ImGui::SetScrollY(above + row.top);
  }
  revealed_.reset();
  scroll_by_ = 0;
}

void TimelineView::toggle(LowerPanel panel) {
  lower_ = lower_ == panel ? LowerPanel::none : panel;
  if (lower_ == LowerPanel::gaps) gaps_.begin(selected_gpu());
}

// As long as its time or its row is selected.
bool TimelineView::shows_gap() const {
  if (!gap_) return false;
  return stretch_ == gap_->time || (lower_ == LowerPanel::gaps && gaps_.selected() == gap_);
}

// The GPU that ran the selected event.
std::optional<int64_t> TimelineView::selected_gpu() const {
  if (!selected_) return std::nullopt;
  const profile::DeviceIndex device = lanes_->groups[selected_->group].device;
  if (device == profile::kNoRow) return std::nullopt;
  return lanes_->events.profile().devices[device].device_id;
}

// At what is selected, or else at all that is visible.
void TimelineView::set_bookmark() {
  const timeline::TimeWindow window = navigator_.window();
  const auto time = selected_time();
  const timeline::TimeWindow marked =
      time ? timeline::window_between(time->start_ns, time->stop_ns) : window;
  bookmarks_.add({.time = marked, .window = window}, TimelinePlot().name);
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
