#include "ui/palette/card.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kRowHeight = 30;

void draw_row(Frame& frame, const Box& row, const FinderRow& content) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float inset = frame.px(10);
  const float hint_width = text_width(fonts.small, content.hint);
  const float text_top = row.top + (row.height() - font_size(fonts.text)) / 2;
  const float small_top = row.top + (row.height() - font_size(fonts.small)) / 2;
  draw_text_right(fonts.small, row.right - inset, small_top, colors.dim, content.hint);
  const float right = row.right - inset - (hint_width > 0 ? hint_width + frame.px(16) : 0);
  const float left = row.left + inset;
  const float detail_width = text_width(fonts.small, content.detail);
  // The title has what the detail leaves, but at least two thirds.
  const float room = right - left;
  const float title_room = std::min(text_width(fonts.text, content.title) + 1,
                                    std::max(room * 0.66f, room - detail_width - frame.px(10)));
  draw_text_cut(frame, fonts.text, left, text_top, title_room,
                content.enabled ? colors.text : colors.faint, content.title, CutAt::middle);
  const float detail_left = left + title_room + frame.px(10);
  if (right - detail_left < frame.px(24)) return;
  draw_text_cut(frame, fonts.small, detail_left, small_top, right - detail_left, colors.dim,
                content.detail, CutAt::middle);
}

}  // namespace

OverlayCard::OverlayCard(Frame& frame, float width, float height) : frame_(frame) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, 0);
  ImGui::Begin(
      "overlay", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  const float margin = frame.px(24);
  const float card_width = std::min(frame.px(width), size.x - 2 * margin);
  const float top = std::round(std::min(frame.px(90), size.y * 0.1f));
  box_.left = std::round((size.x - card_width) / 2);
  box_.top = top;
  box_.right = box_.left + card_width;
  box_.bottom = std::min(top + frame.px(height), size.y - margin);
  const bool dark = frame.model.theme == ThemeKind::dark;
  fill({0, 0, size.x, size.y}, with_opacity(rgb(0x000000), dark ? 0.5f : 0.25f));
  ImDrawList* const list = ImGui::GetWindowDrawList();
  surface_.Split(list, 2);
  surface_.SetCurrentChannel(list, 1);
}

OverlayCard::~OverlayCard() {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  surface_.SetCurrentChannel(list, 0);
  const Palette& colors = frame_.palette();
  fill(box_, colors.panel, frame_.px(kRounding));
  outline(box_, mix(colors.line, colors.text, 0.12f), frame_.px(kRounding));
  surface_.Merge(list);
  const bool beside = !ImGui::IsMouseHoveringRect({box_.left, box_.top}, {box_.right, box_.bottom});
  if (beside && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) &&
      ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    frame_.host.show_overlay(Overlay::none);
  }
  frame_.inspector.record_item("overlay", item_rect(box_));
  ImGui::End();
}

void OverlayCard::end_at(float bottom) {
  box_.bottom = std::min(box_.bottom, std::ceil(bottom + frame_.px(kPadding)));
}

Area OverlayCard::area() const {
  const float inset = frame_.px(kPadding);
  return {box_.left + inset, box_.top + inset, box_.width() - 2 * inset};
}

Area OverlayCard::draw_heading(std::string_view title) {
  const Area inner = area();
  const Palette& colors = frame_.palette();
  const float height = line_height(frame_.fonts().strong);
  draw_text(frame_.fonts().strong, inner.left, inner.top, colors.text, title);
  const float size = frame_.px(20);
  const float middle = inner.top + height / 2;
  const Box close{inner.right() - size, middle - size / 2, inner.right(), middle + size / 2};
  const Hit hit = hit_area(frame_, "overlay/close", close);
  draw_icon(Icon::close, (close.left + close.right) / 2, middle, frame_.px(11),
            hit.hovered ? colors.text : colors.dim);
  if (hit.clicked) frame_.host.show_overlay(Overlay::none);
  return inner.below(inner.top + height + frame_.px(12));
}

void Finder::clear_query() {
  query_.clear();
  current_ = 0;
}

bool Finder::move_by_keys(std::size_t row_count) {
  if (row_count == 0) return false;
  const std::size_t before = current_;
  if (pressed(ImGuiKey_DownArrow) && current_ + 1 < row_count) ++current_;
  if (pressed(ImGuiKey_UpArrow) && current_ > 0) --current_;
  return current_ != before;
}

std::optional<std::size_t> Finder::draw(Frame& frame, const OverlayCard& card, float top,
                                        std::string_view hint, const std::vector<FinderRow>& rows,
                                        std::string_view nothing_found) {
  const Area area = card.area();
  const Box field{area.left, top, area.right(), top + frame.px(kControlHeight + 6)};
  if (keyboard_is_free(frame)) focus_next_item();
  const TextFieldResult typed = draw_text_field(frame, "finder/query", field, 0, query_, hint);
  bool moved = move_by_keys(rows.size());
  if (query_ != shown_query_) {
    current_ = 0;
    moved = true;
  }
  shown_query_ = query_;
  current_ = std::min(current_, rows.empty() ? 0 : rows.size() - 1);
  const Box list{card.box().left, field.bottom + frame.px(8), card.box().right,
                 card.box().bottom - frame.px(8)};
  if (rows.empty()) {
    draw_wrapped(frame.fonts().text, area.below(list.top + frame.px(6)), frame.palette().dim,
                 nothing_found);
    return std::nullopt;
  }
  const auto clicked = draw_rows(frame, list, rows, moved);
  if (clicked) return clicked;
  return typed.entered && rows[current_].enabled ? std::optional(current_) : std::nullopt;
}

std::optional<std::size_t> Finder::draw_rows(Frame& frame, const Box& box,
                                             const std::vector<FinderRow>& rows,
                                             bool show_current) {
  const float height = frame.px(kRowHeight);
  const float inset = frame.px(6);
  ImGui::SetCursorScreenPos({box.left, box.top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("rows", {box.width(), box.height()});
  ImGui::PopStyleVar();
  const float current_top = static_cast<float>(current_) * height;
  if (show_current && current_top < ImGui::GetScrollY()) ImGui::SetScrollY(current_top);
  if (show_current && current_top + height > ImGui::GetScrollY() + box.height()) {
    ImGui::SetScrollY(current_top + height - box.height());
  }
  std::optional<std::size_t> chosen;
  const float top = box.top - ImGui::GetScrollY();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float row_top = std::round(top + static_cast<float>(i) * height);
    if (row_top + height < box.top || row_top > box.bottom) continue;
    const Box row{box.left + inset, row_top, box.right - frame.px(12), row_top + height};
    const Hit hit = hit_area(frame, fmt::format("finder/{}", i), row, Reach::mouse);
    const float strength = i == current_ ? 0.2f : hit.hovered ? 0.1f : 0.0f;
    if (strength > 0) fill(row, with_opacity(frame.palette().accent, strength), frame.px(5));
    draw_row(frame, row, rows[i]);
    frame.inspector.record_value(fmt::format("finder/{}", i), rows[i].title);
    if (hit.clicked && rows[i].enabled) chosen = i;
  }
  ImGui::SetCursorScreenPos({box.left, top + static_cast<float>(rows.size()) * height});
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
  return chosen;
}

}  // namespace dlview::ui
