// What two iterations side by side tell of the pointer.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_name.h"
#include "ui/timeline/time_text.h"
#include "ui/views/timeline/ruler.h"
#include "ui/views/timeline/side_by_side.h"
#include "ui/views/timeline/timeline_notes.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

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
                       fmt::format("{} in iteration {}, from {} on", duration,
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
        {TooltipStyle::note, fmt::format("Iteration {} has none like it",
                                         base::format_count(pair_.iteration(other_side)))});
  }
  if (other) {
    lines.push_back(
        {TooltipStyle::note, fmt::format("{} against iteration {}", compared.difference,
                                         base::format_count(pair_.iteration(other_side)))});
  }
  show_text_tooltip(frame, lines);
}

}  // namespace dlview::ui
