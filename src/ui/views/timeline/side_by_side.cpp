#include "ui/views/timeline/side_by_side.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/views/timeline/event_details.h"

namespace dlview::ui {
namespace {

using timeline::EventRef;
using timeline::Navigator;
using timeline::Place;
using timeline::Subject;
using timeline::TimeWindow;

// Behind the end of the longer one, of its length.
constexpr int64_t kRoomParts = 50;

TimeWindow moved(const TimeWindow& window, int64_t by_ns) {
  return {window.start_ns + by_ns, window.length_ns};
}

}  // namespace

void SideBySide::begin(std::optional<TimeWindow> window) {
  is_on_ = true;
  wanted_ = window;
  navigates_ = {-1, -1};
  deselect();
}

void SideBySide::end() {
  is_on_ = false;
  leave_pair();
}

void SideBySide::leave_pair() {
  wait_for_pair();
  wanted_.reset();
  measure_.end();
}

void SideBySide::wait_for_pair() {
  wanted_ = window();
  navigates_ = {-1, -1};
  for (const Order& order : std::exchange(orders_, {})) {
    if (order.command == TimelineCommand::measure) measure_.toggle();
  }
  shown_.clear();
  wanted_hit_ = 0;
  drag_.reset();
  measure_.restart();
  deselect();
}

bool SideBySide::deselect() {
  const bool had_any = selected_ || subject_;
  selected_.reset();
  awaited_.reset();
  subject_.reset();
  reveals_subject_ = false;
  panel_.deselect();
  return had_any;
}

void SideBySide::step_hit(int direction) {
  wanted_hit_ = direction;
}

std::optional<TimeWindow> SideBySide::window() const {
  if (wanted_) return wanted_;
  if (navigates_[0] < 0 || navigator_.shows_whole()) return std::nullopt;
  return navigator_.window();
}

std::string SideBySide::status() const {
  if (navigates_[0] < 0) return "";
  if (measure_.is_on()) return measure_.text();
  if (awaited_) {
    return fmt::format("Finding the matching event in iteration {}…",
                       base::format_count(pair_.iteration(1 - selected_->side)));
  }
  const auto length = static_cast<double>(navigator_.window().length_ns);
  return fmt::format("view {} · {} per pixel", base::format_duration(length),
                     base::format_duration(length / plots_[0].map.columns()));
}

int64_t SideBySide::start_ns(std::size_t side) const {
  return pair_.events(side).iteration().start_ns;
}

// For another pair all of it, or the part that was shown of the last one.
void SideBySide::show_whole_of_pair() {
  const std::array<int64_t, 2> now{pair_.iteration(0), pair_.iteration(1)};
  const int64_t length_ns = pair_.length_ns();
  const TimeWindow whole{0, length_ns + std::max<int64_t>(1, length_ns / kRoomParts)};
  if (navigates_ == now && navigator_.whole() == whole) return;
  const bool keeps = navigates_[0] >= 0 && !navigator_.shows_whole();
  const std::optional<TimeWindow> kept = keeps ? std::optional(navigator_.window()) : wanted_;
  wanted_.reset();
  navigates_ = now;
  navigator_ = Navigator(whole);
  if (kept) navigator_.jump(*kept);
  selected_.reset();
  awaited_.reset();
  drag_.reset();
  measure_.restart();
}

void SideBySide::place_maps() {
  shown_.clear();
  for (std::size_t side = 0; side < 2; ++side) {
    TimelinePlot& plot = plots_[side];
    const auto columns = std::max(1, static_cast<int32_t>(plot.box.width()));
    plot.map = {moved(navigator_.window(), start_ns(side)), columns};
    plot.rows_top = plot.box.top - scroll_;
    shown_.push_back(plot.map.window());
  }
}

std::optional<Place> SideBySide::partner(const Chosen& chosen, const Scene& scene) {
  const auto whose = chosen == selected_ ? PairData::Whose::selected : PairData::Whose::pointed;
  return pair_.partner(whose, chosen.place, chosen.side, scene.background);
}

base::Interval SideBySide::relative_time(const Chosen& chosen, const Scene& scene) const {
  base::Interval time = scene.lanes->events.time(event_at(*scene.lanes, chosen.place));
  time.start_ns -= start_ns(chosen.side);
  time.stop_ns -= start_ns(chosen.side);
  return time;
}

bool SideBySide::is_looking_for_partner() const {
  return pair_.is_looking_for_partner(PairData::Whose::selected);
}

// The selected event, and what does the same in the other iteration.
void SideBySide::show_chosen(int64_t parts_around, const Scene& scene) {
  awaited_.reset();
  if (!selected_) return;
  const auto other = partner(*selected_, scene);
  if (!other && is_looking_for_partner()) {
    awaited_ = Awaited{parts_around, navigator_.window(), scroll_};
    return;
  }
  base::Interval time = relative_time(*selected_, scene);
  if (other) {
    const base::Interval there = relative_time({1 - selected_->side, *other}, scene);
    time = {std::min(time.start_ns, there.start_ns), std::max(time.stop_ns, there.stop_ns)};
  }
  const int64_t room = std::max<int64_t>(1, time.stop_ns - time.start_ns) * parts_around;
  navigator_.jump(timeline::fitted(time.start_ns - room, time.stop_ns + room, navigator_.whole()));
  reveals_ = true;
}

void SideBySide::show_awaited(const Scene& scene) {
  if (!awaited_) return;
  if (awaited_->window != navigator_.window() || awaited_->scroll != scroll_) {
    return awaited_.reset();
  }
  if (!is_looking_for_partner()) show_chosen(awaited_->parts_around, scene);
}

void SideBySide::show(const Chosen& chosen, const Scene& scene) {
  choose(TimelineHit{chosen.place,
                     {.first = static_cast<uint32_t>(chosen.place.at),
                      .longest = static_cast<uint32_t>(chosen.place.at)}},
         chosen.side, scene);
  unfold(scene.folded, *scene.lanes, chosen.place);
  const base::Interval time = relative_time(chosen, scene);
  navigator_.jump(
      timeline::revealing(navigator_.window(), time.start_ns, time.stop_ns, navigator_.whole()));
  reveals_ = true;
}

// With its op, or where kernels are listed a kernel's name, which is lit and found in the list.
void SideBySide::choose(const std::optional<TimelineHit>& hit, std::size_t side,
                        const Scene& scene) {
  deselect();
  if (!hit) return;
  Place place = hit->place;
  place.at = hit->mark.longest;
  selected_ = Chosen{side, place};
  const EventRef event = event_at(*scene.lanes, place);
  const profile::Profile& profile = scene.lanes->events.profile();
  const profile::InstanceIndex instance = instance_of(profile, event);
  if (panel_.rows_are() == DifferencesOf::kernel) {
    if (work_of(event).kind != timeline::EventKind::kernel) return;
    subject_ = Subject{DifferencesOf::kernel, profile.kernels.name[event.row]};
  } else if (instance != profile::kNoRow) {
    subject_ = Subject{DifferencesOf::op, profile.instances.op[instance]};
  }
  if (subject_) panel_.select(*subject_);
}

// What is selected in the table may be on lanes that are not visible: the ops' own come first where
// their time on the CPU differs.
void SideBySide::reveal_subject(const Scene& scene) {
  const timeline::SubjectEvents* lit =
      reveals_subject_ ? pair_.lit(subject_, scene.background) : nullptr;
  if (lit == nullptr) return;
  reveals_subject_ = false;
  const timeline::LaneKind wanted =
      panel_.is_of_cpu() ? timeline::LaneKind::ranges : timeline::LaneKind::stream;
  const float height = plots_[0].box.height();
  const TimelineRow* first = nullptr;
  const auto is_wanted = [&](const TimelineRow& row) {
    bool found = false;
    row.for_each_line([&](const TimelineRow& line) {
      found |= scene.lanes->groups[line.group].lanes[line.lane].kind == wanted &&
               lit->any_in({line.group, line.lane, line.line}, 0, SIZE_MAX);
    });
    return found;
  };
  for (const TimelineRow& row : layout_->rows) {
    if (!is_wanted(row)) continue;
    if (row.top >= scroll_ && row.bottom <= scroll_ + height) return;
    if (first == nullptr) first = &row;
  }
  if (first != nullptr) scroll_ = std::max(0.0f, first->top - height / 2);
}

void SideBySide::step_name(int direction, const Scene& scene) {
  if (!selected_) return;
  const auto next = next_of_name(*scene.lanes, selected_->place, direction);
  if (!next) return;
  const EventRef event = event_at(*scene.lanes, *next);
  if (pair_.events(selected_->side).contains(scene.lanes->events, event)) {
    show({selected_->side, *next}, scene);
  }
}

// The longer one behind the end of the first.
std::size_t SideBySide::visible_side() const {
  const auto end_ns = [this](std::size_t side) {
    return pair_.events(side).time().stop_ns - start_ns(side);
  };
  return navigator_.window().start_ns >= end_ns(0) && end_ns(1) > end_ns(0) ? 1 : 0;
}

// At the selected event, or else at what is visible of the first one, or of the other behind it.
void SideBySide::set_bookmark(const Scene& scene) {
  const std::size_t side = selected_ ? selected_->side : visible_side();
  const TimeWindow window = timeline::inside(moved(navigator_.window(), start_ns(side)),
                                             moved({0, pair_.length_ns()}, start_ns(side)));
  base::Interval marked = pair_.events(side).time();
  marked = {std::clamp(window.start_ns, marked.start_ns, marked.stop_ns),
            std::min(window.stop_ns(), marked.stop_ns)};
  if (selected_) marked = scene.lanes->events.time(event_at(*scene.lanes, selected_->place));
  const TimeWindow time = timeline::window_between(marked.start_ns, marked.stop_ns);
  scene.bookmarks.add({.time = time, .window = window}, plots_[side].name);
}

// Within the iteration whose event is selected, or else the first one; behind the last comes the
// first.
void SideBySide::find_hit(int direction, const Scene& scene) {
  if (scene.hits == nullptr || direction == 0) return;
  const std::size_t side = selected_ ? selected_->side : 0;
  const timeline::IterationEvents& own = pair_.events(side);
  const int64_t edge_ns = direction > 0 ? own.reach().start_ns : own.reach().stop_ns + 1;
  const auto place = selected_ ? scene.hits->next(selected_->place, direction, &own)
                               : scene.hits->next(edge_ns, direction, &own);
  if (place) show({side, *place}, scene);
}

void SideBySide::carry_out(const Order& order, const Scene& scene) {
  drag_.reset();  // a command ends what the hand does
  awaited_.reset();
  TimelinePlot ruler = plots_[0];
  ruler.map = {navigator_.window(), plots_[0].map.columns()};
  if (move_window(navigator_, order.command, order.steps, ruler)) return;
  switch (order.command) {
    case TimelineCommand::show_selection:
      return show_chosen(kRoomAround, scene);
    case TimelineCommand::zoom_to_selection:
      return show_chosen(0, scene);
    case TimelineCommand::next:
      return step_name(1, scene);
    case TimelineCommand::previous:
      return step_name(-1, scene);
    case TimelineCommand::measure:
      return measure_.toggle();
    case TimelineCommand::bookmark:
      return set_bookmark(scene);
    case TimelineCommand::differences:
      panel_.list(lists() == DifferencesOf::op ? DifferencesOf::kernel : DifferencesOf::op);
      subject_ = panel_.subject();
      return;
    default:
      return;
  }
}

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
