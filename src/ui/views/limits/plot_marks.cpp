#include "ui/views/limits/plot_marks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/range_sums.h"
#include "base/units.h"
#include "ui/filters.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::Origin;

constexpr float kFaint = 0.22f, kBehindSelected = 0.55f;  // opacities
constexpr float kSlack = 4;                               // of a drag

bool is_set(const std::vector<bool>& flags, uint32_t row) {
  return row < flags.size() && flags[row];
}

std::optional<aggregate::Filter> filter_of_row(const LimitData& data, uint32_t row) {
  const auto& columns = limits_look().columns;
  const auto found = std::ranges::find(columns, "limit_name", &ColumnLook::id);
  return found->filter(data.table->table, row);
}

}  // namespace

std::optional<uint32_t> mark_at(std::span<const PlacedMark> marks, float x, float y, float slack) {
  for (std::size_t i = marks.size(); i-- > 0;) {
    const PlacedMark& mark = marks[i];
    if (std::hypot(mark.x - x, mark.y - y) <= mark.radius + slack) return mark.row;
  }
  return std::nullopt;
}

std::vector<uint32_t> marks_in(std::span<const PlacedMark> marks, const Box& box) {
  std::vector<uint32_t> rows;
  for (const PlacedMark& mark : marks) {
    if (mark.x >= box.left && mark.x <= box.right && mark.y >= box.top && mark.y <= box.bottom) {
      rows.push_back(mark.row);
    }
  }
  return rows;
}

std::optional<Box> BoxSelect::draw(Frame& frame, const Box& area) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hovered(area) && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    from_ = mouse;
    is_dragged_ = false;
  }
  if (!from_) {
    is_dragged_ = false;
    return std::nullopt;
  }
  const Box box{std::clamp(std::min(from_->x, mouse.x), area.left, area.right),
                std::clamp(std::min(from_->y, mouse.y), area.top, area.bottom),
                std::clamp(std::max(from_->x, mouse.x), area.left, area.right),
                std::clamp(std::max(from_->y, mouse.y), area.top, area.bottom)};
  is_dragged_ = is_dragged_ || std::max(box.width(), box.height()) > frame.px(kSlack);
  const bool is_down = ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (is_dragged_ && is_down) {
    fill(box, with_opacity(frame.palette().accent, 0.12f));
    outline(box, frame.palette().accent);
  }
  if (is_down) return std::nullopt;
  from_.reset();
  return is_dragged_ ? std::optional(box) : std::nullopt;
}

void draw_marks(const Frame& frame, std::span<const PlacedMark> marks,
                const PlotSelection& selection) {
  const bool has_selected = std::ranges::find(selection.selected, true) != selection.selected.end();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& palette = frame.palette();
  for (const PlacedMark& mark : marks) {
    LimitMarkLook look = mark.look;
    const bool is_shown = selection.shown.empty() || is_set(selection.shown, mark.row);
    if (!is_shown) {
      look.opacity = kFaint;
    } else if (has_selected && !is_set(selection.selected, mark.row)) {
      look.opacity = kBehindSelected;
    }
    draw_limit_mark(frame, mark.x, mark.y, mark.radius, look);
  }
  for (const PlacedMark& mark : marks) {
    const bool is_selected = is_set(selection.selected, mark.row);
    if (!is_selected && selection.hovered != mark.row) continue;
    if (is_selected) draw_limit_mark(frame, mark.x, mark.y, mark.radius, mark.look);
    const float reach = frame.px(selection.chosen == mark.row ? 6 : 4);
    list.AddCircle({mark.x, mark.y}, mark.radius * 1.25f + reach,
                   is_selected ? palette.accent : palette.text, 0,
                   frame.px(selection.chosen == mark.row ? 2 : 1.5f));
  }
}

std::string verdict_text(const LimitRow& row, report::LimitRule rule) {
  const report::LimitVerdict verdict = report::verdict_of(row, rule);
  std::string text(aggregate::to_text(verdict.limit));
  if (verdict.limit == Limit::unknown) {
    const bool has_side = row.by_intensity == Limit::math || row.by_intensity == Limit::memory;
    if (!has_side) return text;
    text += fmt::format(" · {} side", aggregate::to_text(row.by_intensity));
    if (row.roof_percent) {
      text += fmt::format(" · at least {} of the roof", base::format_percent(*row.roof_percent));
    }
    return text;
  }
  if (verdict.limit == Limit::memory && !row.memory_level.empty()) {
    text += fmt::format(": {}", row.memory_level);
  }
  if (verdict.is_near) text += " (near)";
  if (verdict.origin != Origin::none) {
    text += fmt::format(", {}", aggregate::to_text(verdict.origin));
  }
  return text;
}

void explain_mark(Frame& frame, const LimitRow& row, report::LimitRule rule) {
  using enum TooltipStyle;
  std::string rates, roof;
  if (row.flops_per_second && row.flops.value != 0.0) {
    rates = fmt::format("{}{}", row.flops.sign(), report::flop_rate_text(*row.flops_per_second));
  }
  if (row.bytes_per_second) {
    if (!rates.empty()) rates += " · ";
    rates += fmt::format("{}{}", row.bytes.sign(), base::format_byte_rate(*row.bytes_per_second));
  }
  if (row.intensity) rates += fmt::format(" · {} FLOP/B", report::intensity_text(*row.intensity));
  if (row.roof_percent) {
    roof = fmt::format(
        "{} of the {} roof · can save at most {}", base::format_percent(*row.roof_percent),
        row.roof_is_math ? "math" : "memory", base::format_duration(row.save_ns.value_or(0)));
  }
  show_text_tooltip(frame, {{name, std::string(row.name)},
                            {value, verdict_text(row, rule)},
                            {text, fmt::format("{} · {}", base::format_duration(row.time_ns),
                                               base::counted(row.calls, "calls"))},
                            {text, rates},
                            {text, roof},
                            {note, std::string(row.note)}});
}

void draw_plot_menu(Frame& frame, std::string_view name, const Box& box, const LimitData& data,
                    std::optional<uint32_t> row) {
  CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  const auto command = [&](std::string_view id) {
    const auto& commands = frame.model.commands;
    const auto found = std::ranges::find(commands, id, &CommandInfo::id);
    if (found == commands.end() || !found->enabled) return;
    const std::string title =
        found->shortcut.empty() ? found->title : found->title + "   " + found->shortcut;
    menu.action(found->id, title, [&] { frame.host.run_command(id); });
  };
  if (row) {
    const LimitRow& its = data.rows()[*row];
    menu.item("name", "Copy name", [&] { return std::string(its.name); });
    if (const auto filter = filter_of_row(data, *row)) offer_filter(frame, menu, *filter);
    for (const std::string_view id : {"limits.open", "limits.timeline", "limits.pin"}) command(id);
  }
  for (const std::string_view id : {"limits.fit", "limits.all_roofs", "limits.evidence",
                                    "limits.save_svg", "limits.save_png", "limits.copy_shapes"}) {
    command(id);
  }
}

}  // namespace dlview::ui
