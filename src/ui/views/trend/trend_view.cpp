#include "ui/views/trend/trend_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aggregate/comparison/statistics.h"
#include "base/units.h"
#include "report/trend/trend_tables.h"
#include "ui/pages.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kHeadLine = 30, kLeastTitle = 140;
constexpr std::size_t kMostSentenceLines = 3;

std::string order_text(const workspace::MeasuredTrend& measured) {
  return fmt::format(
      "{} in {}", base::counted(static_cast<int64_t>(measured.trend->captures.size()), "captures"),
      measured.is_by_time ? "order of recording" : "the order given");
}

// What of the trend is no step.
std::vector<std::string> trend_remarks(const workspace::MeasuredTrend& measured) {
  std::vector<std::string> remarks;
  if (measured.trend && measured.trend->captures.size() < aggregate::kFewestForSteps) {
    remarks.push_back(
        fmt::format("Captures of one state are assumed to differ by up to {:.0f}%: smaller changes "
                    "could not be seen.",
                    100 * aggregate::RunFloor{}.limit()));
  }
  if (!measured.is_by_time) {
    remarks.emplace_back(
        "Recording times are missing or identical: captures are in the order given.");
  }
  if (!measured.left_out.empty()) {
    const auto& first = measured.left_out.front();
    std::string text = fmt::format("Left out: {} ({})", first.name, first.error.title);
    if (measured.left_out.size() > 1) {
      text += fmt::format(", and {} more", measured.left_out.size() - 1);
    }
    remarks.push_back(std::move(text));
  }
  if (!measured.budget_note.empty()) remarks.push_back(measured.budget_note);
  return remarks;
}

// The longest title of a panel that the sentence names; empty = it names none.
std::string title_in(std::string_view sentence, const std::vector<TrendPanel>& panels) {
  std::string longest;
  for (const TrendPanel& panel : panels) {
    if (panel.title.size() <= longest.size()) continue;
    if (sentence.find(panel.title) != std::string_view::npos) longest = panel.title;
  }
  return longest;
}

}  // namespace

void TrendView::prepare(const workspace::TrendModel& model) {
  if (prepared_for_ != model.measured) {
    prepared_for_ = model.measured;
    panels_.clear();
    hovered_.reset();
    cursor_ = 0;
    if (prepared_for_ && prepared_for_->trend) {
      panels_ = prepare_trend_panels(*prepared_for_->trend);
      labels_ = report::short_labels(*prepared_for_->trend);
      cursor_ = prepared_for_->trend->captures.size() - 1;
    }
  }
  active_.reset();
  if (!prepared_for_ || model.active_path.empty()) return;
  const auto found = std::ranges::find(prepared_for_->paths, model.active_path);
  if (found != prepared_for_->paths.end()) {
    active_ = static_cast<std::size_t>(found - prepared_for_->paths.begin());
  }
}

void TrendView::draw(Frame& frame, const Box& box, const ViewTools&) {
  if (!frame.model.trend) return;
  const workspace::TrendModel& model = *frame.model.trend;
  prepare(model);
  const bool has_trend = prepared_for_ && prepared_for_->trend;
  if (!has_trend && model.measuring) {
    if (draw_progress_card(frame, box, "trend/measuring", "Measuring captures",
                           fmt::format("{} files", model.captures), *model.measuring)) {
      frame.host.run_command("trend.cancel");
    }
    return;
  }
  if (!has_trend) return draw_nothing(frame, box, model);
  const float gap = frame.px(kGap);
  const float top = draw_head(frame, box, model) + gap;
  draw_panels(frame, {box.left, top, box.right, box.bottom});
}

void TrendView::draw_nothing(Frame& frame, const Box& box,
                             const workspace::TrendModel& model) const {
  if (model.error) {
    return draw_error_card(frame, box, "trend/error", *model.error,
                           {{"Measure again", "trend.measure"}, {"Add captures…", "trend.add"}});
  }
  if (model.is_canceled) {
    return draw_error_card(frame, box, "trend/canceled",
                           {"Measuring was canceled",
                            base::counted(static_cast<int64_t>(model.captures), "captures"), ""},
                           {{"Measure again", "trend.measure"}, {"Add captures…", "trend.add"}});
  }
  base::Error nothing{
      "A trend needs captures",
      "This view follows step time, breakdown, utilization, launches and the largest ops over "
      "captures of one program, and finds steps.",
      "Add captures of the same program, for example one of each night. Steps need four."};
  if (prepared_for_ && !prepared_for_->left_out.empty()) {
    const auto& first = prepared_for_->left_out.front();
    nothing.title = "Too few captures could be measured";
    nothing.detail = fmt::format("{}: {}", first.name, base::one_line(first.error));
  }
  const PageButton add{"Add captures…", "trend.add"};
  if (model.removed == 0) return draw_error_card(frame, box, "trend/none", nothing, {add});
  draw_error_card(frame, box, "trend/none", nothing,
                  {add, {"Restore removed captures", "trend.restore"}});
}

float TrendView::draw_head(Frame& frame, const Box& box, const workspace::TrendModel& model) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const workspace::MeasuredTrend& measured = *prepared_for_;
  const float gap = frame.px(kGap), height = frame.px(kHeadLine);
  const float top = box.top + frame.px(8), left = box.left + gap + frame.px(2);
  const float control_top = top + std::round((height - frame.px(kControlHeight)) / 2);
  float right = box.right - gap;
  const auto button = [&](const char* name, const char* label, const char* command) {
    right -= button_width(frame, label);
    if (draw_button(frame, name, right, control_top, label)) frame.host.run_command(command);
    right -= frame.px(8);
  };
  button("trend/add", "Add captures…", "trend.add");
  if (model.measuring) {
    button("trend/cancel", "Cancel", "trend.cancel");
  } else {
    button("trend/measure", "Measure again", "trend.measure");
    if (model.removed > 0) {
      button(
          "trend/restore",
          fmt::format("Restore {}", base::counted(static_cast<int64_t>(model.removed), "captures"))
              .c_str(),
          "trend.restore");
    }
  }
  std::string order = order_text(measured);
  if (model.measuring) {
    order = fmt::format("{} {} of {}", model.measuring->stage, model.measuring->done + 1,
                        model.measuring->total);
  } else if (model.is_canceled) {
    order += fmt::format(", canceled: {} are named", model.captures);
  } else if (model.removed > 0) {
    order += fmt::format(", {} more removed", model.removed);
  }
  const float text_top = std::round(top + (height - font_size(fonts.strong)) / 2);
  const bool has_few = measured.trend->captures.size() < aggregate::kFewestForSteps;
  const std::string sentence =
      has_few ? "Steps need four captures." : report::trend_sentence(*measured.trend);
  const float room = right - left;
  const auto measure = [font = fonts.strong](std::string_view text) {
    return text_width(font, text);
  };
  // What an op is called gives way first, then the sentence takes more lines.
  const std::string shown = report::with_short_labels(sentence, *measured.trend, labels_);
  const std::string name = title_in(shown, panels_);
  const float kept = frame.px(kLeastTitle);
  std::vector<std::string> lines;
  for (std::size_t most = 1; most <= kMostSentenceLines; ++most) {
    lines = wrap_around_name(shown, name, room, most, kept, measure);
    if (!lines.back().ends_with("…")) break;
  }
  const float bottom =
      draw_lines(frame, fonts.strong, {left, text_top, room}, colors.text, lines, sentence);
  const float width = text_width(fonts.strong, lines.back());
  if (room - width > frame.px(100)) {
    draw_text_cut(frame, fonts.text, left + width + frame.px(12),
                  bottom - line_height(fonts.strong), room - width - frame.px(12), colors.dim,
                  order, CutAt::end);
  }
  frame.inspector.record_value("trend/sentence", sentence);
  frame.inspector.record_value("trend/sentence/shown", fmt::format("{}", fmt::join(lines, " ")));
  frame.inspector.record_value("trend/order", order);
  float y = std::max(top + height, bottom + text_top - top);
  const std::vector<std::string> remarks = trend_remarks(measured);
  for (std::size_t n = 0; n < remarks.size(); ++n) {
    draw_text_cut(frame, fonts.text, left, y, box.right - gap - left, colors.dim, remarks[n],
                  CutAt::end);
    frame.inspector.record_value(fmt::format("trend/remark/{}", n), remarks[n]);
    y += line_height(fonts.text) + frame.px(4);
  }
  y += frame.px(3);
  horizontal_line(box.left, box.right, y, colors.line);
  return y + 1;
}

void TrendView::draw_panels(Frame& frame, const Box& box) {
  const aggregate::Trend& trend = *prepared_for_->trend;
  const float gap = frame.px(kGap);
  ScrollArea scroll(frame, "trend", {box.left, box.top - gap, box.right, box.bottom});
  const Area area = scroll.area();
  const auto columns = static_cast<std::size_t>(
      std::max(1.0f, std::floor((area.width + gap) / (frame.px(kTrendPlotWidth) + gap))));
  const float width = std::floor((area.width - static_cast<float>(columns - 1) * gap) /
                                 static_cast<float>(columns));
  const float height = trend_panel_height(frame);
  pointed_.reset();
  const std::vector<std::string> titles = trend_panel_titles(frame, panels_, width);
  float bottom = area.top;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    const float left = area.left + static_cast<float>(p % columns) * (width + gap);
    const float top = area.top + static_cast<float>(p / columns) * (height + gap);
    const std::string name = fmt::format("trend/{}", p);
    const DrawnTrendPanel drawn =
        draw_trend_panel(frame, name, {left, top, left + width, top + height}, panels_[p],
                         titles[p], trend, labels_, {active_, hovered_});
    point_at(frame, name, drawn, panels_[p]);
    bottom = top + height;
  }
  hovered_ = pointed_;
  const std::vector<std::string> zeros = report::zero_metrics(trend);
  if (!zeros.empty()) {
    const std::string text = fmt::format("0 in all captures: {}.", fmt::join(zeros, ", "));
    bottom = draw_wrapped(frame.fonts().text, area.below(bottom + gap), frame.palette().dim, text);
    frame.inspector.record_value("trend/zeros", text);
  }
  scroll.end_at(bottom);
}

void TrendView::point_at(Frame& frame, const std::string& name, const DrawnTrendPanel& drawn,
                         const TrendPanel& panel) {
  const Box& plot = drawn.plot;
  const std::size_t count = drawn.axis.captures;
  const Hit hit = hit_area(frame, name + "/plot", plot, Reach::chart);
  if (hit.has_ring) {
    if (pressed(ImGuiKey_LeftArrow) && cursor_ > 0) --cursor_;
    if (pressed(ImGuiKey_RightArrow) && cursor_ + 1 < count) ++cursor_;
    pointed_ = cursor_;
    const float x = drawn.axis.x_of(cursor_);
    place_next_tooltip(frame, Box{x, plot.top, x, plot.bottom});
    explain(frame, panel, cursor_);
    if (pressed(ImGuiKey_Enter)) {
      ImGui::GetIO().KeyCtrl ? compare(frame.host, cursor_) : open(frame.host, cursor_);
    }
    if (pressed(ImGuiKey_Delete)) remove(frame.host, cursor_);
  }
  const std::size_t capture = drawn.axis.capture_at(ImGui::GetIO().MousePos.x);
  CopyMenu menu(frame, name + "/menu", plot);
  if (menu.is_open()) {
    const std::size_t of = std::min(in_menu_, count - 1);
    const aggregate::TrendCapture& its = prepared_for_->trend->captures[of];
    if (const TrendDot* const dot = panel.dot_of(of)) {
      menu.item("value", "Copy value", [dot] { return dot->text; });
    }
    menu.item("label", "Copy name", [&its] { return its.label; });
    if (active_ != of && !prepared_for_->paths[of].empty()) {
      menu.action("open", fmt::format("Show {}", its.label), [&] { open(frame.host, of); });
    }
    if (active_ && *active_ != of) {
      menu.action("compare", "Compare with the current profile", [&] { compare(frame.host, of); });
    }
    if (!prepared_for_->paths[of].empty()) {
      menu.action("remove", "Remove capture", [&] { remove(frame.host, of); });
    }
    return;
  }
  if (!hit.hovered) return;
  in_menu_ = cursor_ = capture;
  pointed_ = capture;
  explain(frame, panel, capture);
  if (!prepared_for_->paths[capture].empty()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!hit.has_ring && pressed(ImGuiKey_Delete)) remove(frame.host, capture);
  if (!hit.clicked) return;
  ImGui::GetIO().KeyCtrl ? compare(frame.host, capture) : open(frame.host, capture);
}

void TrendView::explain(Frame& frame, const TrendPanel& panel, std::size_t capture) const {
  const aggregate::TrendCapture& its = prepared_for_->trend->captures[capture];
  const TrendDot* const dot = panel.dot_of(capture);
  std::vector<TooltipText> lines{{TooltipStyle::name, its.label}};
  lines.push_back({TooltipStyle::value, dot != nullptr ? dot->text : "not recorded"});
  lines.push_back({TooltipStyle::text, panel.title});
  if (dot != nullptr && dot->step) {
    lines.push_back(
        {TooltipStyle::text,
         fmt::format("{}, {}", dot->step_text,
                     *dot->step == report::TrendNote::Kind::worse ? "worse" : "better")});
  }
  for (const report::TrendNote& note : panel.notes) {
    const bool is_plain = note.kind == report::TrendNote::Kind::plain;
    if (is_plain || note.is_of_line) lines.push_back({TooltipStyle::text, note.text});
  }
  if (!its.break_reason.empty()) {
    lines.push_back({TooltipStyle::text,
                     fmt::format("Not comparable with the capture before: {}", its.break_reason)});
  }
  lines.push_back({TooltipStyle::text, its.file == its.label ? "" : its.file});
  lines.push_back({TooltipStyle::text, its.recorded.empty() ? "" : "Recorded " + its.recorded});
  lines.push_back({TooltipStyle::text,
                   its.iterations == 1 ? fmt::format("Iteration {}", its.first_iteration)
                                       : fmt::format("Iterations {}–{}", its.first_iteration,
                                                     its.first_iteration + its.iterations - 1)});
  const bool is_active = active_ == capture;
  if (!is_active) lines.push_back({TooltipStyle::note, "Click to show this profile"});
  if (!is_active && active_) {
    lines.push_back({TooltipStyle::note, "Ctrl + click to compare the current profile with it"});
  }
  if (!prepared_for_->paths[capture].empty()) {
    lines.push_back({TooltipStyle::note, "Press Delete to remove it from the trend"});
  }
  show_text_tooltip(frame, lines);
}

void TrendView::open(Host& host, std::size_t capture) const {
  const std::string& path = prepared_for_->paths[capture];
  if (path.empty() || active_ == capture) return;
  host.show_capture(path, "");
}

void TrendView::remove(Host& host, std::size_t capture) const {
  const std::string& path = prepared_for_->paths[capture];
  if (!path.empty()) host.remove_capture(path);
}

// The earlier capture is the one before.
void TrendView::compare(Host& host, std::size_t capture) const {
  const std::vector<std::string>& paths = prepared_for_->paths;
  if (!active_ || *active_ == capture || paths[capture].empty()) return;
  host.show_capture(paths[std::min(*active_, capture)], paths[std::max(*active_, capture)]);
}

}  // namespace dlview::ui
