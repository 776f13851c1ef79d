#include "ui/chart/outliers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/metrics.h"
#include "base/units.h"
#include "ui/chart/iteration_name.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::Outlier;
using aggregate::OutlierClass;

// The first outlier at or behind an iteration.
auto at_or_behind(const std::vector<Outlier>& rows, int64_t iteration) {
  return std::lower_bound(
      rows.begin(), rows.end(), iteration,
      [](const Outlier& outlier, int64_t number) { return outlier.iteration < number; });
}

}  // namespace

Color outlier_color(const Palette& palette, OutlierClass kind) {
  switch (kind) {
    case OutlierClass::warm_up:
    case OutlierClass::start_up:
    case OutlierClass::little_work:
    case OutlierClass::ran_ahead:
      return palette.dim;
    default:
      return palette.attention;
  }
}

const Outlier* find_outlier(const aggregate::Outliers& outliers, int64_t iteration) {
  const auto found = at_or_behind(outliers.rows, iteration);
  return found != outliers.rows.end() && found->iteration == iteration ? &*found : nullptr;
}

int64_t outliers_in(const aggregate::Outliers& outliers, aggregate::IterationRange range) {
  return at_or_behind(outliers.rows, range.last + 1) - at_or_behind(outliers.rows, range.first);
}

std::optional<int64_t> next_outlier(const aggregate::Outliers& outliers,
                                    std::optional<int64_t> from) {
  if (outliers.rows.empty()) return std::nullopt;
  const auto found = from ? at_or_behind(outliers.rows, *from + 1) : outliers.rows.begin();
  return found == outliers.rows.end() ? outliers.rows.front().iteration : found->iteration;
}

std::optional<int64_t> previous_outlier(const aggregate::Outliers& outliers,
                                        std::optional<int64_t> from) {
  if (outliers.rows.empty()) return std::nullopt;
  const auto behind = from ? at_or_behind(outliers.rows, *from) : outliers.rows.end();
  return behind == outliers.rows.begin() ? outliers.rows.back().iteration
                                         : std::prev(behind)->iteration;
}

std::string describe_outlier(const profile::Profile& profile, const Outlier& outlier) {
  std::string text = fmt::format("{}, {}", aggregate::to_text(outlier.kind),
                                 format_difference(outlier.difference_ns));
  if (outlier.host) {
    return text + fmt::format(": host {}", aggregate::place_of_host(profile, *outlier.host));
  }
  if (outlier.op == profile::kNoRow) return text;
  return text + fmt::format(": {} {}", profile.text(profile.ops.name[outlier.op]),
                            format_difference(outlier.op_difference_ns));
}

std::vector<OutlierMark> prepare_outlier_marks(const aggregate::Outliers& outliers,
                                               const BarData& data, const Plot& plot,
                                               float spacing) {
  std::vector<OutlierMark> marks;
  int64_t shown_difference = 0;
  auto row = at_or_behind(outliers.rows, static_cast<int64_t>(std::floor(plot.span.first)));
  for (; row != outliers.rows.end() && row->iteration < data.count(); ++row) {
    const float x = plot.x_of(static_cast<double>(row->iteration) + 0.5);
    if (x >= plot.right()) break;
    const float y = plot.y_of(static_cast<double>(data.height_ns(row->iteration)));
    const OutlierMark mark{row->iteration, row->kind, x, std::max(y, plot.top)};
    const int64_t difference = std::abs(row->difference_ns);
    if (marks.empty() || x - marks.back().x >= spacing) {
      marks.push_back(mark);
    } else if (difference > shown_difference) {
      marks.back() = mark;
    } else {
      continue;
    }
    shown_difference = difference;
  }
  return marks;
}

std::string steady_reason(const std::optional<aggregate::IterationRange>& steady,
                          const aggregate::Outliers* outliers) {
  if (!steady) {
    return "No steady state: the run has fewer than ten iterations, or no five in a row near the "
           "median.";
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
  const Palette& colors = frame.palette();
  const float second = box.top + line_height(fonts.small) + frame.px(6);
  draw_text_right(fonts.small, box.right, box.top + frame.px(3), colors.dim,
                  steady ? "steady state" : "no steady state");
  const Box both{box.left, box.top, box.right, second + line_height(fonts.text)};
  if (steady) {
    const bool is_set = *steady == range;
    const std::string label = fmt::format("{}–{}{}", base::format_count(steady->first),
                                          base::format_count(steady->last), is_set ? "" : " ↵");
    const Hit hit = hit_area(frame, name, both);
    draw_text_right(fonts.text, box.right, second, is_set ? colors.dim : colors.accent, label);
    frame.inspector.record_value(name, label);
    if (hit.hovered && !is_set) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.clicked && !is_set) frame.host.select(frame.model.selection.with_range(*steady));
  }
  if (hovered(both)) {
    show_tooltip(frame, steady_reason(steady, frame.model.outliers.get()));
  }
}

}  // namespace dlview::ui
