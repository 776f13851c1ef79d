#include "ui/chart/steady.h"

#include <fmt/format.h>

#include "aggregate/metrics.h"
#include "base/units.h"
#include "ui/chart/outlier_marks.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

std::string steady_reason(const std::optional<aggregate::IterationRange>& steady,
                          const aggregate::Outliers* outliers) {
  if (!steady) {
    return "No steady range: nowhere do five iterations in a row stay near the median, or there "
           "are fewer than ten.";
  }
  std::string text(aggregate::metric("steady_range").formula);
  if (outliers == nullptr) return text;
  const int64_t inside = outliers_in(*outliers, *steady);
  return text + (inside == 0   ? "\nNo outliers inside."
                 : inside == 1 ? "\n1 outlier inside."
                               : fmt::format("\n{} outliers inside.", base::format_count(inside)));
}

void draw_steady_offer(Frame& frame, std::string_view name, const Box& box,
                       const std::optional<aggregate::IterationRange>& steady,
                       aggregate::IterationRange range) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  const float second = box.top + line_height(fonts.small) + frame.px(6);
  draw_text_right(fonts.small, box.right, box.top + frame.px(3), colours.dim,
                  steady ? "steady range" : "no steady range");
  const Box both{box.left, box.top, box.right, second + line_height(fonts.text)};
  if (steady) {
    const bool is_set = *steady == range;
    const std::string label = fmt::format("{} – {}{}", base::format_count(steady->first),
                                          base::format_count(steady->last), is_set ? "" : " ↵");
    const Hit hit = hit_area(frame, name, both);
    draw_text_right(fonts.text, box.right, second, is_set ? colours.dim : colours.accent, label);
    frame.inspector.record_value(name, label);
    if (hit.hovered && !is_set) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked && !is_set) frame.host.select(frame.model.selection.with_range(*steady));
  }
  if (hovered(both)) {
    show_tooltip(frame, steady_reason(steady, frame.model.outliers.get()));
  }
}

}  // namespace dlview::ui
