#include "ui/views/limits/roofline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::LimitRow;
using report::Decades;
using report::PlotMap;
using report::Roofline;
using report::RooflineRoof;

constexpr float kAxisLabels = 52, kStripLabels = 44, kStripWidth = 32, kStripGap = 6;
constexpr float kAboveplot = 18, kBelowPlot = 34;
constexpr float kMajorTick = 6, kMinorTick = 3;
constexpr double kZoomStep = 1.15;
constexpr double kLeastDecades = 0.1, kMostDecades = 40;
constexpr float kDensityCell = 6;
constexpr float kLabelGap = 6;

float radius_at(float radius, float scale) {
  return radius * scale;
}

ImDrawList& list() {
  return *ImGui::GetWindowDrawList();
}

Decades zoomed_around(const Decades& range, double at, double factor) {
  const double length = std::clamp(range.length() / factor, kLeastDecades, kMostDecades);
  const double share = (at - range.low) / range.length();
  const double low = at - share * length;
  return {low, low + length};
}

// Text along a line, its bottom in the middle of it; `angle` as screen coordinates have it.
void draw_rotated_text(const ImFont* font, ImVec2 middle, float angle, float above, Color color,
                       std::string_view text) {
  ImDrawList& draw_list = list();
  const int first = draw_list.VtxBuffer.Size;
  const float width = text_width(font, text), height = font_size(font);
  const float left = middle.x - width / 2, top = middle.y - height - above;
  draw_list.AddText(loading_font(font), font_size(font), {left, top}, color, text.data(),
                    text.data() + text.size());
  const float sine = std::sin(angle), cosine = std::cos(angle);
  for (int i = first; i < draw_list.VtxBuffer.Size; ++i) {
    ImVec2& at = draw_list.VtxBuffer[i].pos;
    const float dx = at.x - middle.x, dy = at.y - middle.y;
    at = {middle.x + dx * cosine - dy * sine, middle.y + dx * sine + dy * cosine};
  }
}

void draw_dashed(const Frame& frame, ImVec2 from, ImVec2 to, Color color, float line) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  const float dash = frame.px(5), step = frame.px(9);
  if (length <= 0) return;
  const ImVec2 direction{(to.x - from.x) / length, (to.y - from.y) / length};
  for (float at = 0; at < length; at += step) {
    const float end = std::min(length, at + dash);
    list().AddLine({from.x + direction.x * at, from.y + direction.y * at},
                   {from.x + direction.x * end, from.y + direction.y * end}, color, line);
  }
}

ImVec2 pixel(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

PlotMap map_of(const Box& plot, const Decades& x, const Decades& y) {
  return {plot.left, plot.top, plot.right, plot.bottom, x, y};
}

// Labels at the left of a vertical axis, as many as there is room for.
void draw_side_labels(const Frame& frame, const std::vector<report::LogTick>& ticks, float right,
                      const Box& axis, const Decades& range, std::string_view unit) {
  const ImFont* font = frame.fonts().small;
  float free_below = axis.bottom + frame.px(20);
  for (const report::LogTick& tick : ticks) {
    const double share = (tick.at - range.low) / range.length();
    const float y = axis.bottom - static_cast<float>(share) * axis.height();
    if (tick.label.empty()) continue;
    const float top = y - line_height(font) / 2;
    if (top + line_height(font) > free_below) continue;
    draw_text_right(font, right, top, frame.palette().dim, tick.label + std::string(unit));
    free_below = top - frame.px(2);
  }
}

std::string label_of(const RooflineRoof& roof, const Roofline& plot) {
  // Equal peaks are one line.
  std::string names;
  for (const RooflineRoof& other : plot.roofs) {
    if (other.is_memory || other.per_second != roof.per_second || other.in_use != roof.in_use) {
      continue;
    }
    if (!names.empty()) names += ", ";
    names += aggregate::to_text(*other.type);
  }
  return roof.is_memory ? roof.label
                        : fmt::format("{} {}", names, report::flop_rate_text(roof.per_second));
}

bool is_first_of_equals(const RooflineRoof& roof, const Roofline& plot) {
  const auto found = std::ranges::find_if(plot.roofs, [&](const RooflineRoof& other) {
    return other.is_memory == roof.is_memory && other.per_second == roof.per_second &&
           other.in_use == roof.in_use;
  });
  return &*found == &roof;
}

}  // namespace

RooflineLayout lay_out_roofline(const Frame& frame, const Box& box, const Roofline& plot) {
  RooflineLayout layout;
  float left = box.left;
  const float top = box.top + frame.px(kAboveplot), bottom = box.bottom - frame.px(kBelowPlot);
  if (!plot.strip.empty()) {
    left += frame.px(kStripLabels);
    layout.strip = {left, top, left + frame.px(kStripWidth), bottom};
    left = layout.strip.right + frame.px(kStripGap);
  }
  layout.plot = {left + frame.px(kAxisLabels), top, box.right - frame.px(10), bottom};
  return layout;
}

std::vector<PlacedMark> place_marks(const Roofline& plot, const PlotMap& map, float scale) {
  std::vector<PlacedMark> placed;
  for (const report::RooflineMark& mark : plot.marks) {
    const auto x = static_cast<float>(map.to_x(mark.x)), y = static_cast<float>(map.to_y(mark.y));
    const float radius = radius_at(mark.radius, scale);
    const bool is_outside = x < map.left - radius || x > map.right + radius ||
                            y < map.top - radius || y > map.bottom + radius;
    if (is_outside) continue;
    placed.push_back({mark.row,
                      x,
                      y,
                      radius,
                      {mark.verdict.limit, mark.origin, mark.verdict.is_near, mark.is_above}});
  }
  return placed;
}

std::vector<PlacedMark> place_strip(const Roofline& plot, const Box& strip, float scale) {
  std::vector<PlacedMark> placed;
  const PlotMap map = map_of(strip, {0, 1}, plot.strip_y);
  for (const report::RooflineMark& mark : plot.strip) {
    const float most = strip.width() / 2 - 1;
    placed.push_back({mark.row,
                      (strip.left + strip.right) / 2,
                      static_cast<float>(map.to_y(mark.y)),
                      std::min(most, radius_at(mark.radius, scale)),
                      {mark.verdict.limit, mark.origin, mark.verdict.is_near, mark.is_above}});
  }
  return placed;
}

std::vector<DensityCell> density_of(const Roofline& plot, const PlotMap& map, double cell) {
  std::map<std::pair<int32_t, int32_t>, int64_t> counts;
  for (const report::RooflineMark& mark : plot.dense) {
    if (!map.x.contains(mark.x) || !map.y.contains(mark.y)) continue;
    ++counts[{static_cast<int32_t>((map.to_x(mark.x) - map.left) / cell),
              static_cast<int32_t>((map.to_y(mark.y) - map.top) / cell)}];
  }
  std::vector<DensityCell> cells;
  for (const auto& [at, count] : counts) cells.push_back({at.first, at.second, count});
  return cells;
}

std::vector<LevelMark> level_marks(const LimitRow& row, const aggregate::CounterFacts& facts) {
  std::vector<LevelMark> marks;
  const std::optional<double> flops = facts.flops;
  if (!row.intensity || !flops || *flops <= 0) return marks;
  for (const auto& [level, bytes] :
       {std::pair("L1", facts.l1_bytes), std::pair("L2", facts.l2_bytes)}) {
    if (bytes && *bytes > 0) marks.push_back({level, std::log10(*flops / *bytes)});
  }
  return marks;
}

void RooflineChart::take_wheel(const PlotMap& map, const Box& plot) {
  const ImGuiIO& io = ImGui::GetIO();
  const double turned = static_cast<double>(io.MouseWheel != 0 ? io.MouseWheel : io.MouseWheelH);
  if (turned == 0 || !hovered(plot)) return;
  const double factor = std::pow(kZoomStep, turned);
  Window window{map.x, map.y};
  if (!io.KeyCtrl) {
    window.x = zoomed_around(map.x, map.x_at(static_cast<double>(io.MousePos.x)), factor);
  }
  if (!io.KeyShift) {
    window.y = zoomed_around(map.y, map.y_at(static_cast<double>(io.MousePos.y)), factor);
  }
  window_ = window;
}

void RooflineChart::take_drag(const Frame& frame, const Hit& hit, const PlotMap& map) {
  if (!hit.held || !was_dragged(frame)) return;
  const ImVec2 by = ImGui::GetIO().MouseDelta;
  if (by.x == 0 && by.y == 0) return;
  const double dx = static_cast<double>(by.x) / (map.right - map.left) * map.x.length();
  const double dy = static_cast<double>(by.y) / (map.bottom - map.top) * map.y.length();
  window_ = Window{{map.x.low - dx, map.x.high - dx}, {map.y.low + dy, map.y.high + dy}};
}

void RooflineChart::draw_axes(Frame& frame, const RooflineLayout& layout,
                              const PlotMap& map) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const Box& plot = layout.plot;
  const Color grid = mix(colors.panel, colors.line, 0.7f);
  const auto x_ticks = report::log_ticks(map.x, false), y_ticks = report::log_ticks(map.y, true);
  for (const report::LogTick& tick : x_ticks) {
    const auto x = std::round(static_cast<float>(map.to_x(tick.at)));
    if (tick.is_major) fill({x, plot.top, x + 1, plot.bottom}, grid);
    const float length = frame.px(tick.is_major ? kMajorTick : kMinorTick);
    fill({x, plot.bottom, x + 1, plot.bottom + length}, colors.faint);
  }
  for (const report::LogTick& tick : y_ticks) {
    const auto y = std::round(static_cast<float>(map.to_y(tick.at)));
    if (tick.is_major) fill({plot.left, y, plot.right, y + 1}, grid);
    const float length = frame.px(tick.is_major ? kMajorTick : kMinorTick);
    fill({plot.left - length, y, plot.left, y + 1}, colors.faint);
  }
  fill({plot.left, plot.top, plot.left + 1, plot.bottom}, colors.faint);
  fill({plot.left, plot.bottom, plot.right, plot.bottom + 1}, colors.faint);
  float free_from = plot.left - frame.px(20);
  const float top = plot.bottom + frame.px(7);
  for (const report::LogTick& tick : x_ticks) {
    if (tick.label.empty()) continue;
    const float width = text_width(font, tick.label);
    const float left = static_cast<float>(map.to_x(tick.at)) - width / 2;
    if (left < free_from || left + width > plot.right + frame.px(10)) continue;
    draw_text(font, left, top, colors.dim, tick.label);
    free_from = left + width + frame.px(6);
  }
  draw_side_labels(frame, y_ticks, plot.left - frame.px(9), plot, map.y, "");
  draw_text(font, plot.left, plot.top - line_height(font) - frame.px(3), colors.dim, "FLOP/s");
  draw_text_right(font, plot.right, top + line_height(font) + frame.px(1), colors.dim,
                  "Arithmetic intensity (FLOP/byte)");
}

void RooflineChart::draw_strip_axis(Frame& frame, const Box& strip, const Roofline& plot) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  fill(strip, mix(colors.panel, colors.raised, 0.7f));
  outline(strip, colors.line);
  draw_side_labels(frame, report::log_ticks(plot.strip_y, true), strip.left - frame.px(5), strip,
                   plot.strip_y, "");
  const PlotMap map = map_of(strip, {0, 1}, plot.strip_y);
  for (const report::LogTick& tick : report::log_ticks(plot.strip_y, true)) {
    const auto y = std::round(static_cast<float>(map.to_y(tick.at)));
    const float length = frame.px(tick.is_major ? 5 : 2);
    fill({strip.left, y, strip.left + length, y + 1}, colors.faint);
  }
  for (const RooflineRoof& roof : plot.roofs) {
    if (!roof.is_memory) continue;
    const auto y = std::round(static_cast<float>(map.to_y(roof.log())));
    fill({strip.left, y, strip.right, y + frame.px(1.5f)}, colors.text);
  }
  draw_text(font, strip.left, strip.top - line_height(font) - frame.px(3), colors.dim, "B/s");
  const float middle = (strip.left + strip.right) / 2;
  const std::string_view label = "no FLOP";
  draw_text(font, middle - text_width(font, label) / 2, strip.bottom + frame.px(7), colors.dim,
            label);
}

void RooflineChart::draw_roofs(Frame& frame, const Content& content, const PlotMap& map,
                               bool labels) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const Roofline& plot = content.plot;
  std::vector<Box> taken;  // by labels
  for (const RooflineRoof& roof : plot.roofs) {
    if ((!roof.in_use && !content.shows_all_roofs) || !is_first_of_equals(roof, plot)) continue;
    const auto line = report::roof_line(plot, roof, map.x, map.y);
    if (!line) continue;
    const ImVec2 from = pixel(map.to_x(line->x0), map.to_y(line->y0));
    const ImVec2 to = pixel(map.to_x(line->x1), map.to_y(line->y1));
    if (!labels) {
      const float width = frame.px(1.5f);
      if (roof.in_use) {
        list().AddLine(from, to, colors.text, width);
      } else {
        draw_dashed(frame, from, to, colors.faint, frame.px(1));
      }
      if (const auto ridge = plot.ridge(roof); ridge && roof.in_use) {
        const double at = std::log10(*ridge);
        if (!map.x.contains(at)) continue;
        const auto x = std::round(static_cast<float>(map.to_x(at)));
        const auto bottom = static_cast<float>(map.bottom);
        fill({x, bottom - frame.px(7), x + frame.px(1.5f), bottom}, colors.text);
        const std::string text = report::intensity_text(*ridge);
        const float left = x + frame.px(3);
        draw_text(font, left, bottom - line_height(font) - frame.px(1), colors.dim, text);
      }
      continue;
    }
    const std::string label = label_of(roof, plot);
    const float width = text_width(font, label), height = line_height(font);
    const Color color = roof.in_use ? colors.text : colors.dim;
    if (roof.is_memory) {
      const float length = std::hypot(to.x - from.x, to.y - from.y);
      if (length < width + frame.px(40)) continue;
      // Near its lower end, where few marks are.
      const float share = (width / 2 + frame.px(26)) / length;
      const ImVec2 middle{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
      draw_rotated_text(font, middle, std::atan2(to.y - from.y, to.x - from.x), frame.px(3), color,
                        label);
      frame.inspector.record_value("limits/roofline/roof/memory", label);
      continue;
    }
    const float right = to.x - frame.px(6);
    Box box{right - width, to.y - height - frame.px(2), right, to.y - frame.px(2)};
    const auto collides = [&](const Box& other) {
      return box.left < other.right + frame.px(kLabelGap) &&
             box.right > other.left - frame.px(kLabelGap) && box.top < other.bottom &&
             box.bottom > other.top;
    };
    for (int tries = 0; tries < 4; ++tries) {
      const auto other = std::ranges::find_if(taken, collides);
      if (other == taken.end()) break;
      box.right = other->left - frame.px(2 * kLabelGap);
      box.left = box.right - width;
    }
    if (std::ranges::any_of(taken, collides) || box.left < static_cast<float>(map.left)) continue;
    taken.push_back(box);
    draw_text_on_plate(frame, font, box.left, box.top, color, label);
    frame.inspector.record_value("limits/roofline/roof/" + id_of(*roof.type), label);
    if (hovered(box)) {
      show_text_tooltip(frame, {{TooltipStyle::heading, label},
                                {TooltipStyle::text, "Peak from: " + roof.source}});
    }
  }
}

void RooflineChart::draw_density(const Frame& frame, const Roofline& plot, const PlotMap& map) {
  if (plot.dense.empty()) return;
  const float size = frame.px(kDensityCell);
  const std::vector<DensityCell> cells = density_of(plot, map, static_cast<double>(size));
  int64_t most = 1;
  for (const DensityCell& cell : cells) most = std::max(most, cell.count);
  const double scale = std::log1p(static_cast<double>(most));
  for (const DensityCell& cell : cells) {
    const float left = static_cast<float>(map.left) + size * static_cast<float>(cell.column);
    const float top = static_cast<float>(map.top) + size * static_cast<float>(cell.row);
    const double share = std::log1p(static_cast<double>(cell.count)) / scale;
    fill({left, top, left + size, top + size},
         with_opacity(frame.palette().dim, 0.15f + 0.55f * static_cast<float>(share)));
  }
}

void RooflineChart::draw_levels(const Frame& frame, const Content& content, const PlotMap& map,
                                uint32_t row_index) const {
  const LimitRow& row = content.data.rows()[row_index];
  if (!content.data.index || row.counter_set == aggregate::CounterJoin::kNoSet) return;
  const auto facts = content.data.index->counter_facts();
  const auto& join = content.data.index->join();
  const bool is_set = row.counter_set < join.set_count();
  const profile::Row launch =
      is_set ? join.launches_of(row.counter_set).front() : profile::Row{row.counter_set};
  if (launch >= facts.size() || !row.intensity || !row.flops_per_second) return;
  const Palette& colors = frame.palette();
  const auto y = static_cast<float>(map.to_y(std::log10(*row.flops_per_second)));
  const auto from = static_cast<float>(map.to_x(std::log10(*row.intensity)));
  for (const LevelMark& level : level_marks(row, facts[launch])) {
    const auto x = static_cast<float>(map.to_x(level.x));
    list().AddLine({from, y}, {x, y}, colors.text, 1);
    draw_limit_mark(frame, x, y, frame.px(4), {row.limit(), aggregate::Origin::counted});
    draw_text(frame.fonts().small, x - frame.px(5), y - frame.px(19), colors.text, level.level);
  }
}

void RooflineChart::draw_baseline(const Frame& frame, const Content& content, const PlotMap& map,
                                  const PlotSelection& selection) const {
  const LimitRow* ghost = content.baseline;
  const auto place = [&](const LimitRow& row) -> std::optional<ImVec2> {
    const bool has_place =
        row.intensity && *row.intensity > 0 && row.flops_per_second && *row.flops_per_second > 0;
    if (!has_place) return std::nullopt;
    return pixel(map.to_x(std::log10(*row.intensity)), map.to_y(std::log10(*row.flops_per_second)));
  };
  if (ghost == nullptr) return;
  const auto at = place(*ghost);
  if (!at) return;
  const Palette& colors = frame.palette();
  const float radius = frame.px(8);
  draw_limit_mark(frame, at->x, at->y, radius,
                  {report::verdict_of(*ghost, content.rule).limit, aggregate::Origin::estimated,
                   false, false, 0.8f});
  draw_text(frame.fonts().small, at->x + radius + frame.px(3),
            at->y - line_height(frame.fonts().small) / 2, colors.dim, "pinned");
  if (!selection.chosen) return;
  const auto to = place(content.data.rows()[*selection.chosen]);
  if (!to) return;
  const float dx = to->x - at->x, dy = to->y - at->y, length = std::hypot(dx, dy);
  const float gap = radius + frame.px(6);
  if (length < 2 * gap + frame.px(8)) return;
  const ImVec2 unit{dx / length, dy / length};
  const ImVec2 begin{at->x + unit.x * gap, at->y + unit.y * gap};
  const ImVec2 end{to->x - unit.x * gap, to->y - unit.y * gap};
  list().AddLine(begin, end, colors.accent, frame.px(1.5f));
  const float head = frame.px(7), half = frame.px(4);
  list().AddTriangleFilled(
      end, {end.x - unit.x * head - unit.y * half, end.y - unit.y * head + unit.x * half},
      {end.x - unit.x * head + unit.y * half, end.y - unit.y * head - unit.x * half},
      colors.accent);
}

PlotGesture RooflineChart::draw(Frame& frame, const Box& box, const Content& content,
                                const PlotSelection& selection) {
  PlotGesture gesture;
  const Roofline& plot = content.plot;
  const RooflineLayout layout = lay_out_roofline(frame, box, plot);
  const Box& area = layout.plot;
  if (area.width() < frame.px(60) || area.height() < frame.px(40)) return gesture;
  const auto window = window_.value_or(Window{plot.x, plot.y});
  PlotMap map = map_of(area, window.x, window.y);
  const Hit hit = hit_area(frame, "limits/roofline", area, Reach::chart);
  take_wheel(map, area);
  take_drag(frame, hit, map);
  if (hit.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) window_.reset();
  const auto shown = window_.value_or(Window{plot.x, plot.y});
  map = map_of(area, shown.x, shown.y);
  draw_axes(frame, layout, map);
  ImGui::PushClipRect({area.left, area.top}, {area.right, area.bottom}, true);
  draw_roofs(frame, content, map, false);
  draw_density(frame, plot, map);
  const std::vector<PlacedMark> placed = place_marks(plot, map, frame.look.scale);
  draw_marks(frame, placed, selection);
  if (selection.chosen) draw_levels(frame, content, map, *selection.chosen);
  draw_baseline(frame, content, map, selection);
  draw_roofs(frame, content, map, true);
  ImGui::PopClipRect();
  std::vector<PlacedMark> all = placed;
  if (!plot.strip.empty()) {
    draw_strip_axis(frame, layout.strip, plot);
    const auto strip = place_strip(plot, layout.strip, frame.look.scale);
    ImGui::PushClipRect({layout.strip.left - frame.px(8), layout.strip.top},
                        {layout.strip.right + frame.px(8), layout.strip.bottom}, true);
    draw_marks(frame, strip, selection);
    ImGui::PopClipRect();
    all.insert(all.end(), strip.begin(), strip.end());
  }
  for (const PlacedMark& mark : all) {
    if (all.size() > 64) break;  // for tests
    frame.inspector.record_item(
        "limits/mark/" + (*content.data.keys)[mark.row],
        {mark.x - mark.radius, mark.y - mark.radius, mark.x + mark.radius, mark.y + mark.radius});
  }

  const Hit strip_hit =
      plot.strip.empty() ? Hit{} : hit_area(frame, "limits/strip", layout.strip, Reach::mouse);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_in = hovered(area) || (!plot.strip.empty() && hovered(layout.strip));
  if (is_in && !hit.held) gesture.hovered = mark_at(all, mouse.x, mouse.y, frame.px(2));
  const bool is_clicked = (hit.clicked || strip_hit.clicked) && !was_dragged(frame);
  if (is_clicked && is_in && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    gesture.clicked = mark_at(all, mouse.x, mouse.y, frame.px(2));
    gesture.adds = ImGui::GetIO().KeyCtrl;
    gesture.deselects = !gesture.clicked && !gesture.adds;
  }
  if (const auto boxed = box_select_.draw(frame, area)) gesture.boxed = marks_in(all, *boxed);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right) && is_in) {
    menu_row_ = gesture.hovered;
    if (menu_row_) gesture.clicked = menu_row_;  // what the menu does is for the selected one
  }
  draw_plot_menu(frame, "limits/roofline/menu", box_select_.is_dragged() ? Box{} : area,
                 content.data, menu_row_ ? menu_row_ : selection.chosen);
  if (hit.has_ring) {
    gesture.walks += pressed(ImGuiKey_DownArrow) || pressed(ImGuiKey_RightArrow) ? 1 : 0;
    gesture.walks -= pressed(ImGuiKey_UpArrow) || pressed(ImGuiKey_LeftArrow) ? 1 : 0;
    gesture.opens = pressed(ImGuiKey_Enter);
  }
  if (gesture.hovered && !box_select_.is_dragged()) {
    explain_mark(frame, content.data.rows()[*gesture.hovered], content.rule);
  }
  return gesture;
}

}  // namespace dlview::ui
