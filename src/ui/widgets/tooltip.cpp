#include "ui/widgets/tooltip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/metrics.h"
#include "aggregate/provenance.h"
#include "ui/stand_ins.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {
namespace {

constexpr float kTooltipWidth = 340;
constexpr std::size_t kNameLines = 8;
constexpr float kFromPointer = 16;

class Tooltip {
 public:
  explicit Tooltip(Frame& frame) : inspector_(frame.inspector), width_(frame.px(kTooltipWidth)) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, frame.px(6));
    ImGui::BeginTooltip();
    ImGui::PopStyleVar();
  }
  ~Tooltip() {
    ImGui::EndTooltip();
    inspector_.record_value("tooltip", said_);
  }
  Tooltip(const Tooltip&) = delete;
  Tooltip& operator=(const Tooltip&) = delete;

  void text(ImFont* font, Color color, std::string_view text) {
    if (text.empty()) return;
    say(text);
    const auto measure = [font](std::string_view part) { return text_width(font, part); };
    std::string lines;
    for (const std::string& line : wrap_prose(text, width_, measure)) {
      if (!lines.empty()) lines += '\n';
      lines += line;
    }
    draw(font, color, lines);
  }

  void name(ImFont* font, Color color, std::string_view name) {
    say(name);
    const auto measure = [font](std::string_view part) { return text_width(font, part); };
    for (const std::string& line : wrap_name(name, width_, kNameLines, measure)) {
      draw(font, color, line);
    }
  }

  // Tells the inspector a line of the tooltip.
  void say(std::string_view line) {
    if (!said_.empty()) said_ += '\n';
    said_ += line;
  }

 private:
  // Lines that fit. ImGui would wrap behind a full stop, and so within "5.8%".
  void draw(ImFont* font, Color color, std::string_view text) const {
    push_font(font);
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    std::string buffer;
    const std::string_view shown = with_stand_ins(text, buffer);
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }

  Inspector& inspector_;
  std::string said_;
  float width_;
};

}  // namespace

void show_tooltip(Frame& frame, std::string_view text) {
  Tooltip tooltip(frame);
  tooltip.text(frame.fonts().text, frame.palette().text, text);
}

void place_next_tooltip(const Frame& frame, float top) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_right = io.MousePos.x < io.DisplaySize.x / 2;
  const float distance = frame.px(is_right ? kFromPointer : -kFromPointer);
  ImGui::SetNextWindowPos({std::round(io.MousePos.x + distance), std::round(top)}, ImGuiCond_Always,
                          {is_right ? 0.0f : 1.0f, 0.0f});
}

void show_name_tooltip(Frame& frame, std::string_view name) {
  show_text_tooltip(frame, {{TooltipStyle::name, std::string(name)}});
}

void show_metric_tooltip(Frame& frame, aggregate::MetricId id) {
  const aggregate::Metric& metric = aggregate::metric(id);
  const std::string_view accounting = aggregate::to_text(metric.accounting);
  show_text_tooltip(
      frame,
      {{TooltipStyle::heading, std::string(metric.title)},
       {TooltipStyle::text, std::string(metric.formula)},
       {TooltipStyle::note, accounting.empty() ? "" : fmt::format("Counted as: {}", accounting)},
       {TooltipStyle::note,
        fmt::format("From {}", aggregate::source_tables(metric, frame.model.profile.get()))}});
}

void show_text_tooltip(Frame& frame, const std::vector<TooltipText>& lines) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  Tooltip tooltip(frame);
  for (const TooltipText& line : lines) {
    switch (line.style) {
      case TooltipStyle::heading:
        tooltip.text(fonts.strong, colors.text, line.text);
        break;
      case TooltipStyle::value:
        tooltip.text(fonts.text, colors.accent, line.text);
        break;
      case TooltipStyle::name:
        tooltip.name(fonts.mono, colors.text, line.text);
        break;
      case TooltipStyle::text:
        tooltip.text(fonts.text, colors.text, line.text);
        break;
      case TooltipStyle::note:
        tooltip.text(fonts.small, colors.dim, line.text);
        break;
    }
  }
}

void show_rows_tooltip(Frame& frame, std::string_view heading, const std::vector<TooltipRow>& rows,
                       std::string_view note) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
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
  Tooltip tooltip(frame);
  tooltip.text(fonts.strong, colors.text, heading);
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
    draw_text(fonts.text, at.x + indent, y, colors.text, row.label);
    draw_text_right(fonts.text, value_right, y, colors.text, row.value);
    draw_text_right(fonts.text, share_right, y, colors.dim, row.share);
    tooltip.say(row.share.empty() ? fmt::format("{}: {}", row.label, row.value)
                                  : fmt::format("{}: {}, {}", row.label, row.value, row.share));
    y += height;
  }
  ImGui::Dummy({share_right - at.x, y - at.y});
  tooltip.text(fonts.small, colors.dim, note);
}

}  // namespace dlview::ui
