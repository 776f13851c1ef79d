#include "ui/filters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;

bool has_filter(const aggregate::Selection& selection, const Filter& filter) {
  return std::ranges::find(selection.filters, filter) != selection.filters.end();
}

constexpr float kMostValue = 260;  // of a chip's text
constexpr float kInset = 10;
constexpr float kCross = 20;
constexpr std::string_view kOnly = "Only";
constexpr std::string_view kClear = "Clear all";

std::string kind_label(FilterKind kind) {
  switch (kind) {
    case FilterKind::op:
      return "Op";
    case FilterKind::op_type:
      return "Op type";
    case FilterKind::group:
      return "Group";
    case FilterKind::direction:
      return "Direction";
    case FilterKind::eligible:
      return "TC eligible";
    case FilterKind::kernel:
      return "Kernel";
    case FilterKind::device:
      return "GPU";
    case FilterKind::tensor_core:
      return "Tensor Cores";
    case FilterKind::time:
      return "Time";
  }
  return {};
}

// Several ops may have one name: then the id tells them apart.
std::string op_label(const profile::Profile& profile, const std::string& id_or_name) {
  const profile::OpIndex op = aggregate::op_named(profile, id_or_name);
  if (op == profile::kNoRow) return id_or_name;
  const profile::StringId name = profile.ops.name[op];
  const std::string_view id = profile.text(profile.ops.id[op]);
  const bool shared = std::ranges::count(profile.ops.name, name) > 1 && id == id_or_name;
  return shared ? fmt::format("{} · {}", profile.text(name), id) : std::string(profile.text(name));
}

std::string value_label(const profile::Profile& profile, const Filter& filter) {
  switch (filter.kind) {
    case FilterKind::op:
      return op_label(profile, filter.text);
    case FilterKind::eligible:
    case FilterKind::tensor_core:
      return filter.number != 0 ? "yes" : "no";
    case FilterKind::time:
      return timeline::span_text(
          {filter.window.start_ns, filter.window.stop_ns - filter.window.start_ns});
    default: {
      const std::string value = aggregate::value_text(filter);
      return value.empty() ? "(none)" : value;
    }
  }
}

int64_t call_count(const aggregate::Aggregation& aggregation) {
  int64_t calls = 0;
  for (const aggregate::OpAggregate& op : aggregation.ops) calls += op.times.count();
  return calls;
}

std::string rest_text(const aggregate::Aggregation& aggregation,
                      const aggregate::Aggregation& whole) {
  return fmt::format(
      "{} of {} kernel time · {} of {} launches · {} of {} calls",
      base::format_duration(aggregation.all_kernels.gpu_ns),
      base::format_duration(whole.all_kernels.gpu_ns),
      base::format_count(aggregation.kernel_launches), base::format_count(whole.kernel_launches),
      base::format_count(call_count(aggregation)), base::format_count(call_count(whole)));
}

struct FilterChips {
  struct Chip {
    std::string kind, value;  // "Op type", "conv2d"
  };
  std::vector<Chip> chips;  // in the order of Selection::filters
  std::string rest;         // "8.76 s of 25.2 s kernel time · 7 960 of 37 026 calls"
};

std::string shown_value(const Frame& frame, const FilterChips::Chip& chip) {
  const auto measure = [font = frame.fonts().mono](std::string_view part) {
    return text_width(font, part);
  };
  return cut_text(chip.value, frame.px(kMostValue), CutAt::front, measure);
}

float kind_width(const Frame& frame, const FilterChips::Chip& chip) {
  return text_width(frame.fonts().small, chip.kind) + frame.px(6);
}

float chip_width(const Frame& frame, const FilterChips::Chip& chip) {
  return frame.px(kInset) + kind_width(frame, chip) +
         text_width(frame.fonts().mono, shown_value(frame, chip)) + frame.px(kCross);
}

// Returns whether its cross was clicked.
bool draw_chip(Frame& frame, const Box& box, const FilterChips::Chip& chip,
               const std::string& name) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const Hit hit = hit_area(frame, name, box);
  fill(box, mix(colors.panel, colors.accent, hit.hovered ? 0.34f : 0.22f), box.height() / 2);
  outline(box, mix(colors.line, colors.accent, 0.5f), box.height() / 2);
  const float left = box.left + frame.px(kInset);
  draw_text_in(fonts.small, {left, box.top, box.right, box.bottom},
               hit.hovered ? colors.text : colors.dim, chip.kind);
  draw_text_in(fonts.mono, {left + kind_width(frame, chip), box.top, box.right, box.bottom},
               colors.text, shown_value(frame, chip));
  draw_icon(Icon::close, box.right - frame.px(kCross) / 2 - frame.px(1), (box.top + box.bottom) / 2,
            frame.px(13), hit.hovered ? colors.text : colors.dim);
  if (hit.hovered) {
    show_text_tooltip(frame, {{TooltipStyle::heading, chip.kind},
                              {TooltipStyle::name, chip.value},
                              {TooltipStyle::note, "Click to remove this filter"}});
  }
  frame.inspector.record_value(name, chip.value);
  return hit.clicked;
}

struct Placement {
  std::vector<Box> chips;
  Box rest;
  float bottom = 0;
};

Placement place_chips(const Frame& frame, const Area& area, const FilterChips& content) {
  Flow flow(frame, area);
  const auto place = [&](float width) {
    const float left = flow.place(width);
    return Box{left, flow.top(), std::min(left + width, area.right()), flow.bottom()};
  };
  Placement placed;
  for (const FilterChips::Chip& chip : content.chips) {
    placed.chips.push_back(place(chip_width(frame, chip)));
  }
  flow.skip(frame.px(6));
  placed.rest = place(text_width(frame.fonts().small, content.rest));
  placed.bottom = flow.bottom();
  return placed;
}

// The selection with the filter, or without it where it has it.
aggregate::Selection toggled(aggregate::Selection selection, const Filter& filter) {
  if (std::erase(selection.filters, filter) == 0) selection.filters.push_back(filter);
  selection.filters = aggregate::canonical(std::move(selection.filters));
  return selection;
}

// `whole` is the unfiltered aggregation of the same range; null = it is not there yet.
FilterChips prepare_filter_chips(const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation,
                                 const aggregate::Aggregation* whole,
                                 const std::vector<Filter>& filters) {
  FilterChips chips;
  for (const Filter& filter : filters) {
    chips.chips.push_back({kind_label(filter.kind), value_label(profile, filter)});
  }
  if (whole != nullptr) chips.rest = rest_text(aggregation, *whole);
  return chips;
}

}  // namespace

void toggle_filter(Frame& frame, const Filter& filter) {
  frame.host.select(toggled(frame.model.selection, filter));
}

void add_filter(Frame& frame, const Filter& filter) {
  if (!has_filter(frame.model.selection, filter)) toggle_filter(frame, filter);
}

std::string click_hint(const Model& model, const Filter& filter) {
  return has_filter(model.selection, filter) ? "Click to remove this filter"
                                             : "Click to filter all views";
}

namespace {

// The part of the run that the filter keeps: "op type conv2d", "GPU 1", "other kernels".
std::string filter_words(const Frame& frame, const Filter& filter) {
  constexpr float kWidest = 240;
  switch (filter.kind) {
    case aggregate::FilterKind::device:
      return fmt::format("GPU {}", filter.number);
    case aggregate::FilterKind::tensor_core:
      return filter.number != 0 ? "Tensor Core kernels" : "other kernels";
    case aggregate::FilterKind::eligible:
      return filter.number != 0 ? "TC eligible ops" : "ops that are not TC eligible";
    default:
      break;
  }
  std::string kind(aggregate::to_text(filter.kind));
  std::ranges::replace(kind, '_', ' ');
  const std::string value = filter.kind == aggregate::FilterKind::op
                                ? aggregate::key_op_label(*frame.model.profile, filter.text)
                                : aggregate::value_text(filter);
  const auto measure = [font = frame.fonts().text](std::string_view part) {
    return text_width(font, part);
  };
  return fmt::format("{} {}", kind, cut_text(value, frame.px(kWidest), CutAt::middle, measure));
}

}  // namespace

void offer_filter(Frame& frame, CopyMenu& menu, const Filter& filter, std::string_view id) {
  const bool is_on = has_filter(frame.model.selection, filter);
  menu.action(id,
              fmt::format("{} {}", is_on ? "Remove filter" : "Filter all views to",
                          filter_words(frame, filter)),
              [&] { toggle_filter(frame, filter); });
}

void word_menu(Frame& frame, std::string_view name, const Box& box, std::string_view word,
               const std::optional<Filter>& filter) {
  if (word.empty()) return;
  frame.inspector.record_item(name, item_rect(box));
  CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  menu.item("name", "Copy name", [&] { return std::string(word); });
  if (filter) offer_filter(frame, menu, *filter);
}

float draw_filter_chips(Frame& frame, const Area& area) {
  const Model& model = frame.model;
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const FilterChips content = prepare_filter_chips(*model.profile, *model.aggregation,
                                                   model.unfiltered.get(), model.selection.filters);
  const float margin = frame.px(6);
  const float top = area.top + margin;
  const float left = area.left + frame.px(12);
  const float chips_left = left + text_width(fonts.strong, kOnly) + frame.px(8);
  const float right = area.right() - frame.px(12) - button_width(frame, kClear);
  const Placement placed =
      place_chips(frame, {chips_left, top, right - frame.px(14) - chips_left}, content);
  const float bottom = placed.bottom + margin;
  fill({area.left, area.top, area.right(), bottom}, colors.background);
  horizontal_line(area.left, area.right(), bottom - 1, colors.line);
  draw_text_in(fonts.strong, {left, top, right, top + frame.px(kControlHeight)}, colors.text,
               kOnly);
  std::optional<aggregate::Selection> changed;
  if (draw_button(frame, "chips/clear", right, top, kClear)) {
    changed = model.selection;
    changed->filters.clear();
  }
  for (std::size_t i = 0; i < content.chips.size(); ++i) {
    if (draw_chip(frame, placed.chips[i], content.chips[i], fmt::format("chips/{}", i))) {
      changed = toggled(model.selection, model.selection.filters[i]);
    }
  }
  const Box& rest = placed.rest;
  draw_text_cut(frame, fonts.small, rest.left,
                rest.top + std::round((rest.height() - font_size(fonts.small)) / 2),
                rest.width() + 1, colors.dim, content.rest, CutAt::middle);
  frame.inspector.record_value("chips/rest", content.rest);
  if (changed) frame.host.select(*changed);
  return bottom;
}

}  // namespace dlview::ui
