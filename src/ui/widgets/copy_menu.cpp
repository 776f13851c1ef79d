#include "ui/widgets/copy_menu.h"

#include <algorithm>

#include <fmt/format.h>

namespace dlview::ui {
namespace {

constexpr float kLeastWidth = 150;

}  // namespace

CopyMenu::CopyMenu(Frame& frame, std::string_view name, const Box& box) : frame_(frame) {
  ImGui::PushID(name.data(), name.data() + name.size());
  // On release, for Dear ImGui closes popups when the button goes down.
  if (hovered(box) && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) ImGui::OpenPopup("copy");
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
  const Palette& colours = frame_.palette();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max({frame_.px(kLeastWidth), text_width(font, title) + frame_.px(16),
                                ImGui::GetContentRegionAvail().x});
  const Box row{at.x, at.y, at.x + width, at.y + line_height(font) + frame_.px(8)};
  const bool chosen = cursor_->item(frame_, fmt::format("copy/{}", id), row, enabled).chosen;
  const Box label{row.left + frame_.px(8), row.top, row.right, row.bottom};
  draw_text_in(font, label, enabled ? colours.text : colours.faint, title);
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

}  // namespace dlview::ui
