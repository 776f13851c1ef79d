#include "ui/views/timeline/timeline_notes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/timeline/time_text.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

void draw_timeline_page(Frame& frame, const Box& box, std::string_view title,
                        std::string_view text) {
  const float y = std::round(box.top + box.height() * 0.3f);
  const float width = std::min(frame.px(560), box.width() - frame.px(40));
  const Area area{std::round((box.left + box.right - width) / 2), y, width};
  draw_text(frame.fonts().strong, area.left, y, frame.palette().text, title);
  draw_wrapped(frame.fonts().text, area.below(y + line_height(frame.fonts().strong) + frame.px(6)),
               frame.palette().dim, text);
  frame.inspector.record_value("timeline/page", title);
}

void show_mark_tooltip(Frame& frame, const timeline::Lanes& lanes, const TimelineHit& hit) {
  const timeline::Line& line = line_at(lanes, hit.place);
  const timeline::EventRef event = line[hit.mark.longest];
  const base::Interval time = lanes.events.time(event);
  const std::string length = base::format_duration(time.stop_ns - time.start_ns);
  if (!hit.mark.is_fold()) {
    show_text_tooltip(frame, {{TooltipStyle::name, lanes.events.name(event)},
                              {TooltipStyle::value, length},
                              {TooltipStyle::note, timeline::time_text(time.start_ns)}});
    return;
  }
  show_text_tooltip(
      frame,
      {{TooltipStyle::heading,
        fmt::format("{} events are drawn as one", base::format_count(hit.mark.count))},
       {TooltipStyle::value, fmt::format("{} in all", base::format_duration(hit.mark.busy_ns))},
       {TooltipStyle::note, fmt::format("the longest, {}:", length)},
       {TooltipStyle::name, lanes.events.name(event)}});
}

}  // namespace dlview::ui
