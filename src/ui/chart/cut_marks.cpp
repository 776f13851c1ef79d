#include "ui/chart/cut_marks.h"

#include "ui/chart/cut_labels.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

void draw_cut_bars(const Frame& frame, const Plot& plot, const BarData& data,
                   const std::vector<CutBar>& bars, Colour surface) {
  const ImFont* font = frame.fonts().small;
  const float y = plot.top + frame.px(9);
  for (const CutBar& bar : bars) fill({bar.left, y, bar.right, y + frame.px(3)}, surface);
  const float top = plot.top + frame.px(3);
  const CutLabelRoom room{frame.px(6), frame.px(5) + line_height(font)};
  const auto measure = [font](std::string_view text) { return text_width(font, text); };
  for (const CutLabel& label : prepare_cut_labels(data, plot, bars, room, measure)) {
    fill({label.left - frame.px(3), top, label.right + frame.px(3), top + line_height(font)},
         surface, frame.px(3));
    draw_text(font, label.left, top, frame.palette().dim, label.text);
  }
}

}  // namespace dlview::ui
