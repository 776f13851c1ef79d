#include <algorithm>
#include <cmath>

#include "ui/chart/iteration_name.h"
#include "ui/chart/cut_bars.h"
#include "ui/chart/ticks.h"
#include "ui/views/iterations/chart.h"

namespace dlview::ui {
namespace {

constexpr float kPixelsPerDuration = 70;
constexpr float kPixelsPerNumber = 80;
constexpr float kGapOfNumbers = 24;

// `beside`: room between the labels and the plot.
void draw_durations(const Frame& frame, const Plot& plot, float beside, float right) {
  const ImFont* font = frame.fonts().small;
  const Palette& colours = frame.palette();
  const int marks = std::max(2, static_cast<int>(plot.height / frame.px(kPixelsPerDuration)));
  for (const Tick& tick : duration_ticks(plot.top_ns, marks)) {
    const float y = std::round(plot.y_of(tick.value));
    horizontal_line(plot.left, right, y, mix(colours.background, colours.line, 0.7f));
    draw_text_right(font, plot.left - beside - frame.px(8), y - font_size(font) / 2, colours.dim,
                    tick.label);
  }
}

}  // namespace

void draw_axes(const Frame& frame, const Box& box, const Plot& plot,
               const aggregate::IterationTable& table) {
  const auto count = static_cast<int64_t>(table.iterations.rows.size());
  draw_durations(frame, plot, outside_room(frame, table).before,
                 box.right - right_margin(frame, count));
  const ImFont* font = frame.fonts().small;
  const auto first = static_cast<int64_t>(std::ceil(plot.span.first));
  const int64_t last = std::min(count, static_cast<int64_t>(std::ceil(plot.span.last))) - 1;
  if (last < first) return;
  const float widest = text_width(font, iteration_number(table.iterations, last));
  const float spacing = std::max(frame.px(kPixelsPerNumber), widest + frame.px(kGapOfNumbers));
  const int numbers = std::max(1, static_cast<int>(plot.width / spacing));
  for (const Tick& tick : iteration_ticks(first, last, numbers)) {
    const std::string label = iteration_number(table.iterations, static_cast<int64_t>(tick.value));
    const float width = text_width(font, label);
    const float left = plot.x_of(tick.value + 0.5) - width / 2;
    draw_text(font, std::min(left, box.right - width), plot.bottom() + frame.px(4),
              frame.palette().dim, label);
  }
}

}  // namespace dlview::ui
