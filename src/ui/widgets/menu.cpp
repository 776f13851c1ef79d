#include "ui/widgets/menu.h"

#include <algorithm>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/focus.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr int kNone = -1;

// Round and round; `count` is that of the last frame.
int move_by_keys(int lit, int count) {
  if (count == 0) return kNone;
  if (pressed(ImGuiKey_DownArrow)) return (lit + 1) % count;
  if (pressed(ImGuiKey_UpArrow)) return lit <= 0 ? count - 1 : lit - 1;
  if (pressed(ImGuiKey_Home)) return 0;
  if (pressed(ImGuiKey_End)) return count - 1;
  return lit;
}

bool mouse_moved() {
  const ImVec2 by = ImGui::GetIO().MouseDelta;
  return by.x != 0 || by.y != 0;
}

constexpr float kLeastCopyWidth = 150;

constexpr float kLeastItemsWidth = 180;
constexpr float kCheckWidth = 20;

float items_width(const Frame& frame, const std::vector<MenuItem>& items) {
  const Fonts& fonts = frame.fonts();
  float width = frame.px(kLeastItemsWidth);
  for (const MenuItem& item : items) {
    width = std::max(width, text_width(fonts.text, item.title) + frame.px(48) +
                                text_width(fonts.small, item.hint));
  }
  return width;
}

// Returns whether the item was chosen.
bool draw_item(Frame& frame, MenuCursor& cursor, const MenuItem& item, float width) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box row{at.x, at.y, at.x + width, at.y + line_height(fonts.text) + frame.px(8)};
  const std::string name = "menu/" + item.id;
  frame.inspector.record_value(name, item.title);
  const auto [hovered, chosen] = cursor.item(frame, name, row, item.enabled);
  const float inset = frame.px(8);
  const float check = item.checked || item.chosen ? frame.px(kCheckWidth) : 0;
  const Box text{row.left + inset + check, row.top, row.right - inset, row.bottom};
  if (item.checked.value_or(false) || item.chosen.value_or(false)) {
    draw_icon(Icon::check, row.left + inset + check / 3, (row.top + row.bottom) / 2, frame.px(13),
              colors.accent);
  }
  draw_text_in(fonts.text, text, item.enabled ? colors.text : colors.faint, item.title);
  draw_text_right(fonts.small, text.right, row.top + (row.height() - font_size(fonts.small)) / 2,
                  colors.dim, item.hint);
  if (hovered && !item.tooltip.empty()) show_tooltip(frame, item.tooltip);
  ImGui::SetCursorScreenPos({row.left, row.bottom});
  return chosen;
}

// Returns the item that was chosen.
const MenuItem* draw_items(Frame& frame, const std::vector<MenuItem>& items, float width) {
  MenuCursor cursor;
  const MenuItem* chosen = nullptr;
  for (const MenuItem& item : items) {
    if (draw_item(frame, cursor, item, width)) chosen = &item;
  }
  return chosen;
}

}  // namespace

// Dear ImGui keeps it as long as the menu is open.
int& MenuCursor::kept(const char* name) const {
  return *ImGui::GetStateStorage()->GetIntRef(ImGui::GetID(name), kNone);
}

MenuCursor::MenuCursor() {
  if (ImGui::IsWindowAppearing()) {
    kept("lit") = kNone;
    kept("count") = 0;
  }
  lit_ = move_by_keys(kept("lit"), kept("count"));
  by_keys_ = lit_ != kept("lit");
}

MenuCursor::~MenuCursor() {
  kept("lit") = lit_;
  kept("count") = count_;
}

MenuCursor::Item MenuCursor::item(Frame& frame, std::string_view name, const Box& row,
                                  bool enabled) {
  const Hit hit = hit_area(frame, name, row, Reach::mouse);
  if (!enabled) return {hit.hovered, false};
  const int number = count_++;
  if (hit.hovered && mouse_moved()) lit_ = number;
  if (lit_ != number) return {hit.hovered, hit.clicked};
  fill(row, with_opacity(frame.palette().accent, 0.18f), frame.px(4));
  if (by_keys_) ImGui::SetScrollFromPosY(row.top - ImGui::GetWindowPos().y);
  return {hit.hovered, hit.clicked || pressed(ImGuiKey_Enter)};
}

CopyMenu::CopyMenu(Frame& frame, std::string_view name, const Box& box, bool opens)
    : frame_(frame) {
  ImGui::PushID(name.data(), name.data() + name.size());
  // On release, for Dear ImGui closes popups when the button goes down.
  const bool is_clicked = hovered(box) && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
  const bool is_asked_for = opens || (frame.focus != nullptr && frame.focus->takes_menu(box));
  if (is_clicked || is_asked_for) ImGui::OpenPopup("copy");
  if (is_asked_for) ImGui::SetNextWindowPos({box.left, box.bottom});
  const float padding = frame.px(6);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (!ImGui::BeginPopup("copy")) return;
  close_popup_on_escape();
  cursor_.emplace();
}

CopyMenu::~CopyMenu() {
  if (cursor_) {
    cursor_.reset();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  ImGui::PopID();
}

bool CopyMenu::draw_item(std::string_view id, std::string_view title, bool enabled) {
  const ImFont* font = frame_.fonts().text;
  const Palette& colors = frame_.palette();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max({frame_.px(kLeastCopyWidth), text_width(font, title) + frame_.px(16),
                                ImGui::GetContentRegionAvail().x});
  const Box row{at.x, at.y, at.x + width, at.y + line_height(font) + frame_.px(8)};
  const bool chosen = cursor_->item(frame_, fmt::format("copy/{}", id), row, enabled).chosen;
  const Box label{row.left + frame_.px(8), row.top, row.right, row.bottom};
  draw_text_in(font, label, enabled ? colors.text : colors.faint, title);
  ImGui::SetCursorScreenPos({row.left, row.bottom});
  if (chosen) ImGui::CloseCurrentPopup();
  return chosen;
}

void CopyMenu::item(std::string_view id, std::string_view title,
                    const std::function<std::string()>& text, bool enabled) {
  if (draw_item(id, title, enabled)) frame_.host.copy_text(text());
}

void CopyMenu::action(std::string_view id, std::string_view title,
                      const std::function<void()>& run) {
  if (draw_item(id, title, true)) run();
}

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
  // Ends where the button ends, unless it would begin outside the window.
  const float popup_left = std::max(frame.px(4), std::min(left, right - width - 2 * padding));
  ImGui::SetNextWindowPos({popup_left, top + frame.px(kControlHeight + 4)});
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

MenuItem command_item(Frame& frame, std::string_view command, std::string id) {
  const auto& commands = frame.model.commands;
  const auto found = std::ranges::find(commands, command, &CommandInfo::id);
  MenuItem item{std::move(id), std::string(command)};
  if (found != commands.end()) {
    item.title = found->title;
    item.hint = found->shortcut;
  }
  item.run = [&host = frame.host, name = std::string(command)] { host.run_command(name); };
  return item;
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
