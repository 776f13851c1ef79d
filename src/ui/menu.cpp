#include "ui/menu.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kSmallestWidth = 180;
constexpr float kCheckWidth = 20;

float items_width(const Frame& frame, const std::vector<MenuItem>& items) {
  const Fonts& fonts = frame.fonts();
  float width = frame.px(kSmallestWidth);
  for (const MenuItem& item : items) {
    width = std::max(width, text_width(fonts.text, item.title) + frame.px(48) +
                                text_width(fonts.small, item.hint));
  }
  return width;
}

// The item that the arrow keys have come to: kept by Dear ImGui as long as the menu is open, taken
// over by the mouse when it moves.
constexpr int kNoItem = -1;

int next_enabled(const std::vector<MenuItem>& items, int from, int step) {
  const auto count = static_cast<int>(items.size());
  for (int i = 1; i <= count; ++i) {
    const int item = ((from + step * i) % count + count) % count;
    if (items[static_cast<std::size_t>(item)].enabled) return item;
  }
  return kNoItem;
}

int move_by_keys(const std::vector<MenuItem>& items, int lit) {
  const auto count = static_cast<int>(items.size());
  if (pressed(ImGuiKey_DownArrow)) return next_enabled(items, lit, 1);
  if (pressed(ImGuiKey_UpArrow)) return next_enabled(items, lit == kNoItem ? count : lit, -1);
  if (pressed(ImGuiKey_Home)) return next_enabled(items, kNoItem, 1);
  if (pressed(ImGuiKey_End)) return next_enabled(items, count, -1);
  return lit;
}

bool mouse_moved() {
  const ImVec2 by = ImGui::GetIO().MouseDelta;
  return by.x != 0 || by.y != 0;
}

// Returns whether the item was chosen; lights it up when the mouse comes to it.
bool draw_item(Frame& frame, const MenuItem& item, float width, bool by_keys, bool& is_lit) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box row{at.x, at.y, at.x + width, at.y + line_height(fonts.text) + frame.px(8)};
  const std::string name = "menu/" + item.id;
  frame.inspector.record_value(name, item.title);
  const Hit hit = hit_area(frame, name, row);
  if (hit.hovered && mouse_moved()) is_lit = true;
  if (is_lit && item.enabled) fill(row, with_opacity(colours.accent, 0.18f), frame.px(4));
  if (is_lit && by_keys) ImGui::SetScrollFromPosY(row.top - ImGui::GetWindowPos().y);
  const float inset = frame.px(8);
  const float check = item.checked ? frame.px(kCheckWidth) : 0;
  const Box text{row.left + inset + check, row.top, row.right - inset, row.bottom};
  if (item.checked.value_or(false)) {
    draw_icon(Icon::check, row.left + inset + check / 3, (row.top + row.bottom) / 2, frame.px(13),
              colours.accent);
  }
  draw_text_in(fonts.text, text, item.enabled ? colours.text : colours.faint, item.title);
  draw_text_right(fonts.small, text.right, row.top + (row.height() - fonts.small->FontSize) / 2,
                  colours.dim, item.hint);
  if (hit.hovered && !item.tooltip.empty()) show_tooltip(frame, item.tooltip);
  ImGui::SetCursorScreenPos({row.left, row.bottom});
  return item.enabled && (hit.clicked || (is_lit && pressed(ImGuiKey_Enter)));
}

// Returns the item that was chosen.
const MenuItem* draw_items(Frame& frame, const std::vector<MenuItem>& items, float width) {
  int& lit = *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("lit"), kNoItem);
  if (ImGui::IsWindowAppearing()) lit = kNoItem;
  const int moved = move_by_keys(items, lit);
  const bool by_keys = moved != lit;
  lit = moved;
  const MenuItem* chosen = nullptr;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool is_lit = lit == static_cast<int>(i);
    if (draw_item(frame, items[i], width, by_keys, is_lit)) chosen = &items[i];
    if (is_lit) lit = static_cast<int>(i);
  }
  return chosen;
}

}  // namespace

float draw_menu(Frame& frame, std::string_view name, std::string_view label, float right, float top,
                const std::vector<MenuItem>& items) {
  const float left = right - menu_button_width(frame, label);
  const std::string popup(name);
  const bool is_open = ImGui::IsPopupOpen(popup.c_str());
  if (draw_menu_button(frame, name, left, top, label, is_open)) {
    ImGui::OpenPopup(popup.c_str());
  }
  const float width = items_width(frame, items);
  const float padding = frame.px(6);
  ImGui::SetNextWindowPos(
      {std::min(left, right - width - 2 * padding), top + frame.px(kControlHeight + 4)});
  const float below = ImGui::GetIO().DisplaySize.y - top - frame.px(kControlHeight + 8);
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, below});  // a longer one scrolls
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const MenuItem* chosen = nullptr;
  if (ImGui::BeginPopup(popup.c_str())) {
    close_popup_on_escape();
    chosen = draw_items(frame, items, width);
    if (chosen != nullptr && !chosen->checked) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  if (chosen != nullptr) chosen->run();
  return left;
}

std::vector<MenuItem> commands_of_menu(Frame& frame, std::string_view menu) {
  std::vector<MenuItem> items;
  for (const CommandInfo& command : frame.model.commands) {
    if (command.menu != menu) continue;
    items.push_back({command.id, command.title, command.shortcut, "", command.enabled,
                     [&host = frame.host, id = command.id] { host.run_command(id); }});
  }
  return items;
}

}  // namespace dlview::ui
