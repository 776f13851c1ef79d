#include "ui/views/dashboard/iteration_summary.h"

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/navigation.h"
#include "ui/chart/cut_bars.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/iteration_popup.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kWidestBar = 120;

void draw_bounds(const Frame& frame, const Plot& plot, aggregate::IterationRange range) {
  const float width = frame.px(1.5f);
  for (const int64_t edge : {range.first, range.last + 1}) {
    const float x = std::round(plot.x_of(static_cast<double>(edge)));
    fill({x - width / 2, plot.top - frame.px(2), x + width / 2, plot.bottom()},
         frame.palette().bound);
  }
}

void draw_numbers(const Frame& frame, const Plot& plot, const aggregate::Iterations& iterations) {
  const auto count = static_cast<int64_t>(iterations.rows.size());
  const ImFont* font = frame.fonts().small;
  const float top = plot.bottom() + frame.px(3);
  draw_text(font, plot.left, top, frame.palette().dim, iteration_number(iterations, 0));
  if (count == 1) return;
  draw_text_right(font, plot.right(), top, frame.palette().dim,
                  iteration_number(iterations, count - 1));
}

}  // namespace

std::string prepare_iteration_note(const aggregate::Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  if (iterations.rows.size() == 1) {
    return iterations.key_instances == 0 ? "1 iteration: no key op splits this run" : "1 iteration";
  }
  std::size_t longest = 0;
  for (std::size_t i = 1; i < iterations.rows.size(); ++i) {
    if (iterations.rows[i].duration_ns() > iterations.rows[longest].duration_ns()) longest = i;
  }
  return fmt::format("{} iterations · longest {} (iteration {})",
                     base::format_count(static_cast<int64_t>(iterations.rows.size())),
                     base::format_duration(iterations.rows[longest].duration_ns()),
                     iteration_number(iterations, static_cast<int64_t>(longest)));
}

float draw_iteration_summary(Frame& frame, const Area& area, float chart_height,
                             const BarData& data, BarPicture& picture, BarLayer& bars) {
  const std::string note = prepare_iteration_note(*frame.model.aggregation);
  const Area body = draw_heading(frame, area, {"Iteration summary", "", note, ""});
  bool open = draw_heading_link(frame, area, "dashboard/iterations/open", "Iterations ›");

  Plot plot;
  plot.left = std::round(body.left);
  plot.top = std::round(body.top) + frame.px(2);
  plot.width =
      std::fmin(std::floor(body.width), static_cast<float>(data.count()) * frame.px(kWidestBar));
  plot.height = std::floor(chart_height);
  plot.span = whole_span(data.count());
  plot.top_ns = fitting_top_ns(data, plot.span);
  const aggregate::IterationRange range = current_range(frame.model);
  picture.prepare(data, plot, frame.palette());
  bars.add(*ImGui::GetWindowDrawList(), picture.bars(range));
  horizontal_line(plot.left, body.right(), plot.bottom(), frame.palette().line);
  if (data.count() > 1) draw_bounds(frame, plot, range);
  draw_cut_bars(frame, plot, data, picture.cut_bars(), frame.palette().panel);
  draw_numbers(frame, plot, data.table().iterations);

  const Hit hit = hit_area(frame, "dashboard/iterations/chart",
                           {plot.left, plot.top, plot.right(), plot.bottom()});
  open |= hit.clicked;
  const auto candidates =
      hit.hovered ? iterations_at(data, plot, ImGui::GetIO().MousePos.x) : std::nullopt;
  if (candidates) {
    const IterationPopup popup =
        prepare_popup(data, *candidates, range, {*frame.model.profile, *frame.model.aggregation},
                      frame.palette());
    show_rows_tooltip(frame, popup.heading, popup.rows, popup.note);
  }
  if (open) frame.host.show(ViewId::iterations);
  return plot.bottom() + frame.px(3) + line_height(frame.fonts().small);
}

}  // namespace dlview::ui
