#include "ui/views/iterations/key_op_list.h"

#include <algorithm>

#include "base/units.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr const char* kPopup = "key_ops";
constexpr float kListWidth = 460;
constexpr float kListHeight = 320;

// Returns the chosen name.
std::optional<std::string> draw_choices(Frame& frame,
                                        const std::vector<const KeyOpChoice*>& choices) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const float row_height = line_height(fonts.text) + frame.px(5);
  std::optional<std::string> chosen;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(choices.size()), row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const KeyOpChoice& choice = *choices[static_cast<std::size_t>(i)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float width = ImGui::GetContentRegionAvail().x;
      const Box row{at.x, at.y, at.x + width, at.y + row_height};
      ImGui::PushID(i);
      const Hit hit = hit_area(frame, "iterations/key_op_list/" + choice.name, row);
      ImGui::PopID();
      if (hit.hovered) fill(row, with_opacity(colours.accent, 0.18f), frame.px(4));
      const std::string count = base::format_count(choice.instances) + " ×";
      const float count_width = text_width(fonts.small, count);
      const float inset = frame.px(6);
      draw_text_cut(frame, fonts.mono, row.left + inset, row.top + frame.px(2),
                    width - count_width - 4 * inset, colours.text, choice.name, CutAt::front);
      draw_text_right(fonts.small, row.right - inset, row.top + frame.px(3), colours.dim, count);
      if (hit.clicked) chosen = choice.name;
      ImGui::SetCursorScreenPos({row.left, row.bottom});
    }
  }
  return chosen;
}

std::optional<std::string> draw_popup(Frame& frame, const Box& field, std::string_view filter,
                                      const std::vector<KeyOpChoice>& all) {
  std::vector<const KeyOpChoice*> choices;
  for (const KeyOpChoice& choice : all) {
    if (choice.contains(filter)) choices.push_back(&choice);
  }
  const float row_height = line_height(frame.fonts().text) + frame.px(5);
  const float wanted = static_cast<float>(std::max<std::size_t>(1, choices.size())) * row_height;
  const float height = std::min(wanted, frame.px(kListHeight));
  ImGui::SetNextWindowPos({field.left, field.bottom + frame.px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  std::optional<std::string> chosen;
  if (ImGui::BeginPopup(kPopup)) {
    close_popup_on_escape();
    ImGui::BeginChild("list", {frame.px(kListWidth), height});
    if (choices.empty()) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      draw_text(frame.fonts().text, at.x + frame.px(6), at.y + frame.px(2), frame.palette().dim,
                filter.empty() ? "Every op of this file ran only once."
                               : "No op that ran twice or more has this in its name or id.");
    }
    chosen = draw_choices(frame, choices);
    ImGui::EndChild();
    if (chosen) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return chosen;
}

}  // namespace

std::optional<std::string> draw_key_op_field(Frame& frame, const Box& box, std::string& text,
                                             std::string_view filter,
                                             std::optional<std::vector<KeyOpChoice>>& choices) {
  const float arrow = frame.px(22);
  const Box button{box.right - arrow, box.top, box.right, box.bottom};
  const TextFieldResult typed =
      draw_text_field(frame, "iterations/key_op", box, arrow, text, "none");
  const Hit hit = hit_area(frame, "iterations/key_op_open", button);
  draw_icon(Icon::down, (button.left + button.right) / 2, (button.top + button.bottom) / 2,
            frame.px(10), hit.hovered ? frame.palette().text : frame.palette().dim);
  if (hit.clicked) {
    if (!choices) choices = prepare_key_ops(*frame.model.profile);
    ImGui::OpenPopup(kPopup);
  }
  const std::optional<std::string> chosen =
      choices ? draw_popup(frame, box, filter, *choices) : std::nullopt;
  if (chosen) return chosen;
  return typed.entered ? std::optional(text) : std::nullopt;
}

}  // namespace dlview::ui
