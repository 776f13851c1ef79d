#include "ui/views/timeline/event_pane.h"

#include <algorithm>

#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kLabelWidth = 96;
constexpr std::size_t kMostNameLines = 6, kMostFactLines = 3;

// Returns the bottom.
float draw_event_name(Frame& frame, const Area& area, const EventDetails& details) {
  const ImFont* font = frame.fonts().mono;
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  float y = area.top;
  for (const std::string& line : wrap_name(details.name, area.width, kMostNameLines, measure)) {
    draw_text(font, area.left, y, frame.palette().text, line);
    y += line_height(font) + frame.px(2);
  }
  if (CopyMenu menu(frame, "timeline/details/name", {area.left, area.top, area.right(), y});
      menu.is_open()) {
    menu.item("name", "Copy name", [&] { return details.name; });
  }
  frame.inspector.record_value("timeline/details/name", details.name);
  return y;
}

// What does not fit beside its label stands below it.
float draw_event_facts(Frame& frame, const Area& area, const EventDetails& details) {
  const ImFont* font = frame.fonts().text;
  const auto measure = [font](std::string_view part) { return text_width(font, part); };
  const float left = area.left + frame.px(kLabelWidth);
  float y = area.top;
  for (const EventDetails::Fact& fact : details.facts) {
    draw_text(font, area.left, y, frame.palette().dim, fact.label);
    const float width = text_width(font, fact.value) + 1;
    frame.inspector.record_value("timeline/details/" + fact.id, fact.value);
    if (width <= area.right() - left) {
      draw_text(font, area.right() - width, y, frame.palette().text, fact.value);
      y += line_height(font) + frame.px(6);
      continue;
    }
    y += line_height(font) + frame.px(2);
    for (const std::string& line : wrap_name(fact.value, area.width, kMostFactLines, measure)) {
      draw_text(font, area.left, y, frame.palette().text, line);
      y += line_height(font) + frame.px(2);
    }
    y += frame.px(4);
  }
  return y;
}

}  // namespace

EventPaneResult draw_event_pane(Frame& frame, const Box& box, const EventDetails& details) {
  const Palette& colours = frame.palette();
  EventPaneResult result;
  fill(box, colours.panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, colours.line);
  ScrollArea scroll(frame, "timeline/details", {box.left + 1, box.top, box.right, box.bottom});
  const Area area = scroll.area();
  const Area body = draw_heading(frame, area, {details.kind, "", "", ""});
  result.closed = draw_close_button(frame, "timeline/details/close", area);
  float y = draw_event_name(frame, body, details) + frame.px(10);
  y = draw_event_facts(frame, body.below(y), details) + frame.px(8);
  for (const EventDetails::Link& link : details.links) {
    if (draw_button(frame, "timeline/go_to/" + link.id, body.left, y, link.label,
                    ButtonKind::accent)) {
      result.go_to = link.event;
    }
    y += frame.px(kControlHeight) + frame.px(6);
  }
  scroll.end_at(draw_samples(frame, body.below(y + frame.px(6)), details.samples));
  return result;
}

}  // namespace dlview::ui
