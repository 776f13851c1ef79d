#include "ui/views/timeline/event_menu.h"

#include <string_view>

#include <fmt/format.h>

#include "ui/filters.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;
using profile::Profile;
using profile::Row;
using timeline::EventKind;
using timeline::EventRef;

void add_text(std::vector<Filter>& filters, FilterKind kind, std::string_view text) {
  if (!text.empty()) filters.push_back({.kind = kind, .text = std::string(text)});
}

void add_kernel(std::vector<Filter>& filters, const Profile& profile, Row kernel) {
  add_text(filters, FilterKind::kernel, profile.text(profile.kernels.name[kernel]));
  if (profile.kernels.uses_tensor_cores[kernel] != 0) {
    filters.push_back({.kind = FilterKind::tensor_core, .number = 1});
  }
}

void add_op(std::vector<Filter>& filters, const Profile& profile, Row instance) {
  const Row op = profile.instances.op[instance];
  add_text(filters, FilterKind::op, profile.text(profile.ops.id[op]));
  add_text(filters, FilterKind::op_type, profile.text(profile.ops.type[op]));
}

}  // namespace

std::vector<Filter> filters_of(const timeline::Lanes& lanes, const timeline::Place& place) {
  const Profile& profile = lanes.events.profile();
  const EventRef event = event_at(lanes, place);
  std::vector<Filter> filters;
  if (const EventRef work = work_of(event); work.kind == EventKind::kernel) {
    add_kernel(filters, profile, work.row);
  }
  if (const Row device = lanes.groups[place.group].device; device != profile::kNoRow) {
    filters.push_back({.kind = FilterKind::device, .number = profile.devices[device].device_id});
  }
  if (const Row instance = instance_of(profile, event); instance != profile::kNoRow) {
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
  offer("zoom", "Zoom to it", EventAction::zoom);
  offer("next", "Next of its name", EventAction::next);
  offer("previous", "Previous of its name", EventAction::previous);
  const base::Interval time = lanes.events.time(event_at(lanes, place));
  if (selects_stretches && time.stop_ns - time.start_ns >= timeline::kShortestWindowNs) {
    offer("select_time", "Select its time", EventAction::select_time);
  }
  offer("search", "Search for its name", EventAction::search);
  menu.item("name", "Copy name", [&] { return name; });
  for (const Filter& filter : filters_of(lanes, place)) {
    offer_filter(frame, menu, filter, fmt::format("filter_{}", to_text(filter.kind)));
  }
  return chosen;
}

}  // namespace dlview::ui
