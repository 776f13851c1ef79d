// How two iterations side by side look, and what they tell of the pointer.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/chart/iteration_name.h"
#include "ui/views/timeline/overlay.h"
#include "ui/views/timeline/ruler.h"
#include "ui/views/timeline/side_by_side.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Place;

constexpr std::array<std::string_view, 2> kNames{"timeline/first", "timeline/second"};
constexpr float kTitleHeight = 32;
constexpr float kFlagsHeight = 13;
// As small as the panel makes a band, and as a low window does.
constexpr float kLeastBand = 90, kSmallestBand = 24;
// The panel of differences, with the gaps around it: at first, and as small as it is worth drawing;
// where the hand asks for less it is folded away.
constexpr float kPanelShare = 0.3f, kLeastAtFirst = 203, kLeastPanel = 150;
constexpr float kRoomBelowLanes = 6;
constexpr float kGripWidth = 40, kGripHeight = 4;
constexpr float kInset = 12;
constexpr float kIterationFieldWidth = 84;

// "15.1 ms shorter", than the first one.
std::string length_against_first(const PairData& pair) {
  const int64_t more_ns =
      pair.events(1).iteration().duration_ns() - pair.events(0).iteration().duration_ns();
  if (more_ns == 0) return "same duration";
  return fmt::format("{} {}", base::format_duration(std::abs(more_ns)),
                     more_ns > 0 ? "longer" : "shorter");
}

// "Step 30 · 95.2 ms · slowest of the range", "80.1 ms · typical · 15.1 ms shorter".
std::string title_of(const profile::Profile& profile, const aggregate::Iterations& iterations,
                     const PairData& pair, std::size_t side) {
  const int64_t number = pair.iteration(side);
  std::string text = aggregate::range_label(iterations, number);
  const auto add = [&text](std::string_view part) {
    if (!text.empty() && !part.empty()) text += " · ";
    text += part;
  };
  add(base::format_duration(pair.events(side).iteration().duration_ns()));
  if (side == 0 && pair.compared().is_slowest) add("slowest of the range");
  if (side == 1 && pair.compared().is_typical) add("typical");
  if (side == 1) add(length_against_first(pair));
  add(edge_note(profile, iterations, number));
  return text;
}

float height_around_bands(const Frame& frame) {
  return frame.px(kRulerHeight) + 2 * frame.px(kTitleHeight);
}

// As high as a band is at most.
float height_of_lanes(const Frame& frame, const TimelineLayout& layout) {
  return layout.height + frame.px(kRoomBelowLanes);
}

float most_of_panel(const Frame& frame, const Box& box) {
  return std::max(frame.px(kLeastPanel),
                  box.height() - height_around_bands(frame) - 2 * frame.px(kLeastBand));
}

void draw_why_not(Frame& frame, const Box& box, bool is_being_made) {
  if (is_being_made) {
    return draw_timeline_page(frame, box, "Matching events…",
                              "Finding the events of both iterations…");
  }
  if (frame.model.aggregation->iteration_table->iterations.rows.size() < 2) {
    return draw_timeline_page(
        frame, box, "Only one iteration",
        "Two iterations are needed. Choose an iteration marker in the Iterations view.");
  }
  draw_timeline_page(frame, box, "Finding the typical iteration…", "Comparing all iterations…");
}

}  // namespace

// Folded away only its edge stays.
float SideBySide::panel_height(const Frame& frame, const Box& box) const {
  if (is_panel_folded_) return frame.px(kGap);
  const float least = frame.px(panel_share_ ? kLeastPanel : kLeastAtFirst);
  return std::min(std::max(least, box.height() * panel_share_.value_or(kPanelShare)),
                  most_of_panel(frame, box));
}

void SideBySide::drag_panel(Frame& frame, const Box& box) {
  const Box edge{box.left, bands_bottom_, box.right, bands_bottom_ + frame.px(kGap)};
  const float left = std::round((edge.left + edge.right - frame.px(kGripWidth)) / 2);
  const float top = std::round((edge.top + edge.bottom - frame.px(kGripHeight)) / 2);
  fill({left, top, left + frame.px(kGripWidth), top + frame.px(kGripHeight)}, frame.palette().line,
       frame.px(kGripHeight / 2));
  const EdgeGrip::Move move = panel_edge_.draw(frame, "timeline/differences_edge", edge);
  if (move.resets) {
    panel_share_.reset();
    is_panel_folded_ = false;
  }
  if (!move.top || *move.top == edge.top) return;
  const float left_by_lanes =
      box.height() - height_around_bands(frame) - 2 * height_of_lanes(frame, *layout_);
  const float height =
      std::max(std::min(box.bottom - *move.top, most_of_panel(frame, box)), left_by_lanes);
  is_panel_folded_ = height < frame.px(kLeastPanel);
  if (!is_panel_folded_) panel_share_ = height / box.height();
}

// The bands get what the lower panel leaves, the panel what they do not need.
void SideBySide::lay_out(const Frame& frame, const Box& box, const Scene& scene) {
  const float names = std::min(frame.px(kTimelineNamesWidth), box.width() / 4);
  const float left = std::round(box.left + names), right = std::round(box.right - frame.px(kGap));
  const auto columns = std::max<int64_t>(1, static_cast<int64_t>(right - left));
  layout_.update(scene.lanes, {scene.folded, timeline_heights(frame),
                               navigator_.window().length_ns / columns, 0, pair_.lines()});
  const float both = box.height() - height_around_bands(frame) - panel_height(frame, box);
  const float room = std::max(frame.px(kSmallestBand), both / 2);
  const float height = std::round(std::min(room, height_of_lanes(frame, *layout_)));
  names_left_ = box.left;
  ruler_top_ = box.top;
  float top = box.top + frame.px(kRulerHeight);
  for (std::size_t side = 0; side < 2; ++side) {
    top += frame.px(kTitleHeight);
    plots_[side].name = kNames[side];
    plots_[side].box = {left, std::round(top), right, std::round(top + height)};
    top += height;
  }
  bands_bottom_ = std::round(top);
  const float most = std::max(0.0f, layout_->height - height);
  if (reveals_ && selected_) {
    const TimelineRow* row = layout_->find(selected_->place);
    if (row != nullptr && (row->top < scroll_ || row->bottom > scroll_ + height)) {
      scroll_ = row->top - height / 2;
    }
  }
  reveals_ = false;
  scroll_ = std::round(std::clamp(scroll_, 0.0f, most));
}

TimelineLooks SideBySide::looks(std::size_t side, const Scene& scene) {
  return {scene.colors, scene.hits, &pair_.events(side), pair_.lit(subject_, scene.background),
          scene.rules};
}

TimelineRows SideBySide::rows(Frame& frame, std::size_t side, const Scene& scene,
                              const TimelineLooks& looks) {
  pictures_[side].begin(scene.lanes.get(), plots_[side].map);
  return {frame, *scene.lanes, *layout_, plots_[side], pictures_[side], looks};
}

void SideBySide::draw_title(Frame& frame, std::size_t side, bool is_typing) {
  const Palette& colors = frame.palette();
  const TimelinePlot& plot = plots_[side];
  const Box box{names_left_, plot.box.top - frame.px(kTitleHeight), plot.box.right + frame.px(kGap),
                plot.box.top};
  fill(box, colors.panel);
  horizontal_line(box.left, box.right, box.top, colors.line);
  const aggregate::Iterations& iterations = frame.model.aggregation->iteration_table->iterations;
  const auto last = static_cast<int64_t>(iterations.rows.size()) - 1;
  draw_text_in(frame.fonts().strong,
               {box.left + frame.px(kInset), box.top, plot.box.left, box.bottom}, colors.text,
               "Iteration");
  const float top = std::round((box.top + box.bottom - frame.px(kControlHeight)) / 2);
  const float right = plot.box.left - frame.px(8);
  const Box field{right - frame.px(kIterationFieldWidth), top, right,
                  top + frame.px(kControlHeight)};
  const NumberEdit edit = draw_number_field(frame, fmt::format("{}/iteration", plot.name), field,
                                            pair_.iteration(side), {0, last, 0, last});
  if (edit.value && side == 0) frame.host.select_iteration(edit.value);
  if (edit.value && side == 1) frame.host.select_baseline(edit.value);
  const std::string title = title_of(*frame.model.profile, iterations, pair_, side);
  frame.inspector.record_value(fmt::format("{}/title", plot.name), title);
  const std::string_view label = side == 0 ? "" : "Swap";
  const float button = side == 0 ? 0 : button_width(frame, label);
  const float text_right = plot.box.right - button - frame.px(12);
  const ImFont* font = frame.fonts().text;
  draw_text_cut(frame, font, plot.box.left + frame.px(4),
                box.top + std::round((box.height() - font_size(font)) / 2),
                text_right - plot.box.left, colors.text, title, CutAt::middle);
  // The field for a note lies over it.
  if (side == 0 || is_typing) return;
  if (draw_button(frame, "timeline/swap", plot.box.right - button, top, label)) {
    frame.host.run_command("iterations.swap");
  }
}

// Where the iteration ends; what is behind it is of others, but for work of its own.
void SideBySide::draw_end(Frame& frame, std::size_t side) const {
  const TimelinePlot& plot = plots_[side];
  const float x = plot.x_of(pair_.events(side).iteration().stop_ns);
  frame.inspector.record_value(fmt::format("{}/end", plot.name),
                               fmt::format("{}", x - plot.box.left));
  if (x >= plot.box.right) return;
  const float left = std::max(x, plot.box.left);
  const Palette& colors = frame.palette();
  fill({left, plot.box.top, plot.box.right, plot.box.bottom}, with_opacity(colors.outside, 0.18f));
  if (x >= plot.box.left) fill({x, plot.box.top, x + 1, plot.box.bottom}, colors.dim);
}

void SideBySide::draw_chosen(Frame& frame, std::size_t side, const TimelineRows& rows,
                             const Scene& scene) {
  const auto of_this_side = [&](const Chosen& chosen) -> std::optional<Place> {
    return chosen.side == side ? chosen.place : partner(chosen, scene);
  };
  if (selected_) {
    if (const auto place = of_this_side(*selected_)) {
      draw_selection(frame, *scene.lanes, rows, plots_[side], *place, SelectedEvent());
    }
  }
  if (!pointed_ || pointed_ == selected_) return;
  const auto place = of_this_side(*pointed_);
  const auto box = place ? rows.box_of(*place) : std::nullopt;
  if (!box) return;
  outline({box->left - 1, box->top, box->right + 1, box->bottom}, frame.palette().accent,
          frame.px(2));
  frame.inspector.record_item(fmt::format("{}/pointed", plots_[side].name), item_rect(*box));
}

// Those of its time, at the foot of its title. One that was set where more was visible is shown
// alone.
void SideBySide::draw_bookmarks(Frame& frame, std::size_t side, BookmarkMarks& bookmarks) {
  const TimelinePlot& plot = plots_[side];
  const float title_top = plot.box.top - frame.px(kTitleHeight);
  const auto chosen = bookmarks.draw_flags(
      frame, plot, {plot.box.top - frame.px(kFlagsHeight), plot.box.top, title_top},
      pair_.events(side).time());
  if (!chosen) return;
  deselect();
  const timeline::TimeWindow& whole = navigator_.whole();
  const bool is_part = chosen->window.length_ns < whole.length_ns;
  const timeline::TimeWindow& shown = is_part ? chosen->window : chosen->time;
  const int64_t start_ns = shown.start_ns - this->start_ns(side);
  navigator_.jump(is_part ? timeline::TimeWindow{start_ns, shown.length_ns}
                          : timeline::fitted(start_ns, start_ns + shown.length_ns, whole));
}

void SideBySide::draw_band(Frame& frame, std::size_t side, BarLayer& bars, const Scene& scene) {
  const TimelinePlot& plot = plots_[side];
  const TimelineLooks looks = this->looks(side, scene);
  TimelineRows rows = this->rows(frame, side, scene, looks);
  ImGui::PushID(static_cast<int>(side));
  ImGui::PushClipRect({names_left_, plot.box.top}, {plot.box.right, plot.box.bottom}, true);
  TimelinePlot ruler = plot;
  ruler.map = {navigator_.window(), plot.map.columns()};
  draw_time_grid(frame, ruler);
  if (const auto group = rows.draw(names_left_, bars)) {
    if (scene.folded.erase(*group) == 0) scene.folded.insert(*group);
  }
  ImGui::PushClipRect({plot.box.left, plot.box.top}, {plot.box.right, plot.box.bottom}, true);
  draw_end(frame, side);
  draw_chosen(frame, side, rows, scene);
  if (side == measured_) measure_.draw(frame, *scene.lanes, plot);
  ImGui::PopClipRect();
  ImGui::PopClipRect();
  ImGui::PopID();
}

void SideBySide::draw_scroll_bars(Frame& frame) {
  for (std::size_t side = 0; side < 2; ++side) {
    const Box& box = plots_[side].box;
    const Box trough{box.right, box.top, box.right + frame.px(kGap), box.bottom};
    scroll_ = static_cast<float>(scroll_bars_[side].draw(
        frame, fmt::format("{}/scroll", kNames[side]), trough, ScrollAxis::down,
        static_cast<double>(scroll_), static_cast<double>(layout_->height),
        static_cast<double>(box.height())));
  }
}

void SideBySide::draw_panel(Frame& frame, const Box& box, Tables& tables) {
  const float gap = frame.px(kGap);
  const Box panel{box.left + gap, bands_bottom_ + gap, box.right - gap, box.bottom - gap};
  if (is_panel_folded_ || panel.height() <= 0) return tables.command.reset();
  if (!panel_.draw(frame, panel, pair_.facts(), tables)) return;
  selected_.reset();
  awaited_.reset();
  subject_ = panel_.subject();
  reveals_subject_ = subject_.has_value();
}

void SideBySide::draw(Frame& frame, const Box& box, BarLayer& bars, Tables& tables,
                      const Scene& scene) {
  if (!pair_.update(frame.model, scene.lanes, tables.background)) {
    const auto& table = *frame.model.aggregation->whole().iteration_table;
    if (table.iterations.rows.size() < 2) {
      leave_pair();
    } else {
      wait_for_pair();
    }
    tables.command.reset();
    return draw_why_not(frame, box, pair_.is_being_made());
  }
  show_whole_of_pair();
  lay_out(frame, box, scene);
  place_maps();
  for (const Order& order : std::exchange(orders_, {})) carry_out(order, scene);
  find_hit(std::exchange(wanted_hit_, 0), scene);
  reveal_subject(scene);
  show_awaited(scene);
  point_measure(frame, scene);
  for (std::size_t side = 0; side < 2; ++side) obey_hand(frame, side, scene);
  offer_event_menu(frame, scene);
  lay_out(frame, box, scene);
  place_maps();
  for (std::size_t side = 0; side < 2; ++side) {
    draw_title(frame, side, scene.bookmarks.is_editing_at(kNames[side]));
  }
  for (std::size_t side = 0; side < 2; ++side) draw_bookmarks(frame, side, scene.bookmarks);
  place_maps();
  for (std::size_t side = 0; side < 2; ++side) draw_band(frame, side, bars, scene);
  draw_scroll_bars(frame);
  TimelinePlot ruler = plots_[0];
  ruler.map = {navigator_.window(), plots_[0].map.columns()};
  fill({box.left, box.top, box.right, box.top + frame.px(kRulerHeight)}, frame.palette().panel);
  draw_time_ruler(frame, ruler, box.top);
  draw_pointer(frame, scene);
  drag_panel(frame, box);
  draw_panel(frame, box, tables);
}

using timeline::EventRef;

// On the ruler.
void SideBySide::draw_pointed_time(Frame& frame, float x, int64_t at_ns) const {
  const ImFont* font = frame.fonts().small;
  const std::string text = base::format_duration(at_ns);
  const float width = text_width(font, text) + frame.px(12);
  const Box& plot = plots_[0].box;
  const float left =
      std::round(std::clamp(x - width / 2, plot.left, std::max(plot.left, plot.right - width)));
  const Box box{left, ruler_top_ + frame.px(3), left + width,
                ruler_top_ + frame.px(kRulerHeight - 3)};
  fill(box, frame.palette().raised, frame.px(3));
  draw_text_in(font, box, frame.palette().text, text, true);
  frame.inspector.record_value("timeline/pointed_time", text);
}

// The same time in both, and what is at the pointer with what does the same in the other.
void SideBySide::draw_pointer(Frame& frame, const Scene& scene) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  pointed_.reset();
  if (measure_.is_on() || (drag_ && drag_->moved)) return;
  for (std::size_t side = 0; side < 2; ++side) {
    const TimelinePlot& plot = plots_[side];
    if (!hovered(plot.box)) continue;
    const float x = std::floor(mouse.x);
    for (const TimelinePlot& both : plots_) {
      fill({x, both.box.top, x + 1, both.box.bottom}, with_opacity(frame.palette().accent, 0.6f));
    }
    draw_pointed_time(frame, x, plot.time_at(mouse.x) - start_ns(side));
    const TimelineLooks looks = this->looks(side, scene);
    TimelineRows rows = this->rows(frame, side, scene, looks);
    if (const auto busy = rows.busy_text(mouse.x, mouse.y)) return show_tooltip(frame, *busy);
    const auto hit = rows.hit(mouse.x, mouse.y);
    if (!hit) return;
    if (hit->mark.is_fold()) return show_mark_tooltip(frame, *scene.lanes, *hit);
    pointed_ = Chosen{side, hit->place};
    return show_pointed(frame, scene);
  }
}

void SideBySide::show_pointed(Frame& frame, const Scene& scene) {
  const timeline::Events& events = scene.lanes->events;
  const auto line_of = [&](const Chosen& chosen, const std::string& duration) {
    return TooltipText{TooltipStyle::value,
                       fmt::format("{} in iteration {}, starts at {}", duration,
                                   base::format_count(pair_.iteration(chosen.side)),
                                   timeline::time_text(relative_time(chosen, scene).start_ns))};
  };
  const auto duration_of = [&](const timeline::Place& place) {
    const base::Interval time = events.time(event_at(*scene.lanes, place));
    return time.stop_ns - time.start_ns;
  };
  const int64_t duration_ns = duration_of(pointed_->place);
  const EventRef event = event_at(*scene.lanes, pointed_->place);
  std::vector<TooltipText> lines{{TooltipStyle::name, events.name(event)}};
  if (!pair_.events(pointed_->side).contains(events, event)) {
    const TooltipText note{TooltipStyle::note, "Belongs to another iteration"};
    lines.insert(lines.end(), {line_of(*pointed_, base::format_duration(duration_ns)), note});
    return show_text_tooltip(frame, lines);
  }
  const std::size_t other_side = 1 - pointed_->side;
  const auto other = partner(*pointed_, scene);
  const base::ComparedDurations compared =
      base::format_compared(duration_ns, other ? duration_of(*other) : duration_ns);
  for (std::size_t side = 0; side < 2; ++side) {
    if (side == pointed_->side) lines.push_back(line_of(*pointed_, compared.value));
    if (side != pointed_->side && other) {
      lines.push_back(line_of({other_side, *other}, compared.baseline));
    }
  }
  const auto whose = pointed_ == selected_ ? PairData::Whose::selected : PairData::Whose::pointed;
  if (!other && !pair_.is_looking_for_partner(whose)) {
    lines.push_back(
        {TooltipStyle::note,
         fmt::format("No match in iteration {}", base::format_count(pair_.iteration(other_side)))});
  }
  if (other) {
    lines.push_back(
        {TooltipStyle::note, fmt::format("{} compared with iteration {}", compared.difference,
                                         base::format_count(pair_.iteration(other_side)))});
  }
  show_text_tooltip(frame, lines);
}

}  // namespace dlview::ui
