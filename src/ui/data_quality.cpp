#include "ui/data_quality.h"

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

constexpr const char* kPopup = "data_quality";
constexpr float kListWidth = 520;
constexpr float kListHeight = 420;

void draw_line(ImFont* font, Colour colour, const std::string& text) {
  ImGui::PushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void draw_list(Frame& frame) {
  const profile::Profile& profile = *frame.model.profile;
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  if (!profile.quality.empty()) draw_line(fonts.strong, colours.text, "Rows that were not used");
  for (const profile::QualityNote& note : profile.quality) {
    draw_line(fonts.text, colours.text,
              fmt::format("{} · {}: {}", note.table, note.reason, base::format_count(note.rows)));
    draw_line(fonts.small, colours.dim, note.first_example);
  }
  if (!profile.quality.empty()) ImGui::Dummy({0, frame.px(6)});
  if (!profile.not_recorded.empty()) draw_line(fonts.strong, colours.text, "Not recorded");
  for (const profile::NotRecorded& item : profile.not_recorded) {
    draw_line(fonts.text, colours.text, item.what);
    draw_line(fonts.small, colours.dim, item.remedy);
  }
}

}  // namespace

void draw_quality_summary(Frame& frame, const Box& box, std::string_view text) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  const Hit hit = hit_area(frame, "status/quality", box);
  const bool is_open = ImGui::IsPopupOpen(kPopup);
  const Colour colour = hit.hovered || is_open ? colours.text : colours.dim;
  draw_text_in(font, box, colour, text);
  const float icon = frame.px(11);
  draw_icon(Icon::info, box.right - icon / 2, (box.top + box.bottom) / 2, icon, colour);
  if (hit.clicked) ImGui::OpenPopup(kPopup);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {frame.px(14), frame.px(12)});
  ImGui::SetNextWindowPos({box.right, box.top - frame.px(6)}, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSizeConstraints({frame.px(kListWidth), 0},
                                      {frame.px(kListWidth), frame.px(kListHeight)});
  const bool peek = hit.hovered && !is_open;
  if (peek) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, frame.px(6));
    ImGui::BeginTooltip();
    ImGui::PopStyleVar();
    draw_list(frame);
    ImGui::EndTooltip();
  } else if (ImGui::BeginPopup(kPopup)) {
    close_popup_on_escape();
    draw_list(frame);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace dlview::ui
