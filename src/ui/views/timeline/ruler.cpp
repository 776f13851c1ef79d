#include "ui/views/timeline/ruler.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "aggregate/compare.h"
#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/chart/iteration_name.h"
#include "ui/chart/navigation.h"
#include "ui/chart/outliers.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

struct Other {
  std::string id, what;  // "before", "the previous one"
  int64_t iteration = 0;
};

// That differ from the iteration and from each other.
std::vector<Other> others_of(const Model& model, int64_t iteration) {
  const aggregate::IterationTable& table = *model.aggregation->whole().iteration_table;
  const auto last = static_cast<int64_t>(table.iterations.rows.size()) - 1;
  std::vector<Other> others;
  const auto add = [&](const char* id, const char* what, std::optional<int64_t> other) {
    if (!other || *other < 0 || *other > last || *other == iteration) return;
    for (const Other& present : others) {
      if (present.iteration == *other) return;
    }
    others.push_back({id, what, *other});
  };
  add("chosen", "the baseline", model.compared.baseline);
  if (model.outliers) add("typical", "the typical iteration", model.outliers->typical);
  add("before", "the previous one", iteration - 1);
  add("after", "the next one", iteration + 1);
  add("slowest", "the slowest one",
      aggregate::slowest_iteration(table, model.aggregation->selection.range));
  return others;
}

constexpr float kTickRoom = 110;
constexpr float kNameInset = 12;

// Null = it is none, or not known yet.
const aggregate::Outlier* outlier_of(const workspace::RunModel& run, int64_t iteration) {
  return run.outliers == nullptr ? nullptr : find_outlier(*run.outliers, iteration);
}

Color color_of_iteration(const Frame& frame, const workspace::RunModel& run, int64_t iteration) {
  const Palette& colors = frame.palette();
  const aggregate::IterationRange range = current_range(run);
  const bool is_in_range = iteration >= range.first && iteration <= range.last;
  // Neighbors differ, where no gap between them can be seen.
  const float share = iteration % 2 == 0 ? 0.35f : 0.45f;
  if (outlier_of(run, iteration) != nullptr) {
    return mix(colors.background, colors.attention, is_in_range ? share : share / 2);
  }
  return mix(colors.background, is_in_range ? colors.accent : colors.outside, share);
}

// "Iteration 47 · 355 ms", and for an outlier "data loader, +142 ms: DataLoader::__next__ +138 ms".
std::string text_of_iteration(const workspace::RunModel& run, int64_t iteration) {
  const aggregate::Iterations& iterations = run.aggregation->iteration_table->iterations;
  const int64_t ns = iterations.rows[static_cast<std::size_t>(iteration)].duration_ns();
  std::string text =
      fmt::format("{} · {}", iteration_name(iterations, iteration), base::format_duration(ns));
  if (const aggregate::Outlier* outlier = outlier_of(run, iteration)) {
    text += fmt::format("\nOutlier: {}", describe_outlier(*run.profile, *outlier));
  }
  return text;
}

timeline::TimeTicks ticks_of(const Frame& frame, const TimelinePlot& plot) {
  return timeline::time_ticks(
      plot.map.window(), std::max(1, static_cast<int>(plot.box.width() / frame.px(kTickRoom))));
}

void draw_name(const Frame& frame, float left, float top, float height, std::string_view name) {
  draw_text_in(frame.fonts().strong,
               {left + frame.px(kNameInset), top, left + frame.px(200), top + height},
               frame.palette().text, name);
}

// What the labels of the ticks count from, beside the first of them.
void draw_origin(Frame& frame, std::string_view label, float right, float top) {
  const ImFont* font = frame.fonts().small;
  draw_text_right(font, right - frame.px(8),
                  top + std::round((frame.px(kRulerHeight) - font_size(font)) / 2),
                  frame.palette().text, label);
  frame.inspector.record_value("timeline/origin", label);
}

constexpr float kLabelInset = 5, kNumberInset = 2, kLabelGap = 6;

struct IterationLabel {
  int64_t iteration = 0;
  std::string text;
  float left = 0, right = 0;
};

// As much as the box has room for: of an outlier also its cause. A number that is wider than its
// box stands across its middle, if the ruler has room for it there.
std::optional<IterationLabel> label_of(const Frame& frame, const workspace::RunModel& run,
                                       const timeline::Mark& iteration, const Box& box,
                                       const Box& ruler) {
  const aggregate::Iterations& iterations = run.aggregation->iteration_table->iterations;
  const ImFont* font = frame.fonts().small;
  const float inset = frame.px(kLabelInset);
  const std::string number = base::format_count(iteration.first);
  const float width = text_width(font, number);
  if (width <= box.width() - 2 * inset) {
    const std::string whole = fmt::format("{} · {}", iteration_name(iterations, iteration.first),
                                          base::format_duration(iteration.busy_ns));
    const aggregate::Outlier* outlier = outlier_of(run, iteration.first);
    const std::string with_cause =
        outlier == nullptr ? whole : fmt::format("{} · {}", whole, to_text(outlier->kind));
    for (const std::string& text :
         {with_cause, whole, iteration_number(iterations, iteration.first), number}) {
      const float taken = text_width(font, text);
      if (taken > box.width() - 2 * inset) continue;
      return IterationLabel{iteration.first, text, box.left + inset, box.left + inset + taken};
    }
  }
  const float left = std::round((box.left + box.right - width) / 2);
  const float least = frame.px(kNumberInset);
  if (left < ruler.left + least || left + width > ruler.right - least) return std::nullopt;
  return IterationLabel{iteration.first, number, left, left + width};
}

// Of iterations in folds there are none. Returns how many there are.
int draw_labels(const Frame& frame, const workspace::RunModel& run,
                const timeline::LinePicture& picture, const Box& ruler) {
  std::vector<IterationLabel> labels;
  std::vector<LabelPlace> places;
  for (const timeline::Mark& mark : picture) {
    if (mark.is_fold()) continue;
    const Box box{ruler.left + static_cast<float>(mark.left), ruler.top,
                  ruler.left + static_cast<float>(mark.right), ruler.bottom};
    auto label = label_of(frame, run, mark, box, ruler);
    if (!label) continue;
    places.push_back({label->iteration, label->left, label->right,
                      outlier_of(run, label->iteration) != nullptr});
    labels.push_back(std::move(*label));
  }
  const std::vector<std::size_t> drawn = labels_to_draw(places, frame.px(kLabelGap));
  for (const std::size_t i : drawn) {
    draw_text_in(frame.fonts().small, {labels[i].left, ruler.top, ruler.right, ruler.bottom},
                 frame.palette().text, labels[i].text);
  }
  return static_cast<int>(drawn.size());
}

}  // namespace

std::optional<workspace::IterationPair> IterationMenu::draw(Frame& frame, const Box& box,
                                                            std::optional<int64_t> pointed) {
  std::optional<workspace::IterationPair> chosen;
  if (pointed) of_ = pointed;
  if (!pointed && !is_open_) of_.reset();
  if (!of_) return chosen;
  const std::vector<Other> others = others_of(frame.model, *of_);
  if (others.empty()) return chosen;
  CopyMenu menu(frame, "timeline/iteration_menu", box);
  is_open_ = menu.is_open();
  if (!is_open_) return chosen;
  for (const Other& other : others) {
    menu.action("beside_" + other.id,
                fmt::format("Iteration {} side by side with {}, {}", base::format_count(*of_),
                            other.what, base::format_count(other.iteration)),
                [&] {
                  chosen = workspace::IterationPair{*of_, other.iteration};
                });
  }
  return chosen;
}

int64_t label_stride(std::span<const LabelPlace> labels, float gap) {
  const auto fits = [&](int64_t stride) {
    std::size_t at_stride = 0, fitting = 0;
    const LabelPlace* before = nullptr;
    for (const LabelPlace& label : labels) {
      if (label.is_outlier || label.iteration % stride != 0) continue;
      ++at_stride;
      if (before != nullptr && label.left < before->right + gap) continue;
      ++fitting;
      before = &label;
    }
    return 10 * (at_stride - fitting) <= at_stride;
  };
  for (int64_t decade = 1;; decade *= 10) {
    for (const int64_t stride : {decade, 2 * decade, 5 * decade}) {
      if (fits(stride)) return stride;
    }
  }
}

std::vector<std::size_t> labels_to_draw(std::span<const LabelPlace> labels, float gap) {
  std::vector<std::size_t> drawn;
  float free_from = -FLT_MAX;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].is_outlier || labels[i].left < free_from) continue;
    drawn.push_back(i);
    free_from = labels[i].right + gap;
  }
  const std::vector<std::size_t> outliers = drawn;
  const int64_t stride = label_stride(labels, gap);
  free_from = -FLT_MAX;
  auto next = outliers.begin();  // the first that ends right of the label
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const LabelPlace& label = labels[i];
    if (label.is_outlier || label.iteration % stride != 0 || label.left < free_from) continue;
    while (next != outliers.end() && labels[*next].right + gap <= label.left) ++next;
    if (next != outliers.end() && labels[*next].left < label.right + gap) continue;
    drawn.push_back(i);
    free_from = label.right + gap;
  }
  return drawn;
}

void draw_time_ruler(Frame& frame, const TimelinePlot& plot, float top) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const float height = frame.px(kRulerHeight);
  const timeline::TimeTicks ticks = ticks_of(frame, plot);
  for (const timeline::TimeTick& tick : ticks.ticks) {
    const float x = plot.x_of(tick.time_ns);
    fill({x, top + frame.px(4), x + 1, top + height}, colors.line);
    const float left = x + frame.px(5);
    if (left + text_width(font, tick.label) > plot.box.right) continue;
    draw_text_in(font, {left, top, plot.box.right, top + height}, colors.dim, tick.label);
  }
  if (ticks.origin) draw_origin(frame, ticks.origin->label, plot.box.left, top);
  frame.inspector.record_value("timeline/first_tick",
                               ticks.ticks.empty() ? "" : ticks.ticks.front().label);
}

void draw_time_grid(const Frame& frame, const TimelinePlot& plot) {
  const Color color = with_opacity(frame.palette().line, 0.5f);
  for (const timeline::TimeTick& tick : ticks_of(frame, plot).ticks) {
    const float x = plot.x_of(tick.time_ns);
    fill({x, plot.box.top, x + 1, plot.box.bottom}, color);
  }
}

IterationBoxes::Drawn IterationBoxes::draw(Frame& frame, const workspace::RunModel& run,
                                           const TimelinePlot& plot, const Box& box,
                                           BarLayer& bars) {
  if (table_ != run.aggregation->iteration_table) {
    table_ = run.aggregation->iteration_table;
    line_ = timeline::IterationLine(table_->iterations.rows);
  }
  picture_ = line_.prepare(plot.map);
  std::vector<render::Rectangle> rectangles;
  for (const timeline::Mark& mark : picture_) {
    const float left = box.left + static_cast<float>(mark.left);
    const float right = box.left + static_cast<float>(mark.right);
    rectangles.push_back(
        {left, box.top, right, box.bottom, color_of_iteration(frame, run, mark.longest)});
  }
  bars.add(*ImGui::GetWindowDrawList(), std::move(rectangles));
  return {picture_, draw_labels(frame, run, picture_, box)};
}

IterationChoice IterationRuler::draw(Frame& frame, const TimelinePlot& plot, float names_left,
                                     float top, bool takes_clicks, BarLayer& bars) {
  const float height = frame.px(kIterationsHeight);
  draw_name(frame, names_left, top, height, "Iterations");
  const Box box{plot.box.left, top + frame.px(3), plot.box.right, top + height - frame.px(3)};
  const IterationBoxes::Drawn drawn = boxes_.draw(frame, frame.model, plot, box, bars);
  const timeline::LinePicture& picture = drawn.picture;
  frame.inspector.record_value("timeline/iterations", fmt::format("{}", picture.size()));
  frame.inspector.record_value("timeline/iteration_labels", fmt::format("{}", drawn.labels));
  if (!takes_clicks) return {};
  const Hit hit = hit_area(frame, "timeline/iterations", box, Reach::mouse);
  // A mouse that is nowhere has no column.
  const auto mark_at_mouse = [&picture, &box] {
    return find_mark(picture, static_cast<int32_t>(ImGui::GetIO().MousePos.x - box.left), 1);
  };
  const timeline::Mark* mark = hit.hovered || hit.clicked ? mark_at_mouse() : nullptr;
  IterationChoice choice;
  choice.held = hit.held;
  choice.beside = menu_.draw(
      frame, box, mark == nullptr ? std::nullopt : std::optional<int64_t>(mark->longest));
  if (mark == nullptr) return choice;
  if (hit.hovered) {
    const std::string text = text_of_iteration(frame.model, mark->longest);
    show_tooltip(frame, mark->is_fold() ? fmt::format("{} iterations. The longest:\n{}",
                                                      base::format_count(mark->count), text)
                                        : text);
  }
  if (hit.clicked && !was_dragged(frame)) choice.shown = mark->longest;
  return choice;
}

}  // namespace dlview::ui
