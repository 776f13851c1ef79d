#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/filters.h"
#include "ui/table/tables.h"
#include "ui/views/dashboard/top_ops.h"
#include "ui/views/details/details.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kLabelWidth = 112;       // the least of all labels
constexpr float kMostLabelShare = 0.6f;  // of the width
constexpr float kBehindLabel = 12;
constexpr float kHistogramHeight = 84;

float draw_facts(Frame& frame, const Area& area, const std::vector<DetailsContent::Fact>& facts) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = area.top;
  float widest = frame.px(kLabelWidth);
  for (const DetailsContent::Fact& fact : facts) {
    widest = std::max(widest, text_width(fonts.text, fact.label) + frame.px(kBehindLabel));
  }
  const float left = area.left + std::min(widest, area.width * kMostLabelShare);
  for (const DetailsContent::Fact& fact : facts) {
    const Area label{area.left, y, left - area.left - frame.px(kBehindLabel) / 2};
    const Area value{left, y, area.right() - left};
    y = std::max(draw_wrapped(fonts.text, label, colors.dim, fact.label),
                 draw_wrapped(fonts.text, value, fact.attention ? colors.attention : colors.text,
                              fact.value)) +
        frame.px(6);
    frame.inspector.record_value("details/" + fact.id, fact.value);
  }
  return y;
}

void draw_bins(Frame& frame, const Box& box, const DetailsContent& content) {
  const aggregate::Distribution& durations = content.durations;
  const auto count = static_cast<float>(durations.bins.size());
  const int64_t highest = std::max<int64_t>(1, std::ranges::max(durations.bins));
  const float step = box.width() / count;
  const double width =
      static_cast<double>(durations.max - durations.min) / static_cast<double>(count);
  for (std::size_t i = 0; i < durations.bins.size(); ++i) {
    const float left = std::round(box.left + static_cast<float>(i) * step);
    const float right = std::round(box.left + static_cast<float>(i + 1) * step);
    const double share = static_cast<double>(durations.bins[i]) / static_cast<double>(highest);
    // A single slow call among thousands stays visible.
    const float height = durations.bins[i] == 0
                             ? 0
                             : std::max(frame.px(2), static_cast<float>(share) * box.height());
    fill({left, box.bottom - std::round(height), right - 1, box.bottom},
         frame.palette().tone(content.tone));
    if (!hovered({left, box.top, right, box.bottom})) continue;
    const double from = static_cast<double>(durations.min) + static_cast<double>(i) * width;
    show_tooltip(frame, fmt::format("{} to {}: {} {}", base::format_duration(from),
                                    base::format_duration(from + width),
                                    base::format_count(durations.bins[i]), content.samples));
  }
  horizontal_line(box.left, box.right, box.bottom, frame.palette().line);
}

// A click on a number opens its iteration.
float draw_slowest(Frame& frame, const Area& area, const aggregate::Distribution& durations) {
  const ImFont* font = frame.fonts().small;
  const Palette& colors = frame.palette();
  draw_text(font, area.left, area.top, colors.dim, "slowest in iteration");
  float x = area.left + text_width(font, "slowest in iteration") + frame.px(8);
  std::vector<int64_t> shown;
  for (const aggregate::DurationSample& sample : durations.slowest) {
    if (std::ranges::find(shown, sample.iteration) != shown.end()) continue;
    shown.push_back(sample.iteration);
    const std::string label = base::format_count(sample.iteration);
    const Box box{x, area.top, x + text_width(font, label), area.top + line_height(font)};
    if (box.right > area.right()) break;
    const Hit hit = hit_area(frame, "details/slowest/" + std::to_string(sample.iteration), box);
    draw_text(font, box.left, box.top, colors.accent, label);
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_tooltip(frame, fmt::format("{}\nIteration {}\nClick to show the iteration",
                                      base::format_ns(sample.ns), label));
    }
    if (hit.clicked) {
      frame.host.select_iteration(sample.iteration);
      frame.host.show(ViewId::iterations);
    }
    x = box.right + frame.px(10);
  }
  return area.top + line_height(font);
}

float draw_durations(Frame& frame, const Area& area, const DetailsContent& content) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const aggregate::Distribution& durations = content.durations;
  float y = draw_wrapped(fonts.strong, area, colors.text, content.durations_title) + frame.px(8);
  if (durations.min < durations.max) {
    const Box bins{area.left, y, area.right(), y + frame.px(kHistogramHeight)};
    draw_bins(frame, bins, content);
    y = bins.bottom + frame.px(5);
    draw_text(fonts.small, area.left, y, colors.dim, base::format_duration(durations.min));
    draw_text_right(fonts.small, area.right(), y, colors.dim, base::format_duration(durations.max));
    y += line_height(fonts.small) + frame.px(4);
  }
  const std::string summary =
      fmt::format("median {} · p95 {} · max {}", base::format_duration(durations.median),
                  base::format_duration(durations.p95), base::format_duration(durations.max));
  frame.inspector.record_value("details/durations", summary);
  y = draw_wrapped(fonts.small, area.below(y), colors.dim, summary) + frame.px(4);
  return draw_slowest(frame, area.below(y), durations);
}

float draw_times(Frame& frame, const Area& area, const std::vector<DetailsContent::Times>& rows) {
  const ImFont* font = frame.fonts().text;
  const float width = frame.px(62);
  FixedTable table(frame, area,
                   {{"", "", kFlexibleWidth},
                    {"min", "", width, Align::right},
                    {"avg", "", width, Align::right},
                    {"max", "", width, Align::right}});
  for (const DetailsContent::Times& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const float top = cells[0].top + (cells[0].height() - font_size(font)) / 2;
    draw_text(font, cells[0].left, top, frame.palette().text, row.label);
    const std::string* values[] = {&row.min, &row.average, &row.max};
    for (std::size_t i = 0; i < 3; ++i) {
      draw_text_right(font, cells[i + 1].right, top, frame.palette().text, *values[i]);
    }
    const Box whole{cells[0].left, cells[0].top, cells[3].right, cells[0].bottom};
    explain_number(frame, "details/times/" + row.id, whole,
                   {row.label, row.full, row.metric, {}, false});
    frame.inspector.record_value("details/times/" + row.id, row.average);
  }
  return table.bottom();
}

// A click on an op opens it in Ops.
float draw_ops(Frame& frame, const Area& area, const DetailsContent& content) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const auto measure = [font = fonts.mono](std::string_view part) {
    return text_width(font, part);
  };
  float direction = 0;
  for (const DetailsContent::OpRow& row : content.ops) {
    direction = std::max(direction, text_width(fonts.text, row.direction));
  }
  FixedTable table(frame, area,
                   {{"Ops", "", kFlexibleWidth},
                    {"", "", direction},
                    {content.ops_title, "", frame.px(62), Align::right}});
  for (std::size_t i = 0; i < content.ops.size(); ++i) {
    const DetailsContent::OpRow& row = content.ops[i];
    const std::string path = "details/ops/" + std::to_string(i);
    const std::vector<Box> cells = table.next_row();
    const Box whole{cells[0].left, cells[0].top, cells[2].right, cells[0].bottom};
    const Hit hit = hit_area(frame, path, whole);
    const Color color = hit.hovered ? colors.accent : colors.text;
    draw_text_in(fonts.mono, cells[0], color,
                 cut_text(row.name, cells[0].width(), CutAt::front, measure));
    draw_text_in(fonts.text, cells[1], colors.dim, row.direction);
    draw_text_right(fonts.text, cells[2].right,
                    cells[2].top + (cells[2].height() - font_size(fonts.text)) / 2, colors.text,
                    row.time);
    frame.inspector.record_value(path, row.name);
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_op_card(frame, row.op);
    }
    if (hit.clicked) frame.host.show_table(ViewId::ops, {"ops", {}, row.id});
    word_menu(frame, path, whole, row.name,
              aggregate::Filter{.kind = aggregate::FilterKind::op, .text = row.id});
  }
  if (content.more_ops.empty()) return table.bottom();
  return draw_wrapped(fonts.small, area.below(table.bottom() + frame.px(4)), colors.dim,
                      content.more_ops);
}

}  // namespace

void DetailsPane::prepare(const Model& model, const DetailsSubject& subject) {
  if (indexed_ != model.profile) {
    indexed_ = model.profile;
    instances_.emplace(*model.profile);
    prepared_for_.reset();
  }
  const bool is_same = prepared_for_ == model.aggregation && unknown_use_ == model.unknown_use;
  if (is_same && subject_ == subject) return;
  prepared_for_ = model.aggregation;
  unknown_use_ = model.unknown_use;
  subject_ = subject;
  content_ =
      prepare_details(*model.profile, *model.aggregation, *instances_, unknown_use_.get(), subject);
}

bool DetailsPane::draw(Frame& frame, const Box& box, const DetailsSubject& subject) {
  prepare(frame.model, subject);
  return draw_details(frame, box, content_, whole_texts_);
}

bool draw_details(Frame& frame, const Box& box, const DetailsContent& content,
                  bool& shows_whole_texts) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  ScrollArea scroll(frame, "details", {box.left + 1, box.top + 1, box.right - 1, box.bottom - 1});
  const float inset = frame.px(4);
  const Area area{scroll.area().left + inset, scroll.area().top, scroll.area().width - 2 * inset};
  const Area body = draw_heading(frame, area, {content.kind, "", "", ""});
  const bool is_closed = draw_close_button(frame, "details/close", area);
  float y = body.top;
  const auto measure = [font = fonts.mono](std::string_view part) {
    return text_width(font, part);
  };
  for (const std::string& line : wrap_name(content.name, body.width, 6, measure)) {
    draw_text(fonts.mono, body.left, y, colors.text, line);
    y += line_height(fonts.mono) + frame.px(2);
  }
  const Box name{body.left, body.top, body.right(), y};
  word_menu(frame, "details/name", name, content.name, content.filter);
  frame.inspector.record_value("details/name", content.name);
  const float gap = frame.px(14);
  y = draw_facts(frame, body.below(y + frame.px(8)), content.facts);
  if (content.sample_count > 0) y = draw_durations(frame, body.below(y + gap), content);
  if (!content.times.empty()) y = draw_times(frame, body.below(y + gap), content.times);
  if (!content.ops.empty()) y = draw_ops(frame, body.below(y + gap), content);
  for (const DetailsContent::Text& text : content.texts) {
    y = draw_text_block(frame, "details", body.below(y + gap), text.title, text.text,
                        shows_whole_texts);
  }
  scroll.end_at(y);
  return !is_closed;
}

}  // namespace dlview::ui
