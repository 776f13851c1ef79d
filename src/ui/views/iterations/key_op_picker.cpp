#include "ui/views/iterations/key_op_picker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "aggregate/key_names.h"
#include "base/units.h"
#include "profile/recorded.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

struct Column {
  KeyOpColumn column;
  std::string_view id, title;
  aggregate::MetricId metric;
  float width;  // of the design; 0 = what the others leave
};
constexpr std::array<Column, kKeyOpColumnCount> kColumns{{
    {KeyOpColumn::name, "name", "Op, NVTX range or kernel", "", 0},
    {KeyOpColumn::score, "score", "Score", "key_op_score", 96},
    {KeyOpColumn::instances, "instances", "Instances", "key_op_instances", 166},
    {KeyOpColumn::period, "period", "Period", "key_op_period", 74},
    {KeyOpColumn::regularity, "regularity", "Regularity", "key_op_regularity", 84},
    {KeyOpColumn::coverage, "coverage", "Coverage", "key_op_coverage", 84},
}};
constexpr float kInset = 8;
constexpr float kBesideFigure = 100;
constexpr float kMark = 14;  // room for the mark of the current key op

std::string_view title_of(const Column& column, const profile::Profile& profile) {
  const bool is_trace = profile::is_pytorch_trace(profile);
  return is_trace && column.column == KeyOpColumn::name ? "Op, annotation or kernel" : column.title;
}

std::array<Box, kKeyOpColumnCount> cells_of(const Frame& frame, const Box& row) {
  float fixed = 0;
  for (const Column& column : kColumns) fixed += column.width > 0 ? frame.px(column.width) : 0;
  std::array<Box, kKeyOpColumnCount> cells;
  float x = row.left;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const float width = kColumns[i].width > 0 ? frame.px(kColumns[i].width)
                                              : std::max(frame.px(80), row.width() - fixed);
    cells[i] = {x, row.top, x + width, row.bottom};
    x += width;
  }
  return cells;
}

std::string percent_of(double share) {
  return base::format_percent(100 * share);
}

void draw_score(const Frame& frame, const Box& cell, double score) {
  const float right = cell.right - frame.px(kInset);
  const float middle = std::round((cell.top + cell.bottom) / 2);
  const float half = frame.px(3);
  const Box track{cell.left + frame.px(36), middle - half, right, middle + half};
  fill(track, frame.palette().line, half);
  const float filled = std::round(track.width() * static_cast<float>(score));
  if (filled >= 1) {
    fill({track.left, track.top, track.left + filled, track.bottom}, frame.palette().accent, half);
  }
  draw_text_in(frame.fonts().small, cell, frame.palette().text,
               fmt::format("{:.0f}%", 100 * score));
}

void draw_figure(const Frame& frame, const Box& cell, std::string_view text) {
  const ImFont* font = frame.fonts().text;
  draw_text_right(font, cell.right - frame.px(kInset),
                  cell.top + (cell.height() - font_size(font)) / 2, frame.palette().text, text);
}

// What speaks against a candidate, or tells where it lies, in few words; the reason has the whole.
std::string remark_on(const aggregate::KeyOpCandidate& candidate) {
  if (std::string warning = aggregate::marker_warning(candidate); !warning.empty()) return warning;
  if (candidate.per_outer < 2) return "";
  return fmt::format("{} per {}", candidate.per_outer, candidate.outer);
}

// Left in the cell, beside a figure.
void draw_small(Frame& frame, const Box& cell, Color color, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  draw_text_cut(frame, font, cell.left + frame.px(4),
                cell.top + (cell.height() - font_size(font)) / 2, frame.px(kBesideFigure), color,
                text, CutAt::front);
}

constexpr const char* kKeyOpPopup = "key_ops";
constexpr float kKeyOpListWidth = 980;
constexpr float kKeyOpListHeight = 330;
constexpr float kListGap = 4;  // below the field
constexpr float kMargin = 10;

const KeyOpRow* find_row(const std::vector<const KeyOpRow*>& rows,
                         const std::optional<std::string>& key) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const KeyOpRow* row) { return row->key == key; });
  return found == rows.end() ? nullptr : *found;
}

Box list_box(const Frame& frame, const Box& field, const Box& room) {
  const float width = std::min(frame.px(kKeyOpListWidth), room.width());
  const float left = std::min(field.left, room.right - width);
  const float top = field.bottom + frame.px(kListGap);
  return {left, top, left + width, std::min(top + frame.px(kKeyOpListHeight), room.bottom)};
}

float key_op_row_height(const Frame& frame) {
  return line_height(frame.fonts().text) + frame.px(7);
}

// Returns the column whose title was clicked.
std::optional<KeyOpColumn> draw_key_op_titles(Frame& frame, const Box& row, KeyOpOrder order) {
  const auto cells = cells_of(frame, row);
  const ImFont* font = frame.fonts().small;
  std::optional<KeyOpColumn> clicked;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const Column& column = kColumns[i];
    const Hit hit = hit_area(frame, fmt::format("iterations/key_op_sort/{}", column.id), cells[i]);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.hovered && !column.metric.empty()) show_metric_tooltip(frame, column.metric);
    if (hit.clicked) clicked = column.column;
    const bool sorts = order.column == column.column;
    const Color color = sorts || hit.hovered ? frame.palette().text : frame.palette().dim;
    const std::string title = fmt::format("{}{}", title_of(column, *frame.model.profile),
                                          !sorts             ? ""
                                          : order.descending ? " ↓"
                                                             : " ↑");
    const float top = row.top + (row.height() - font_size(font)) / 2;
    if (i <= 1) {
      draw_text(font, cells[i].left + (i == 0 ? frame.px(kMark) : 0), top, color, title);
    } else {
      draw_text_right(font, cells[i].right - frame.px(kInset), top, color, title);
    }
  }
  horizontal_line(row.left, row.right, row.bottom - 1, frame.palette().line);
  return clicked;
}

Hit draw_key_op_row(Frame& frame, const Box& box, const KeyOpRow& row, bool is_lit,
                    bool is_current) {
  const Palette& colors = frame.palette();
  const aggregate::KeyOpCandidate& candidate = row.candidate;
  const Hit hit = hit_area(frame, "iterations/key_op_list/" + row.name, box);
  if (is_lit) fill(box, with_opacity(colors.accent, 0.18f), frame.px(4));
  const auto cells = cells_of(frame, box);
  if (is_current) {
    draw_icon(Icon::check, box.left + frame.px(6), (box.top + box.bottom) / 2, frame.px(10),
              colors.accent);
  }
  const ImFont* mono = frame.fonts().mono;
  draw_text_cut(frame, mono, box.left + frame.px(kMark),
                box.top + (box.height() - font_size(mono)) / 2,
                cells[0].width() - frame.px(kMark + kInset), colors.text, row.label, CutAt::front);
  if (row.key.empty()) return hit;
  draw_score(frame, cells[1], candidate.score);
  draw_figure(frame, cells[2], base::format_count(candidate.instances));
  const bool cuts_steps = candidate.burst > 1;
  draw_small(frame, cells[2], cuts_steps ? colors.attention : colors.dim, remark_on(candidate));
  draw_figure(frame, cells[3], base::format_duration(candidate.period_ns));
  draw_figure(frame, cells[4], percent_of(candidate.regularity));
  draw_figure(frame, cells[5], percent_of(candidate.coverage));
  return hit;
}

// "4 instances per step": cutting there makes several iterations of each step.
std::string burst_warning(int64_t burst) {
  return fmt::format("{} instances per step", base::format_count(burst));
}

}  // namespace

void KeyOpPicker::prepare(const Model& model) {
  const std::string& key_op = model.selection.cut.key_op;
  if (label_of_ != key_op) {
    label_of_ = key_op;
    label_ = aggregate::key_op_label(*model.profile, key_op);
  }
  if (!is_open_ || prepared_for_ == model.key_ops) return;
  prepared_for_ = model.key_ops;
  rows_ = prepare_key_ops(*model.profile, *model.key_ops);
}

void KeyOpPicker::draw_field(Frame& frame, const Box& field) {
  const Palette& colors = frame.palette();
  const Hit hit = hit_area(frame, "iterations/key_op_open", field);
  fill(field, colors.background, frame.px(5));
  outline(field, hit.hovered || is_open_ ? colors.faint : colors.line, frame.px(5));
  const float arrow = frame.px(22);
  const float inset = frame.px(8);
  const ImFont* font = label_.empty() ? frame.fonts().text : frame.fonts().mono;
  draw_text_cut(frame, font, field.left + inset, field.top + (field.height() - font_size(font)) / 2,
                field.width() - arrow - inset, label_.empty() ? colors.dim : colors.text,
                label_.empty() ? "none" : label_, CutAt::front);
  draw_icon(Icon::down, field.right - arrow / 2, (field.top + field.bottom) / 2, frame.px(10),
            hit.hovered ? colors.text : colors.dim);
  frame.inspector.record_value("iterations/key_op", label_);
  if (!hit.clicked) return;
  search_.clear();
  missing_.clear();
  lit_.reset();
  is_open_ = true;
  ImGui::OpenPopup(kKeyOpPopup);
}

std::optional<std::string> KeyOpPicker::draw(Frame& frame, const Box& field, const Box& room) {
  draw_field(frame, field);
  prepare(frame.model);
  if (!is_open_) return std::nullopt;
  const Box list = list_box(frame, field, room);
  list_bottom_ = list.bottom;
  ImGui::SetNextWindowPos({list.left, list.top});
  ImGui::SetNextWindowSize({list.width(), list.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool shown = ImGui::BeginPopup(
      kKeyOpPopup, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  std::optional<std::string> taken;
  if (shown) {
    close_popup_on_escape();
    taken = draw_list(frame, list);
    if (taken) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  is_open_ = shown && !taken;
  if (!is_open_) preview(frame, std::nullopt);
  return taken;
}

std::optional<std::string> KeyOpPicker::draw_list(Frame& frame, const Box& list) {
  const float margin = frame.px(kMargin);
  const Box inside{list.left + margin, list.top + margin, list.right - margin,
                   list.bottom - margin};
  const Box field{inside.left, inside.top, inside.right, inside.top + frame.px(kControlHeight)};
  const std::string before = search_;
  if (ImGui::IsWindowAppearing()) focus_next_item();
  const TextFieldResult typed =
      draw_text_field(frame, "iterations/key_op_search", field, 0, search_, "Search by name or id");
  if (!missing_.empty()) outline(field, frame.palette().attention, frame.px(5));
  const auto rows = list_key_ops(rows_, search_, order_, label_of_);
  if (search_ != before) {
    missing_.clear();
    lit_.reset();
    if (!search_.empty() && !rows.empty()) lit_ = rows.front()->key;
  }
  move_light(rows);

  const float row_height = key_op_row_height(frame);
  const float columns_right = inside.right - ImGui::GetStyle().ScrollbarSize;
  const Box titles{inside.left, field.bottom + frame.px(6), columns_right,
                   field.bottom + frame.px(6) + row_height};
  draw_titles(frame, titles);
  const Box footer{inside.left, inside.bottom - row_height, inside.right, inside.bottom};
  const Box body{inside.left, titles.bottom, inside.right, footer.top - frame.px(4)};
  std::optional<std::string> taken = draw_rows(frame, body, rows);
  const KeyOpRow* lit = find_row(rows, lit_);
  if (typed.entered && !taken) taken = taken_by_enter(*frame.model.profile, lit);
  draw_footer(frame, footer, lit);
  preview(frame, lit == nullptr ? std::nullopt : std::optional(lit->key));
  return taken;
}

void KeyOpPicker::draw_titles(Frame& frame, const Box& row) {
  if (const auto clicked = draw_key_op_titles(frame, row, order_)) {
    const bool again = *clicked == order_.column;
    order_ = {*clicked, again ? !order_.descending : *clicked != KeyOpColumn::name};
  }
}

std::optional<std::string> KeyOpPicker::draw_rows(Frame& frame, const Box& box,
                                                  const std::vector<const KeyOpRow*>& rows) {
  if (rows.empty()) {
    const std::string_view text =
        !prepared_for_  ? "Ranking candidates…"
        : rows_.empty() ? "No candidates: nothing in this file ran three times or more."
                        : "No match. Candidates run at least "
                          "three times.";
    draw_text(frame.fonts().text, box.left, box.top + frame.px(6), frame.palette().dim, text);
    return std::nullopt;
  }
  const float height = key_op_row_height(frame);
  std::optional<std::string> taken;
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("rows", {box.width(), box.height()});
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const KeyOpRow& row = *rows[static_cast<std::size_t>(i)];
      const float top = begin.y + static_cast<float>(i) * height;
      const Box place{box.left, top, box.right - ImGui::GetStyle().ScrollbarSize, top + height};
      ImGui::PushID(i);
      const Hit hit =
          draw_key_op_row(frame, place, row, row.key == lit_, is_key_op(row, label_of_));
      ImGui::PopID();
      frame.inspector.record_value(fmt::format("iterations/key_op_list/{}", i), row.name);
      if (hit.hovered && (moved.x != 0 || moved.y != 0)) lit_ = row.key;
      if (hit.clicked) taken = row.key;
      ImGui::SetCursorScreenPos({place.left, place.bottom});
    }
  }
  if (scroll_to_lit_) {
    const auto lit = std::find_if(rows.begin(), rows.end(),
                                  [this](const KeyOpRow* row) { return row->key == lit_; });
    ImGui::SetScrollFromPosY(static_cast<float>(lit - rows.begin()) * height - ImGui::GetScrollY());
    scroll_to_lit_ = false;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return taken;
}

void KeyOpPicker::draw_footer(Frame& frame, const Box& footer, const KeyOpRow* lit) const {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  if (!missing_.empty()) {
    const std::string text = fmt::format("No op, NVTX range or annotation is named {}.", missing_);
    draw_text_in(fonts.small, footer, colors.attention, text);
    frame.inspector.record_value("iterations/key_op_missing", text);
    return;
  }
  if (lit == nullptr) {
    draw_text_in(fonts.small, footer, colors.dim,
                 "Point at a candidate to preview its iterations · Enter: use it · Esc: cancel");
    return;
  }
  std::string text = lit->candidate.reason;
  if (lit->candidate.burst > 1) text += " · " + burst_warning(lit->candidate.burst);
  draw_text_in(fonts.small, footer, lit->candidate.burst > 1 ? colors.attention : colors.dim, text);
  frame.inspector.record_value("iterations/key_op_reason", text);
}

std::optional<std::string> KeyOpPicker::taken_by_enter(const profile::Profile& profile,
                                                       const KeyOpRow* lit) {
  if (lit != nullptr) return lit->key;
  if (search_.empty()) return std::nullopt;
  if (aggregate::is_key(profile, search_)) return search_;
  missing_ = search_;
  return std::nullopt;
}

void KeyOpPicker::move_light(const std::vector<const KeyOpRow*>& rows) {
  const int by = (pressed(ImGuiKey_DownArrow) ? 1 : 0) - (pressed(ImGuiKey_UpArrow) ? 1 : 0);
  if (by == 0 || rows.empty()) return;
  const auto lit = std::find_if(rows.begin(), rows.end(),
                                [this](const KeyOpRow* row) { return row->key == lit_; });
  const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
  const std::ptrdiff_t from = lit == rows.end() ? -1 : lit - rows.begin();
  lit_ = rows[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, last))]->key;
  scroll_to_lit_ = true;
}

void KeyOpPicker::preview(Frame& frame, const std::optional<std::string>& key) {
  if (key == previewed_) return;
  previewed_ = key;
  if (!key) return frame.host.preview_cut(std::nullopt);
  aggregate::Cut cut = frame.model.selection.cut;
  cut.key_op = *key;
  cut.clock.reset();
  if (cut.kind == aggregate::CutKind::stored) cut.kind = aggregate::CutKind::start;
  frame.host.preview_cut(cut);
}

}  // namespace dlview::ui
