#include "ui/widgets/tooltip.h"

#include <algorithm>

#include <fmt/format.h>

#include "aggregate/metrics.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

constexpr float kWidth = 340;

class Tooltip {
 public:
  explicit Tooltip(const Frame& frame) : width_(frame.px(kWidth)) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, frame.px(6));
    ImGui::BeginTooltip();
    ImGui::PopStyleVar();
  }
  ~Tooltip() { ImGui::EndTooltip(); }
  Tooltip(const Tooltip&) = delete;
  Tooltip& operator=(const Tooltip&) = delete;

  void text(ImFont* font, Colour colour, std::string_view text) const {
    if (text.empty()) return;
    ImGui::PushFont(font);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushTextWrapPos(width_);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }

 private:
  float width_;
};

}  // namespace

void show_tooltip(Frame& frame, std::string_view text) {
  const Tooltip tooltip(frame);
  tooltip.text(frame.fonts().text, frame.palette().text, text);
}

void show_metric_tooltip(Frame& frame, std::string_view metric_id, std::string_view value) {
  const aggregate::Metric& metric = aggregate::metric(metric_id);
  const std::string_view accounting = aggregate::to_text(metric.accounting);
  const Tooltip tooltip(frame);
  tooltip.text(
      frame.fonts().strong, frame.palette().text,
      value.empty() ? std::string(metric.title) : fmt::format("{} · {}", metric.title, value));
  tooltip.text(frame.fonts().text, frame.palette().text, metric.formula);
  if (!accounting.empty()) {
    tooltip.text(frame.fonts().small, frame.palette().dim,
                 fmt::format("Counted as: {}", accounting));
  }
  tooltip.text(frame.fonts().small, frame.palette().dim, fmt::format("From: {}", metric.source));
}

void show_rows_tooltip(Frame& frame, std::string_view heading, const std::vector<TooltipRow>& rows,
                       std::string_view note) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  float label_width = 0;
  float value_width = 0;
  float share_width = 0;
  for (const TooltipRow& row : rows) {
    label_width = std::max(label_width, text_width(fonts.text, row.label));
    value_width = std::max(value_width, text_width(fonts.text, row.value));
    share_width = std::max(share_width, text_width(fonts.text, row.share));
  }
  const float gap = frame.px(16);
  const float indent = frame.px(16);
  const Tooltip tooltip(frame);
  tooltip.text(fonts.strong, colours.text, heading);
  const float height = line_height(fonts.text) + frame.px(3);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float value_right = at.x + indent + label_width + gap + value_width;
  const float share_right = value_right + frame.px(10) + share_width;
  float y = at.y;
  for (const TooltipRow& row : rows) {
    const float middle = y + line_height(fonts.text) / 2;
    const float half = frame.px(4);
    if (row.swatch != 0) {
      fill({at.x, middle - half, at.x + 2 * half, middle + half}, row.swatch, frame.px(2));
    }
    draw_text(fonts.text, at.x + indent, y, colours.text, row.label);
    draw_text_right(fonts.text, value_right, y, colours.text, row.value);
    draw_text_right(fonts.text, share_right, y, colours.dim, row.share);
    y += height;
  }
  ImGui::Dummy({share_right - at.x, y - at.y});
  tooltip.text(fonts.small, colours.dim, note);
}

}  // namespace dlview::ui
