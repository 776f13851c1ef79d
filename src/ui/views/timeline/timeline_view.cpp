#include "ui/views/timeline/timeline_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/data_quality.h"
#include "ui/views/timeline/overlay.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Navigator;
using timeline::Place;

// Of the view, the panel below the lanes.
constexpr float kLowerShare = 0.32f, kMostLower = 0.45f;
constexpr float kLeastLower = 290;
constexpr float kBelowRows = 8;

// All events and all iterations, of which the first and the last may hold time without events.
timeline::TimeWindow whole_run(const Frame& frame, const timeline::Lanes& lanes) {
  const auto& iterations = frame.model.aggregation->whole().iteration_table->iterations.rows;
  if (iterations.empty()) return lanes.whole;
  return timeline::window_between(std::min(lanes.whole.start_ns, iterations.front().start_ns),
                                  std::max(lanes.whole.stop_ns(), iterations.back().stop_ns));
}

}  // namespace

std::optional<timeline::TimeWindow> TimelineView::window() const {
  if (request_ && request_->window) return request_->window;
  if (pair_.is_on()) return pair_.window();
  if (!lanes_ || navigator_.shows_whole()) return std::nullopt;
  return navigator_.window();
}

timeline::ColorBy TimelineView::colors() const {
  return request_ && request_->colors ? *request_->colors : colors_.by();
}

std::string TimelineView::status() const {
  if (!lanes_) return "";
  if (pair_.is_on()) return pair_.status();
  if (measure_.is_on()) return measure_.text();
  const double length = static_cast<double>(navigator_.window().length_ns);
  return fmt::format("view {} · {} per pixel", base::format_duration(length),
                     base::format_duration(length / columns_));
}

void TimelineView::begin(Frame& frame, const std::shared_ptr<const timeline::Lanes>& lanes) {
  if (lanes_ != lanes && lanes_ && &lanes_->events.profile() == &lanes->events.profile()) {
    lanes_ = lanes;  // with Python frames: all places stay what they are
    detailed_.reset();
  }
  if (lanes_ != lanes) {
    lanes_ = lanes;
    navigator_ = Navigator(lanes->whole);
    selected_.reset();
    stretch_.reset();
    gap_.reset();
    drag_.reset();
    measure_.end();
    detailed_.reset();
    scroll_ = 0;
  }
  navigator_.set_whole(whole_run(frame, *lanes));
  if (request_) apply(frame, *std::exchange(request_, std::nullopt));
}

TimelinePlot TimelineView::plot_in(const Frame& frame, const Box& box) const {
  TimelinePlot plot;
  const float right = selected_ ? box.right - frame.px(kEventPaneWidth) : box.right;
  plot.box = {std::round(box.left + std::min(frame.px(kTimelineNamesWidth), box.width() / 4)),
              std::round(box.top + frame.px(kRulerHeight + kIterationsHeight)),
              std::round(right - frame.px(kGap)), std::round(box.bottom)};
  plot.map = {navigator_.window(), std::max(1, static_cast<int32_t>(plot.box.width()))};
  plot.rows_top = plot.box.top;
  return plot;
}

// What is clicked stays under the pointer when its pane opens, unless the window has just been
// moved to where it is. What the pane alone has moved is back when it closes.
void TimelineView::make_room_for_pane(const Frame& frame, const Box& box) {
  const bool has_pane = selected_.has_value();
  const timeline::TimeWindow before = navigator_.window();
  const bool was_moved = before != drawn_window_;
  if (has_pane == std::exchange(had_pane_, has_pane)) return;
  const auto moved_by_pane = std::exchange(moved_by_pane_, std::nullopt);
  if (was_moved) return;
  const auto pane = static_cast<int64_t>(frame.px(kEventPaneWidth));
  const int64_t now = plot_in(frame, box).map.columns();
  navigator_.resize(now, has_pane ? now + pane : std::max<int64_t>(1, now - pane));
  if (has_pane) {
    navigator_.show_start(lanes_->events.time(event_at(*lanes_, *selected_)));
    moved_by_pane_ = MovedByPane{before, navigator_.window(), now};
  } else if (moved_by_pane && moved_by_pane->after == before &&
             moved_by_pane->columns == now - pane) {
    navigator_.restore(moved_by_pane->before);
  }
}

void TimelineView::draw_rows(Frame& frame, const Box& box, TimelinePlot& plot, BarLayer& bars,
                             Background& background) {
  ImGui::SetCursorScreenPos({box.left, plot.box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, frame.px(kGap));
  ImGui::BeginChild("timeline/rows",
                    {plot.box.right + frame.px(kGap) - box.left, plot.box.height()}, false,
                    ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  const float overflow = ImGui::GetScrollMaxY();
  // Where several runs are shown, their names stand above their rows.
  const float heading = others_.empty() ? 0 : run_heading_height(frame);
  if (reveals_selected_ && selected_) {
    const TimelineRow* row = layout_->find(*selected_);
    scroll_by_ = 0;
    const float top = ImGui::GetScrollY() - heading;
    if (row != nullptr && (row->top < top || row->bottom > top + plot.box.height())) {
      ImGui::SetScrollY(std::max(0.0f, heading + row->top - plot.box.height() / 2));
    }
    reveals_selected_ = false;
  }
  if (revealed_) scroll_to_revealed(plot, heading);
  float scroll = ImGui::GetScrollY();
  if (scroll_by_ != 0) {
    scroll = std::max(0.0f, scroll + std::exchange(scroll_by_, 0.0f));
    ImGui::SetScrollY(scroll);  // in the next frame
  }
  scroll_ = scroll - heading;
  plot.rows_top = plot.box.top - scroll_;
  pictures_.begin(lanes_.get(), plot.map);
  const TimelineLooks looks = this->looks(frame);
  {
    TimelineRows rows(frame, *lanes_, *layout_, plot, pictures_, looks);
    const Hit hit = hit_area(frame, "timeline/plot", plot.box);
    measure_.point(frame, *lanes_, *layout_, plot, hovered(plot.box) && !(drag_ && drag_->moved));
    if (hovered(plot.box) && !drag_) {
      const float down = turn_wheel(frame, plot, overflow > 0, navigator_);
      if (down != 0) ImGui::SetScrollY(ImGui::GetScrollY() + down);
    }
    drag(frame, hit, plot, rows);
  }
  plot.map = {navigator_.window(), plot.map.columns()};
  pictures_.begin(lanes_.get(), plot.map);
  draw_time_grid(frame, plot);
  TimelineRows rows(frame, *lanes_, *layout_, plot, pictures_, looks);
  if (const auto group = rows.draw(box.left, bars)) {
    if (folded_.erase(*group) == 0) folded_.insert(*group);
  }
  const float lacks_top = plot.rows_top + layout_->height + frame.px(kBelowRows);
  float bottom = draw_lacks(frame, {box.left + frame.px(24), lacks_top, frame.px(900)});
  lacks_height_ = std::ceil(bottom - lacks_top);
  if (heading > 0) {
    draw_run_heading(frame, plot, box.left, bottom, frame.model.runs[frame.model.active_run].name,
                     "current profile");
  }
  const auto selected = selected_ ? std::optional(event_at(*lanes_, *selected_)) : std::nullopt;
  others_.draw(frame, plot, box.left, bottom, selected, bars);
  bottom += others_.height(frame);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({plot.box.left, plot.box.top}, {plot.box.right, plot.box.bottom}, true);
  if (stretch_) draw_stretch(frame, plot, *stretch_);
  if (shows_gap()) draw_gap(frame, *lanes_, *layout_, plot, *gap_);
  if (selected_) {
    draw_selection(frame, *lanes_, rows, plot, *selected_, selected_event(background));
  }
  measure_.draw(frame, *lanes_, plot);
  list.PopClipRect();
  offer_event_menu(frame, plot, rows);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (std::exchange(was_clicked_, false)) {
    if (const auto chosen = others_.chosen_at(frame, mouse.x, mouse.y)) {
      frame.host.show_in_run(chosen->run, chosen->request);
    }
  }
  const bool is_dragging = drag_ && drag_->moved;
  if (hovered(plot.box) && !is_dragging && !measure_.is_on()) {
    if (const auto hit = rows.hit(mouse.x, mouse.y)) show_mark_tooltip(frame, *lanes_, *hit);
    if (const auto busy = rows.busy_text(mouse.x, mouse.y)) show_tooltip(frame, *busy);
    rows.show_samples_tooltip(mouse.x, mouse.y);
    others_.show_tooltip_at(frame, mouse.x, mouse.y);
  }
  // What the bar of a selected time covers can be scrolled above it.
  const bool fits = bottom - plot.rows_top + heading <= plot.box.height();
  ImGui::SetCursorScreenPos({box.left, bottom});
  ImGui::Dummy({1, fits ? 0 : frame.px(80)});
  ImGui::EndChild();
}

// The ruler of iterations shows the steps of torch.profiler that mark them: their lane is there
// only while one of them is selected, as by a search.
std::optional<Place> TimelineView::lane_shown_by_ruler(const Frame& frame) {
  const auto& table = frame.model.aggregation->iteration_table;
  if (steps_of_ != table || steps_in_ != lanes_) {
    steps_of_ = table;
    steps_in_ = lanes_;
    steps_ = timeline::lane_of_iterations(*lanes_, table->iterations);
  }
  const bool is_selected =
      steps_ && selected_ && selected_->group == steps_->group && selected_->lane == steps_->lane;
  return is_selected ? std::nullopt : steps_;
}

// Where the layout changes, as when lanes open, the line at the pointer stays where it is.
void TimelineView::lay_out(const Frame& frame, const TimelinePlot& plot) {
  const float y = scroll_ + (hovered(plot.box) ? ImGui::GetIO().MousePos.y - plot.box.top : 0);
  const TimelineRow* const row = layout_->at(y);
  const bool is_lane = row != nullptr && !row->is_heading();
  const auto place =
      is_lane ? std::optional(Place{row->group, row->lane, row->line, 0}) : std::nullopt;
  const float top = is_lane ? row->top : 0;
  const float below = frame.px(kBelowRows) + (lacks_height_ > 0 ? lacks_height_ : 0);
  const float room = others_.empty() ? plot.box.height() - below : 0;
  layout_.update(lanes_, {folded_, timeline_heights(frame), plot.column_ns(), room, nullptr,
                          lane_shown_by_ruler(frame)});
  const TimelineRow* const now = place ? layout_->find(*place) : nullptr;
  if (now != nullptr) scroll_by_ = std::round(now->top - top);
}

// What no lane tells of, for it was not recorded.
float TimelineView::draw_lacks(Frame& frame, const Area& area) const {
  float y = area.top;
  for (const profile::Evidence evidence :
       {profile::Evidence::gpu_work, profile::Evidence::api_calls, profile::Evidence::ranges}) {
    const std::string text = lack_text(*frame.model.profile, evidence);
    if (text.empty()) continue;
    y = draw_wrapped(frame.fonts().small, area.below(y), frame.palette().dim, text);
  }
  return y;
}

void TimelineView::draw_rulers(Frame& frame, const Box& box, const TimelinePlot& plot,
                               BarLayer& bars) {
  fill({box.left, box.top, plot.box.right + frame.px(kGap), plot.box.top}, frame.palette().panel);
  draw_time_ruler(frame, plot, box.top);
  const Box rulers{plot.box.left, box.top, plot.box.right, plot.box.top};
  if (hovered(rulers) && !drag_) turn_wheel(frame, plot, false, navigator_);
  const float iterations_top = box.top + frame.px(kRulerHeight);
  const IterationChoice choice =
      iteration_ruler_.draw(frame, plot, box.left, iterations_top, !bookmarks_.is_editing(), bars);
  if (choice.shown) apply(frame, {.window = {}, .iteration = choice.shown});
  if (choice.beside) begin_pair(frame, *choice.beside);
  if (const auto chosen =
          bookmarks_.draw_flags(frame, plot, {box.top, iterations_top, iterations_top})) {
    return show(*chosen);
  }
  if (bookmarks_.is_editing()) return;
  const Hit ruler =
      hit_area(frame, "timeline/ruler", {plot.box.left, box.top, plot.box.right, iterations_top},
               Reach::mouse);
  drag_rulers(frame, ruler.held || choice.held, plot);
}

void TimelineView::offer_stretch_actions(Frame& frame, const TimelinePlot& plot) {
  switch (draw_stretch_bar(frame, plot, *stretch_)) {
    case StretchAction::none:
      return;
    case StretchAction::zoom:
      return show_selection(0);
    case StretchAction::filter:
      return filter_time(frame);
    case StretchAction::clear:
      return stretch_.reset();
  }
}

// Nothing is known of it for a moment where there are many to be looked at.
const SelectedEvent& TimelineView::selected_event(Background& background) {
  constexpr std::size_t kAtOnce = 500'000;
  static const SelectedEvent kNothing;
  const profile::Profile& profile = lanes_->events.profile();
  const std::size_t calls = profile.trace ? profile.trace->api_calls.size() : 0;
  const std::size_t count = profile.kernels.size() + calls + profile.instances.forward.size();
  selected_event_.want({lanes_, *selected_}, count <= kAtOnce, background,
                       [lanes = lanes_, place = *selected_](const base::Progress&) {
                         return std::make_shared<const SelectedEvent>(*lanes, place);
                       });
  const auto& event = selected_event_.get();
  return selected_event_.is_late() || !event ? kNothing : *event;
}

void TimelineView::draw_details(Frame& frame, const Box& box, Background& background) {
  const SelectedEvent& event = selected_event(background);
  if (detailed_ != selected_ || detailed_event_ != &event ||
      detailed_for_ != frame.model.aggregation || detailed_by_ != frame.model.rules) {
    detailed_ = selected_;
    detailed_event_ = &event;
    detailed_for_ = frame.model.aggregation;
    detailed_by_ = frame.model.rules;
    details_ = prepare_event_details(*lanes_, *frame.model.aggregation, detailed_by_.get(),
                                     *selected_, event);
  }
  const EventPaneResult result = draw_event_pane(frame, box, details_);
  if (result.closed) selected_.reset();
  if (result.go_to) go_to(*result.go_to);
}

void TimelineView::draw(Frame& frame, const Box& whole, BarLayer& bars, Tables& tables) {
  fill(whole, frame.palette().background);
  const Box bar{whole.left, whole.top, whole.right, whole.top + frame.px(kTimelineBarHeight)};
  const float most = whole.height() * kMostLower;
  const float wanted = std::max(frame.px(kLeastLower), whole.height() * kLowerShare);
  const float lower = lower_ == LowerPanel::none ? 0 : std::round(std::min(most, wanted));
  const Box below_bar{whole.left, bar.bottom, whole.right, whole.bottom - lower};
  const Box box{whole.left, draw_frames_reading(frame, below_bar), whole.right, below_bar.bottom};
  const auto& lanes = frame.model.lanes;
  if (!lanes || lanes->groups.empty()) commands_.clear();
  if (!lanes) {
    return draw_timeline_page(frame, box, "Building the timeline…", "Sorting all events by time…");
  }
  begin(frame, lanes);
  if (lanes->groups.empty()) {
    return draw_timeline_page(frame, box, "No events recorded",
                              "The capture has no GPU activity, CUDA API calls, ops or NVTX "
                              "ranges. Record them with: nsys profile --trace=cuda,nvtx");
  }
  for (const Order& order : std::exchange(commands_, {})) {
    carry_out(frame, order, plot_in(frame, box));
  }
  search_.update(lanes_, tables.background);
  colors_.update(lanes_, tables.background);
  if (draw_pair(frame, {box.left, box.top, box.right, whole.bottom}, bars, tables)) {
    return draw_bar(frame, bar);
  }
  make_room_for_pane(frame, box);
  const bool was_alone = others_.empty();
  TimelinePlot plot = plot_in(frame, box);
  others_.update(frame, plot.column_ns(), colors_.by(), tables.background);
  if (was_alone != others_.empty()) {
    const bool shows_frames = shows_python_frames();
    std::swap(folded_, folded_beside_);
    if (was_alone && folded_.empty()) folded_ = threads_of(*lanes_);
    show_python_frames(shows_frames);
  }
  lay_out(frame, plot);
  columns_ = plot.map.columns();
  draw_rows(frame, box, plot, bars, tables.background);
  draw_rulers(frame, box, plot, bars);
  if (stretch_) offer_stretch_actions(frame, plot);
  drawn_window_ = navigator_.window();
  draw_bar(frame, bar);
  if (lower > 0)
    draw_lower_panel(frame, {whole.left, box.bottom, whole.right, whole.bottom}, tables);
  if (selected_) {
    draw_details(frame, {box.right - frame.px(kEventPaneWidth), box.top, box.right, box.bottom},
                 tables.background);
  }
}

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
  was_clicked_ = true;
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
