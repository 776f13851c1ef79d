#include "ui/views/iterations/key_op_picker.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/chart/iteration_marker.h"
#include "ui/views/iterations/key_op_table.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

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

}  // namespace

void KeyOpPicker::prepare(const Model& model) {
  const std::string& key_op = model.selection.cut.key_op;
  if (label_of_ != key_op) {
    label_of_ = key_op;
    label_ = key_op_label(*model.profile, key_op);
  }
  if (!is_open_ || prepared_for_ == model.key_ops) return;
  prepared_for_ = model.key_ops;
  rows_ = prepare_key_ops(*model.profile, *model.key_ops);
}

void KeyOpPicker::draw_field(Frame& frame, const Box& field) {
  const Palette& colours = frame.palette();
  const Hit hit = hit_area(frame, "iterations/key_op_open", field);
  fill(field, colours.background, frame.px(5));
  outline(field, hit.hovered || is_open_ ? colours.faint : colours.line, frame.px(5));
  const float arrow = frame.px(22);
  const float inset = frame.px(8);
  const ImFont* font = label_.empty() ? frame.fonts().text : frame.fonts().mono;
  draw_text_cut(frame, font, field.left + inset, field.top + (field.height() - font_size(font)) / 2,
                field.width() - arrow - inset, label_.empty() ? colours.dim : colours.text,
                label_.empty() ? "none" : label_, CutAt::front);
  draw_icon(Icon::down, field.right - arrow / 2, (field.top + field.bottom) / 2, frame.px(10),
            hit.hovered ? colours.text : colours.dim);
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
    const std::string_view text = !prepared_for_  ? "The ops are being ranked …"
                                  : rows_.empty() ? "Nothing in this file ran three times or more."
                                                  : "Nothing that ran three times or more has this "
                                                    "in its name or id.";
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
  const Palette& colours = frame.palette();
  if (!missing_.empty()) {
    const std::string text = fmt::format("No op or range is called {}.", missing_);
    draw_text_in(fonts.small, footer, colours.attention, text);
    frame.inspector.record_value("iterations/key_op_missing", text);
    return;
  }
  if (lit == nullptr) {
    draw_text_in(fonts.small, footer, colours.dim,
                 "Point at one to see its iterations · Enter takes it · Esc goes back");
    return;
  }
  std::string text = lit->candidate.reason;
  if (lit->candidate.burst > 1) text += " · " + burst_warning(lit->candidate.burst);
  draw_text_in(fonts.small, footer, lit->candidate.burst > 1 ? colours.attention : colours.dim,
               text);
  frame.inspector.record_value("iterations/key_op_reason", text);
}

std::optional<std::string> KeyOpPicker::taken_by_enter(const profile::Profile& profile,
                                                       const KeyOpRow* lit) {
  if (lit != nullptr) return lit->key;
  if (search_.empty()) return std::nullopt;
  if (is_key(profile, search_)) return search_;
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
