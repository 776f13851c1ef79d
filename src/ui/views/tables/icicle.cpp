#include "ui/views/tables/icicle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/filters.h"
#include "ui/table/table_data.h"
#include "ui/views/tables/looks.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kLevelHeight = 22;
constexpr float kFootHeight = 5;
constexpr float kLeastLabel = 26;

Color surface_of_level(const Frame& frame, uint32_t level) {
  const Palette& colors = frame.palette();
  return mix(colors.raised, colors.text, 0.05f + 0.05f * static_cast<float>(level % 3));
}

// What the GPU did in that time, at the foot of a box.
void draw_parts(const Frame& frame, const Box& foot, const TimeParts& parts) {
  double all_ns = 0;
  for (const TonePart& part : parts) all_ns += part.ns;
  double before_ns = 0;
  float left = foot.left;
  for (const TonePart& part : parts) {
    before_ns += part.ns;
    const float right =
        foot.left + std::round(foot.width() * static_cast<float>(before_ns / all_ns));
    if (right > left) {
      fill({left, foot.top, right, foot.bottom}, frame.palette().tone(part.tone));
    }
    left = right;
  }
}

// The same by class, each with its own color.
void draw_classes(const Frame& frame, const Box& foot, const GroupColors& colors, uint32_t row) {
  double all_ns = 0, before_ns = 0;
  for (std::size_t of = 0; of < colors.classes.size(); ++of) all_ns += colors.time(row, of);
  if (all_ns <= 0) return;
  float left = foot.left;
  for (std::size_t of = 0; of < colors.classes.size(); ++of) {
    before_ns += colors.time(row, of);
    const float right =
        foot.left + std::round(foot.width() * static_cast<float>(before_ns / all_ns));
    if (right <= left) continue;
    const Box box{left, foot.top, right, foot.bottom};
    const Color color = class_color(frame.palette(), colors.coloring, of);
    fill(box, color);
    if (colors.classes[of].hatched) hatch(frame, box, hatch_color(color));
    left = right;
  }
}

std::string text_of(const TableData& data, report::ColumnId column, uint32_t row) {
  return report::to_text(cell_in(data.table, row, column));
}

// kTop = none.
uint32_t row_with_name(const TableData& data, const std::string& name) {
  for (uint32_t row = 0; row < data.tree->parent.size(); ++row) {
    if (text_of(data, "row_full_name", row) == name) return row;
  }
  return RowTree::kTop;
}

}  // namespace

std::vector<IcicleBox> lay_out_icicle(const RowTree& tree, std::span<const int64_t> values,
                                      uint32_t root, float width) {
  constexpr uint32_t kTop = RowTree::kTop;
  const std::size_t count = tree.parent.size();
  std::vector<std::vector<uint32_t>> children(count + 1);
  for (uint32_t row = 0; row < count; ++row) {
    children[tree.parent[row] == kTop ? count : tree.parent[row]].push_back(row);
  }
  std::vector<IcicleBox> boxes;
  struct Span {
    uint32_t row = 0, level = 0;
    double left = 0, right = 0;
  };
  std::vector<Span> open;
  const auto enter = [&](const std::vector<uint32_t>& siblings, uint32_t level, double left,
                         double pixels_per_ns) {
    std::vector<uint32_t> order = siblings;
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](uint32_t row) { return values[row]; });
    double x = left;
    for (const uint32_t row : order) {
      const double right = x + static_cast<double>(values[row]) * pixels_per_ns;
      if (values[row] > 0) open.push_back({row, level, x, right});
      x = right;
    }
  };
  const std::vector<uint32_t>& top = root == kTop ? children[count] : children[root];
  const int64_t whole =
      root == kTop ? std::accumulate(top.begin(), top.end(), int64_t{0},
                                     [&](int64_t sum, uint32_t row) { return sum + values[row]; })
                   : values[root];
  if (whole <= 0) return boxes;
  const double scale = static_cast<double>(width) / static_cast<double>(whole);
  if (root == kTop) {
    enter(top, 0, 0, scale);
  } else {
    open.push_back({root, 0, 0, static_cast<double>(width)});
  }
  std::vector<std::size_t> last_of_level;  // boxes_ index + 1 of the last box of each level
  for (std::size_t next = 0; next < open.size(); ++next) {
    const Span span = open[next];
    const auto left = static_cast<float>(std::floor(span.left));
    const auto right = static_cast<float>(std::floor(span.right));
    last_of_level.resize(std::max<std::size_t>(last_of_level.size(), span.level + 1));
    std::size_t& last = last_of_level[span.level];
    if (right > left || last == 0 || boxes[last - 1].right < left) {
      boxes.push_back({span.row, span.level, left, std::max(right, left + 1), 1, {}});
      last = boxes.size();
    } else {
      ++boxes[last - 1].folded;
    }
    if (right > left) enter(children[span.row], span.level + 1, span.left, scale);
  }
  return boxes;
}

void Icicle::prepare(const std::shared_ptr<const TableData>& data, float width) {
  if (prepared_for_ == data && width_ == width && laid_out_root_ == root_) return;
  if (prepared_for_ != data && root_ != RowTree::kTop) root_ = row_with_name(*data, root_name_);
  prepared_for_ = data;
  width_ = width;
  laid_out_root_ = root_;
  const report::Table& table = data->table;
  const report::Column& time = table.columns[find_column(table, "gpu_time_sum")];
  values_.resize(table.row_count);
  for (std::size_t row = 0; row < values_.size(); ++row) {
    values_[row] = static_cast<int64_t>(number_of(time.cell(row)));
  }
  boxes_ = lay_out_icicle(*data->tree, values_, root_, width);
  for (IcicleBox& box : boxes_) box.parts = gpu_time_parts(table, box.row);
}

void Icicle::zoom_to(const TableData& data, uint32_t row) {
  root_ = row;
  root_name_ = row == RowTree::kTop ? "" : text_of(data, "row_full_name", row);
}

void Icicle::search(const std::shared_ptr<const TableData>& data, std::string_view text) {
  if (searched_in_ == data && searched_ == text) return;
  searched_in_ = data;
  searched_ = text;
  hits_.reset();
  is_hit_.clear();
  if (text.empty()) return;
  const auto pattern = report::TextPattern::parse(text);
  if (!pattern) return;
  const report::Table& table = data->table;
  std::vector<double> times(table.row_count);
  is_hit_.resize(table.row_count);
  hits_.emplace();
  for (uint32_t row = 0; row < table.row_count; ++row) {
    times[row] = number_of(cell_in(table, row, "gpu_time_sum"));
    is_hit_[row] = pattern->is_in(text_of(*data, "row_full_name", row));
    if (is_hit_[row] && times[row] > 0) hits_->push_back(row);
  }
  std::ranges::stable_sort(*hits_, std::ranges::greater(),
                           [&](uint32_t row) { return times[row]; });
}

void Icicle::fit(const TableData& data, std::optional<std::size_t> row) {
  const bool fits = row && *row < values_.size() && values_[*row] > 0 && *row != root_;
  zoom_to(data, fits ? static_cast<uint32_t>(*row) : RowTree::kTop);
}

void Icicle::reveal(const TableData& data, uint32_t row) {
  if (root_ == RowTree::kTop) return;
  for (uint32_t at = row; at != RowTree::kTop; at = data.tree->parent[at]) {
    if (at == root_) return;
  }
  zoom_to(data, RowTree::kTop);
}

std::string icicle_label(std::string_view name, float room, const MeasureText& measure) {
  constexpr std::size_t kLeastLetters = 6, kEllipsisBytes = 3;
  std::string label = cut_text(name, room, CutAt::middle, measure);
  return label != name && label.size() < kLeastLetters + kEllipsisBytes ? "" : label;
}

float Icicle::height(const Frame& frame) const {
  uint32_t levels = 0;
  for (const IcicleBox& box : boxes_) levels = std::max(levels, box.level + 1);
  return static_cast<float>(levels) * frame.px(kLevelHeight);
}

void Icicle::draw_part(Frame& frame, const Box& place, const IcicleBox& part, const TableData& data,
                       bool selected) const {
  const ImFont* font = frame.fonts().small;
  const Palette& palette = frame.palette();
  const float right = place.width() > 3 ? place.right - 1 : place.right;
  const float foot = place.bottom - frame.px(kFootHeight);
  const Box all{place.left, place.top, right, place.bottom};
  const bool is_dim = !is_hit_.empty() && !is_hit_[part.row];
  Color ground = surface_of_level(frame, part.level);
  bool hatched = false;
  if (colors_) {
    const std::size_t of = colors_->main_class(part.row);
    if (of != GroupColors::kNone) {
      ground = mix(class_color(palette, colors_->coloring, of), palette.panel, 0.25f);
      hatched = colors_->classes[of].hatched;
    }
  }
  if (is_dim) ground = mix(ground, palette.panel, 0.8f);
  fill(all, ground);
  if (hatched && !is_dim) hatch(frame, all, hatch_color(ground));
  if (!is_dim && colors_ && colors_->coloring != GroupColoring::time) {
    draw_classes(frame, {place.left, foot, right, place.bottom}, *colors_, part.row);
  } else if (!is_dim && !colors_) {
    draw_parts(frame, {place.left, foot, right, place.bottom}, part.parts);
  }
  if (!is_hit_.empty() && !is_dim) outline(all, palette.accent);
  if (selected) outline(place, palette.bound, frame.px(2));
  if (place.width() <= frame.px(kLeastLabel)) return;
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  const std::string name = text_of(data, "row_trimmed_name", part.row);
  frame.inspector.record_item("groups/icicle/" + text_of(data, "row_full_id", part.row),
                              item_rect(place));
  draw_text_in(font, {place.left + frame.px(5), place.top, place.right, foot},
               is_dim    ? palette.dim
               : colors_ ? text_on(ground)
                         : palette.text,
               icicle_label(name, place.width() - frame.px(10), measure));
}

void Icicle::explain(Frame& frame, const IcicleBox& part, const TableData& data) const {
  const bool is_group = data.tree->has_children[part.row];
  const std::string direction = text_of(data, "direction", part.row);
  const std::string id = is_group ? "" : text_of(data, "row_full_id", part.row);
  show_text_tooltip(
      frame,
      {{TooltipStyle::name, text_of(data, "row_full_name", part.row)},
       {TooltipStyle::note,
        id.empty() || direction.empty() ? id + direction : fmt::format("{} · {}", id, direction)},
       {TooltipStyle::value, fmt::format("GPU time {}", base::format_ns(values_[part.row]))},
       {TooltipStyle::note, colors_ ? colors_->text(part.row) : ""},
       {TooltipStyle::note, kernel_times_text(data.table, part.row)},
       {TooltipStyle::note,
        part.folded > 1 ? fmt::format("{} more, each narrower than a pixel", part.folded - 1) : ""},
       {TooltipStyle::note, is_group
                                ? "Click to select, double-click to zoom in, right-click to filter"
                                : "Click to select, right-click to filter"}});
}

void Icicle::draw_menu(Frame& frame, const Box& box, const TableData& data) {
  CopyMenu menu(frame, "groups/icicle", box);
  if (!menu.is_open() || menu_row_ >= data.table.row_count) return;
  menu.item("name", "Copy name", [&] { return text_of(data, "row_full_name", menu_row_); });
  if (const auto filter = group_or_op_filter(data.table, menu_row_)) {
    offer_filter(frame, menu, *filter);
  }
  if (root_ == RowTree::kTop) return;
  menu.action("zoom_out", "Zoom out", [&] { zoom_to(data, data.tree->parent[root_]); });
}

std::optional<uint32_t> Icicle::draw(Frame& frame, const Box& box,
                                     const std::shared_ptr<const TableData>& shown,
                                     std::optional<std::size_t> selected) {
  prepare(shown, box.width());
  const TableData& data = *shown;
  const float height = frame.px(kLevelHeight);
  std::optional<uint32_t> clicked;
  Box menu_box;
  const Hit hit = hit_area(frame, "groups/icicle", box);
  ImGui::PushClipRect({box.left, box.top}, {box.right, box.bottom}, true);
  for (const IcicleBox& part : boxes_) {
    const float top = box.top + static_cast<float>(part.level) * height;
    if (top >= box.bottom) continue;
    const Box place{box.left + part.left, top, box.left + part.right, top + height - 1};
    draw_part(frame, place, part, data, selected == part.row);
    if (!hit.hovered || !hovered(place)) continue;
    explain(frame, part, data);
    if (hit.clicked) clicked = part.row;
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
      menu_row_ = part.row;
      menu_box = place;
    }
    if (data.tree->has_children[part.row] && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      zoom_to(data, part.row == root_ ? RowTree::kTop : part.row);
    }
  }
  ImGui::PopClipRect();
  draw_menu(frame, menu_box, data);
  return clicked;
}

}  // namespace dlview::ui
