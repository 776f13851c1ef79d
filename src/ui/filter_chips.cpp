#include "ui/filter_chips.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/key_op_label.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::Filter;
using aggregate::FilterKind;

constexpr float kMostValue = 260;  // of a chip's text

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
  const profile::Row op = find_op(profile, id_or_name);
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
      return fmt::format("{} – {}", base::format_duration(filter.window.start_ns),
                         base::format_duration(filter.window.stop_ns));
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

// Returns the right edge; `removed` tells whether the cross was clicked.
float draw_chip(Frame& frame, float left, float top, const FilterChips::Chip& chip,
                const std::string& name, bool* removed) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const float inset = frame.px(10);
  const float cross = frame.px(20);
  const auto measure = [font = fonts.mono](std::string_view part) {
    return text_width(font, part);
  };
  const std::string value = cut_text(chip.value, frame.px(kMostValue), CutAt::front, measure);
  const float kind_width = text_width(fonts.small, chip.kind) + frame.px(6);
  const float width = inset + kind_width + text_width(fonts.mono, value) + cross;
  const Box box{left, top, left + width, top + frame.px(kControlHeight)};
  const Hit hit = hit_area(frame, name, box);
  fill(box, mix(colours.panel, colours.accent, hit.hovered ? 0.34f : 0.22f), box.height() / 2);
  outline(box, mix(colours.line, colours.accent, 0.5f), box.height() / 2);
  draw_text_in(fonts.small, {left + inset, box.top, box.right, box.bottom}, colours.dim, chip.kind);
  draw_text_in(fonts.mono, {left + inset + kind_width, box.top, box.right, box.bottom},
               colours.text, value);
  draw_icon(Icon::close, box.right - cross / 2 - frame.px(1), (box.top + box.bottom) / 2,
            frame.px(13), hit.hovered ? colours.text : colours.dim);
  if (hit.hovered) {
    show_text_tooltip(frame, {{TooltipStyle::heading, chip.kind},
                              {TooltipStyle::name, chip.value},
                              {TooltipStyle::note, "Click takes this filter off"}});
  }
  frame.inspector.record_value(name, chip.value);
  *removed = hit.clicked;
  return box.right;
}

}  // namespace

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

void draw_filter_chips(Frame& frame, const Box& box) {
  const Model& model = frame.model;
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const FilterChips content = prepare_filter_chips(*model.profile, *model.aggregation,
                                                   model.unfiltered.get(), model.selection.filters);
  fill(box, colours.background);
  horizontal_line(box.left, box.right, box.bottom - 1, colours.line);
  const float top = std::round(box.top + (box.height() - frame.px(kControlHeight)) / 2);
  const float gap = frame.px(8);
  float right = box.right - frame.px(12) - button_width(frame, "Take all off");
  aggregate::Selection selection = model.selection;
  bool changed = false;
  if (draw_button(frame, "chips/clear", right, top, "Take all off")) {
    selection.filters.clear();
    changed = true;
  }
  float x = box.left + frame.px(12);
  draw_text_in(fonts.strong, {x, box.top, box.right, box.bottom}, colours.text, "Only");
  x += text_width(fonts.strong, "Only") + gap;
  for (std::size_t i = 0; i < content.chips.size(); ++i) {
    bool removed = false;
    x = draw_chip(frame, x, top, content.chips[i], fmt::format("chips/{}", i), &removed) + gap;
    if (!removed || changed) continue;
    selection.filters.erase(selection.filters.begin() + static_cast<std::ptrdiff_t>(i));
    changed = true;
  }
  frame.inspector.record_value("chips/rest", content.rest);
  if (right - x > frame.px(80)) {
    draw_text_cut(frame, fonts.small, x + frame.px(6),
                  box.top + std::round((box.height() - fonts.small->FontSize) / 2),
                  right - x - frame.px(20), colours.dim, content.rest, CutAt::middle);
  }
  if (changed) frame.host.select(selection);
}

}  // namespace dlview::ui
