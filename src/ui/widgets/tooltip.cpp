#include "ui/widgets/tooltip.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

// Collects what it shows, so that the window has its size in the frame in which that changes: Dear
// ImGui alone gives a tooltip the size of the frame before.
class Tooltip {
  static constexpr ImGuiID kLastFrame = 0x7001, kCount = 0x7002;  // in the storage of the window

 public:
  explicit Tooltip(Frame& frame) : frame_(frame), width_(frame.px(kTooltipWidth)) {}
  ~Tooltip() {
    draw();
    frame_.inspector.record_value("tooltip", said_);
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
    add(font, color, lines);
  }

  void name(ImFont* font, Color color, std::string_view name) {
    say(name);
    const auto measure = [font](std::string_view part) { return text_width(font, part); };
    for (const std::string& line : wrap_name(name, width_, kNameLines, measure)) {
      add(font, color, line);
    }
  }

  // Calls draw_at(left top) for something of that size.
  void add(ImVec2 size, std::function<void(ImVec2)> draw_at) {
    parts_.push_back({size, std::move(draw_at)});
  }

  // Tells the inspector a line of the tooltip.
  void say(std::string_view line) {
    if (!said_.empty()) said_ += '\n';
    said_ += line;
  }

 private:
  struct Part {
    ImVec2 size;
    std::function<void(ImVec2)> draw_at;
  };

  // Lines that fit. ImGui would wrap behind a full stop, and so within "5.8%".
  void add(ImFont* font, Color color, const std::string& lines) {
    push_font(font);
    std::string buffer;
    const std::string shown(with_stand_ins(lines, buffer));
    const ImVec2 size = ImGui::CalcTextSize(shown.data(), shown.data() + shown.size());
    ImGui::PopFont();
    add(size, [font, color, shown](ImVec2) {
      push_font(font);
      ImGui::PushStyleColor(ImGuiCol_Text, color);
      ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
      ImGui::PopStyleColor();
      ImGui::PopFont();
    });
  }
  void draw() const {
    if (parts_.empty()) return;
    const ImGuiStyle& style = ImGui::GetStyle();
    ImVec2 size{0, style.ItemSpacing.y * static_cast<float>(parts_.size() - 1)};
    for (const Part& part : parts_) {
      size.x = std::max(size.x, part.size.x);
      size.y += part.size.y;
    }
    if (is_alone()) {
      ImGui::SetNextWindowSize({std::ceil(size.x + 2 * style.WindowPadding.x),
                                std::ceil(size.y + 2 * style.WindowPadding.y)});
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, frame_.px(6));
    ImGui::BeginTooltip();
    ImGui::PopStyleVar();
    count_in_window();
    for (const Part& part : parts_) part.draw_at(ImGui::GetCursorScreenPos());
    ImGui::EndTooltip();
  }

  // Whether this frame has no tooltip yet, and the last one had one at most. Several share a
  // window, whose size Dear ImGui finds.
  static bool is_alone() {
    ImGuiWindow* window = ImGui::FindWindowByName("##Tooltip_00");
    if (window == nullptr) return true;
    const int frames = ImGui::GetFrameCount() - window->StateStorage.GetInt(kLastFrame, -2);
    return frames > 1 || (frames == 1 && window->StateStorage.GetInt(kCount) <= 1);
  }
  // Remembers how many tooltips this frame has, with the window that they share.
  static void count_in_window() {
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const bool is_first = storage.GetInt(kLastFrame, -2) != ImGui::GetFrameCount();
    storage.SetInt(kCount, is_first ? 1 : storage.GetInt(kCount) + 1);
    storage.SetInt(kLastFrame, ImGui::GetFrameCount());
  }

  Frame& frame_;
  std::string said_;
  float width_;
  std::vector<Part> parts_;
};

void add_lines(Frame& frame, Tooltip& tooltip, const std::vector<TooltipText>& lines) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
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

// The rows live as long as the tooltip.
void add_rows(Frame& frame, Tooltip& tooltip, const std::vector<TooltipRow>& rows) {
  const Fonts& fonts = frame.fonts();
  float label_width = 0;
  float value_width = 0;
  float share_width = 0;
  for (const TooltipRow& row : rows) {
    label_width = std::max(label_width, text_width(fonts.text, row.label));
    value_width = std::max(value_width, text_width(fonts.text, row.value));
    share_width = std::max(share_width, text_width(fonts.text, row.share));
    tooltip.say(row.share.empty() ? fmt::format("{}: {}", row.label, row.value)
                                  : fmt::format("{}: {}, {}", row.label, row.value, row.share));
  }
  const float indent = frame.px(16);
  const float height = line_height(fonts.text) + frame.px(3);
  const float value_right = indent + label_width + frame.px(16) + value_width;
  const ImVec2 size{value_right + frame.px(10) + share_width,
                    height * static_cast<float>(rows.size())};
  tooltip.add(size, [&frame, &rows, size, height, indent, value_right](ImVec2 at) {
    const Fonts& faces = frame.fonts();
    const Palette& palette = frame.palette();
    float y = at.y;
    for (const TooltipRow& row : rows) {
      const float middle = y + line_height(faces.text) / 2;
      const float half = frame.px(4);
      if (row.swatch != 0) {
        fill({at.x, middle - half, at.x + 2 * half, middle + half}, row.swatch, frame.px(2));
      }
      draw_text(faces.text, at.x + indent, y, palette.text, row.label);
      draw_text_right(faces.text, at.x + value_right, y, palette.text, row.value);
      draw_text_right(faces.text, at.x + size.x, y, palette.dim, row.share);
      y += height;
    }
    ImGui::Dummy(size);
  });
}

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

void place_next_tooltip(const Frame& frame, const Box& beside) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const bool is_left = beside.left + beside.right < screen.x;
  const bool is_upper = beside.top + beside.bottom < screen.y;
  const float distance = frame.px(kFromPointer / 2);
  // Wide ones leave no room at their side.
  const float width = frame.px(kTooltipWidth);
  const float x = is_left ? std::min(beside.right + distance, screen.x - width)
                          : std::max(beside.left - distance, width);
  ImGui::SetNextWindowPos({std::round(x), std::round(is_upper ? beside.top : beside.bottom)},
                          ImGuiCond_Always, {is_left ? 0.0f : 1.0f, is_upper ? 0.0f : 1.0f});
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
  Tooltip tooltip(frame);
  add_lines(frame, tooltip, lines);
}

void show_rows_tooltip(Frame& frame, const std::vector<TooltipText>& lines,
                       const std::vector<TooltipRow>& rows, std::string_view note) {
  Tooltip tooltip(frame);
  add_lines(frame, tooltip, lines);
  if (!rows.empty()) add_rows(frame, tooltip, rows);
  tooltip.text(frame.fonts().small, frame.palette().dim, note);
}

void show_rows_tooltip(Frame& frame, std::string_view heading, const std::vector<TooltipRow>& rows,
                       std::string_view note) {
  show_rows_tooltip(frame, {{TooltipStyle::heading, std::string(heading)}}, rows, note);
}

}  // namespace dlview::ui
