#include "ui/views/iterations/outlier_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/outliers.h"

namespace dlview::ui {
namespace {

constexpr const char* kOutlierPopup = "outliers";
constexpr float kOutlierListWidth = 620;
constexpr float kOutlierListHeight = 320;
constexpr float kIterationNumberWidth = 74;

void draw_row(Frame& frame, const Box& row, const aggregate::Outlier& outlier) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const std::string number = base::format_count(outlier.iteration);
  const std::string name = "iterations/outlier_list/" + number;
  std::string cause = describe_outlier(*frame.model.profile, outlier);
  const std::string_view edge =
      edge_note(*frame.model.profile, frame.model.aggregation->iteration_table->iterations,
                outlier.iteration);
  if (!edge.empty()) cause += fmt::format(" · {}", edge);
  frame.inspector.record_value(name, cause);
  const Hit hit = hit_area(frame, name, row);
  const bool selected = frame.model.compared.iteration == outlier.iteration;
  if (hit.hovered || selected) {
    fill(row, with_opacity(colours.accent, hit.hovered ? 0.18f : 0.10f), frame.px(4));
  }
  const float half = frame.px(4);
  const float middle = std::round((row.top + row.bottom) / 2);
  const float left = row.left + frame.px(6);
  fill({left, middle - half, left + 2 * half, middle + half}, outlier_colour(colours, outlier.kind),
       frame.px(2));
  const float number_right = left + frame.px(kIterationNumberWidth);
  draw_text_right(fonts.text, number_right, row.top + frame.px(3), colours.text, number);
  const float text_left = number_right + frame.px(16);
  draw_text_cut(frame, fonts.text, text_left, row.top + frame.px(3),
                row.right - frame.px(6) - text_left, colours.dim, cause, CutAt::middle);
  if (hit.clicked) frame.host.select_iteration(outlier.iteration);
}

void draw_popup(Frame& frame, float left, float top, const aggregate::Outliers& outliers) {
  const float row_height = line_height(frame.fonts().text) + frame.px(6);
  const float wanted = static_cast<float>(outliers.rows.size()) * row_height;
  ImGui::SetNextWindowPos({left, top});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (ImGui::BeginPopup(kOutlierPopup)) {
    close_popup_on_escape();
    ImGui::BeginChild(
        "list", {frame.px(kOutlierListWidth), std::min(wanted, frame.px(kOutlierListHeight))});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(outliers.rows.size()), row_height);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Box row{at.x, at.y, at.x + ImGui::GetContentRegionAvail().x, at.y + row_height};
        draw_row(frame, row, outliers.rows[static_cast<std::size_t>(i)]);
        ImGui::SetCursorScreenPos({row.left, row.bottom});
      }
    }
    ImGui::EndChild();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_outliers(Frame& frame, Flow& flow) {
  const auto& outliers = frame.model.outliers;
  if (!outliers || outliers->rows.empty()) return;
  const std::size_t count = outliers->rows.size();
  const std::string label =
      count == 1 ? std::string("1 outlier")
                 : fmt::format("{} outliers", base::format_count(static_cast<int64_t>(count)));
  const float step = button_width(frame, "‹");
  const float list = menu_button_width(frame, label);
  const float gap = frame.px(2);
  float x = flow.place(list + 2 * (step + gap));
  const float top = flow.top();
  const std::optional<int64_t> selected = frame.model.compared.iteration;
  if (draw_button(frame, "iterations/previous_outlier", x, top, "‹")) {
    frame.host.select_iteration(previous_outlier(*outliers, selected));
  }
  x += step + gap;
  const float list_left = x;
  if (draw_menu_button(frame, "iterations/outliers", x, top, label,
                       ImGui::IsPopupOpen(kOutlierPopup))) {
    ImGui::OpenPopup(kOutlierPopup);
  }
  frame.inspector.record_value("iterations/outliers", label);
  x += list + gap;
  if (draw_button(frame, "iterations/next_outlier", x, top, "›")) {
    frame.host.select_iteration(next_outlier(*outliers, selected));
  }
  draw_popup(frame, list_left, flow.bottom() + frame.px(4), *outliers);
}

}  // namespace dlview::ui
