#include "ui/widgets/menu_cursor.h"

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
  const Hit hit = hit_area(frame, name, row);
  if (!enabled) return {hit.hovered, false};
  const int number = count_++;
  if (hit.hovered && mouse_moved()) lit_ = number;
  if (lit_ != number) return {hit.hovered, hit.clicked};
  fill(row, with_opacity(frame.palette().accent, 0.18f), frame.px(4));
  if (by_keys_) ImGui::SetScrollFromPosY(row.top - ImGui::GetWindowPos().y);
  return {hit.hovered, hit.clicked || pressed(ImGuiKey_Enter)};
}

}  // namespace dlview::ui
