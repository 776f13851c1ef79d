#include "ui/views/timeline/event_pane.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "ui/filters.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using timeline::EventKind;
using timeline::EventRef;

void add_text(std::vector<Filter>& filters, FilterKind kind, std::string_view text) {
  if (!text.empty()) filters.push_back({.kind = kind, .text = std::string(text)});
}

void add_kernel(std::vector<Filter>& filters, const Profile& profile, KernelIndex kernel) {
  add_text(filters, FilterKind::kernel, profile.text(profile.kernels.name[kernel]));
  if (profile.kernels.uses_tensor_cores[kernel] != 0) {
    filters.push_back({.kind = FilterKind::tensor_core, .number = 1});
  }
}

void add_op(std::vector<Filter>& filters, const Profile& profile, InstanceIndex instance) {
  const OpIndex op = profile.instances.op[instance];
  add_text(filters, FilterKind::op, profile.text(profile.ops.id[op]));
  add_text(filters, FilterKind::op_type, profile.text(profile.ops.type[op]));
}

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

std::vector<Filter> filters_of(const timeline::Lanes& lanes, const timeline::Place& place) {
  const Profile& profile = lanes.events.profile();
  const EventRef event = event_at(lanes, place);
  std::vector<Filter> filters;
  if (const EventRef work = work_of(event); work.kind == EventKind::kernel) {
    add_kernel(filters, profile, KernelIndex(work.row));
  }
  if (const DeviceIndex device = lanes.groups[place.group].device; device != profile::kNoRow) {
    filters.push_back({.kind = FilterKind::device, .number = profile.devices[device].device_id});
  }
  if (const InstanceIndex instance = instance_of(profile, event); instance != profile::kNoRow) {
    add_op(filters, profile, instance);
  }
  if (event.kind == EventKind::group) {
    const Row group = lanes.events.groups()[event.row].group;
    add_text(filters, FilterKind::group,
             aggregate::group_name(profile, lanes.events.group_tree().groups[group]));
  }
  return filters;
}

std::string name_to_search(const timeline::Lanes& lanes, const timeline::Place& place) {
  const EventRef event = event_at(lanes, place);
  return lanes.events.name(event.kind == EventKind::launch ? work_of(event) : event);
}

EventAction draw_event_menu(Frame& frame, const Box& box, const timeline::Lanes& lanes,
                            const timeline::Place& place, const std::string& name,
                            bool selects_stretches) {
  EventAction chosen = EventAction::none;
  CopyMenu menu(frame, "timeline/event_menu", box);
  if (!menu.is_open()) return chosen;
  const auto offer = [&](std::string_view id, std::string_view title, EventAction action) {
    menu.action(id, title, [&] { chosen = action; });
  };
  offer("zoom", "Zoom to event", EventAction::zoom);
  offer("next", "Next with this name", EventAction::next);
  offer("previous", "Previous with this name", EventAction::previous);
  const base::Interval time = lanes.events.time(event_at(lanes, place));
  if (selects_stretches && time.stop_ns - time.start_ns >= timeline::kShortestWindowNs) {
    offer("select_time", "Select this time", EventAction::select_time);
  }
  offer("search", "Search this name", EventAction::search);
  menu.item("name", "Copy name", [&] { return name; });
  for (const Filter& filter : filters_of(lanes, place)) {
    offer_filter(frame, menu, filter, fmt::format("filter_{}", to_text(filter.kind)));
  }
  return chosen;
}

EventPaneResult draw_event_pane(Frame& frame, const Box& box, const EventDetails& details) {
  const Palette& colors = frame.palette();
  EventPaneResult result;
  fill(box, colors.panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, colors.line);
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
