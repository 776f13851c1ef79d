#include "ui/views/dashboard/what_if.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"
#include "profile/event_count.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/number.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using aggregate::kSame;
using aggregate::OpHeadroom;
using aggregate::PartSums;
using aggregate::WhatIfChange;
using aggregate::WhatIfKind;

constexpr float kFactorRow = 32;
constexpr float kFactorWidth = 68, kShareWidth = 52, kGainWidth = 84;

float text_top_in(const Box& cell, const ImFont* font) {
  return std::round(cell.top + (cell.height() - font_size(font)) / 2);
}

void draw_check_box(Frame& frame, float left, const Box& row, bool is_on, bool lit) {
  const Palette& colors = frame.palette();
  const float size = frame.px(14);
  const float top = std::round((row.top + row.bottom - size) / 2);
  const Box box{left, top, left + size, top + size};
  if (is_on) {
    fill(box, colors.accent, frame.px(3));
    draw_icon(Icon::check, (box.left + box.right) / 2, (box.top + box.bottom) / 2, frame.px(10),
              text_on(colors.accent));
  } else {
    fill(box, colors.raised, frame.px(3));
    outline(box, lit ? colors.dim : colors.line, frame.px(3));
  }
}

// The parts from the left, to the scale of the mean iteration; hatched up to the upper bound.
void draw_stack(Frame& frame, std::string_view name, const Box& bar,
                const std::vector<WhatIfPart>& parts, int64_t whole_ns, int64_t until_ns) {
  const Palette& colors = frame.palette();
  fill(bar, colors.raised, frame.px(3));
  const auto x_of = [&](int64_t ns) {
    const double share = whole_ns > 0 ? static_cast<double>(ns) / static_cast<double>(whole_ns) : 0;
    return std::round(bar.left + static_cast<float>(share) * bar.width());
  };
  int64_t ns = 0;
  for (const WhatIfPart& part : parts) {
    const Box box{x_of(ns), bar.top, x_of(ns + part.ns), bar.bottom};
    ns += part.ns;
    const std::string path = fmt::format("{}/{}", name, part.id);
    frame.inspector.record_value(path, base::format_ns(part.ns));
    if (box.width() < 1) continue;
    Box painted = box;
    if (painted.width() > 3) painted.right -= 1;
    fill_tone(frame, painted, part.tone, std::min(frame.px(2), painted.width() / 2));
    explain_number(frame, path, box, {part.label, part.full, "exclusive_time", {}, false});
  }
  if (x_of(until_ns) > x_of(ns)) {
    frame.inspector.record_value(fmt::format("{}/hatched", name), base::format_ns(until_ns - ns));
    hatch(frame, {x_of(ns), bar.top, x_of(until_ns), bar.bottom}, colors.faint);
  }
}

// Of a row that is a hit area: shares and gains at the right.
void draw_row_numbers(Frame& frame, const Box& share, const Box& gain, const WhatIfRow& row) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = "what_if/" + row.id;
  draw_text_right(fonts.text, share.right, text_top_in(share, fonts.text),
                  row.is_on ? colors.text : colors.dim, row.share);
  explain_number(frame, path + "/share", share,
                 {row.label, row.full_share, "exclusive_time", {}, false, {}, row.about});
  frame.inspector.record_value(path + "/share", row.share);
  frame.inspector.record_value(path, row.is_on ? "on" : "off");
  frame.inspector.record_value(path + "/gain", row.gain);
  if (row.gain.empty()) {
    draw_text_right(fonts.text, gain.right, text_top_in(gain, fonts.text), colors.faint, "–");
    return;
  }
  draw_text_right(fonts.strong, gain.right, text_top_in(gain, fonts.strong), colors.text, row.gain);
  explain_number(frame, path + "/gain", gain,
                 {row.label,
                  row.full_gain,
                  "what_if_gain",
                  {},
                  false,
                  {},
                  row.about + " With other changes it may save less."});
}

void explain_row(Frame& frame, const WhatIfRow& row) {
  show_text_tooltip(frame, {{TooltipStyle::heading, row.label}, {TooltipStyle::text, row.about}});
}

void draw_swatch_of(Frame& frame, float left, const Box& row, Tone tone) {
  const float half = frame.px(4);
  const float middle = std::round((row.top + row.bottom) / 2);
  fill_tone(frame, {left, middle - half, left + 2 * half, middle + half}, tone, frame.px(2));
}

// Without a switch, as there is nothing to take away.
void draw_unrecorded(Frame& frame, const Box& name, const Box& last, const WhatIfRow& row) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float left = name.left + frame.px(22);
  if (row.tone) {
    draw_swatch_of(frame, left, name, *row.tone);
    left += frame.px(15);
  }
  draw_text(fonts.text, left, text_top_in(name, fonts.text), colors.dim, row.label);
  draw_text_right(fonts.text, last.right, text_top_in(last, fonts.text), colors.dim, row.share);
  frame.inspector.record_value("what_if/" + row.id, row.share);
  if (hovered({name.left, name.top, last.right, name.bottom})) explain_row(frame, row);
}

}  // namespace

std::shared_ptr<const PartSums> ExclusiveTimes::get(const Model& model, Background& background) {
  if (model.rules == nullptr) return nullptr;
  const aggregate::Aggregation& whole = model.aggregation->whole();
  const auto& table = whole.iteration_table;
  const Key key{model.rules, whole.selection.cut};
  index_.want(key, profile::has_few_events(*model.profile), background,
              [profile = model.profile, rules = model.rules, table,
               cut = whole.selection.cut](const base::Progress& progress) {
                const base::JobScope job(&progress);
                return std::make_shared<const Made>(Made{
                    profile, aggregate::ExclusiveIndex(*profile, *rules, table->iterations, cut)});
              });
  const auto& made = index_.get();
  if (made == nullptr || index_.is_late()) return nullptr;
  if (summed_by_ != made || range_ != whole.selection.range) {
    summed_by_ = made;
    range_ = whole.selection.range;
    sums_ = std::make_shared<const PartSums>(made->index.sums(range_));
  }
  return sums_;
}

void WhatIfPane::set_headroom(std::shared_ptr<const std::vector<OpHeadroom>> headroom) {
  if (headroom == headroom_) return;
  headroom_ = std::move(headroom);
  is_stale_ = true;
}

void WhatIfPane::set(const WhatIfChange& change, bool is_on) {
  std::erase_if(on_, [&](const WhatIfChange& other) { return is_same_target(change, other); });
  if (is_on) on_.push_back(change);
  is_stale_ = true;
}

void WhatIfPane::prepare(const Model& model, Background& background) {
  std::shared_ptr<const PartSums> sums = times_.get(model, background);
  if (sums == prepared_for_ && !is_stale_) return;
  prepared_for_ = std::move(sums);
  is_stale_ = false;
  if (prepared_for_ == nullptr) return;
  static const std::vector<OpHeadroom> kNoHeadroom;
  content_ = prepare_what_if(*model.profile, *prepared_for_, on_,
                             headroom_ != nullptr ? *headroom_ : kNoHeadroom);
}

bool WhatIfPane::draw(Frame& frame, const Box& box, Background& background) {
  prepare(frame.model, background);
  fill(box, frame.palette().panel);
  fill({box.left, box.top, box.left + 1, box.bottom}, frame.palette().line);
  ScrollArea scroll(frame, "what_if", {box.left + 1, box.top, box.right, box.bottom});
  const Area area = {scroll.area().left + frame.px(4), scroll.area().top + frame.px(2),
                     scroll.area().width - frame.px(8)};
  const Area body = draw_heading(frame, area, {"What if", "what_if_gain", "", ""});
  const bool is_closed = draw_close_button(frame, "what_if/close", area);
  scroll.end_at(draw_contents(frame, body));
  return !is_closed;
}

float WhatIfPane::draw_contents(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  if (prepared_for_ == nullptr) return draw_wrapped(fonts.text, area, colors.dim, "Analyzing…");
  if (!content_.why_none.empty()) {
    return draw_wrapped(fonts.text, area, colors.dim, content_.why_none);
  }
  const float gap = frame.px(16);
  float y = draw_result(frame, area);
  if (!content_.waits.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Remove", content_.waits);
  }
  if (!content_.gaps.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Idle gaps by cause", content_.gaps);
  }
  if (!content_.tensor_cores.empty()) {
    y = draw_switches(frame, area.below(y + gap), "Tensor Cores", content_.tensor_cores);
  }
  if (!content_.faster.empty()) y = draw_factors(frame, area.below(y + gap));
  return y;
}

float WhatIfPane::draw_result(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float y = area.top;
  frame.inspector.record_value("what_if/gain", content_.gain);
  frame.inspector.record_value("what_if/new_time", content_.new_time);
  const float figure_bottom = y + line_height(fonts.figure);
  if (content_.gain.empty()) {
    draw_text(fonts.figure, area.left, y, colors.dim, "No change");
  } else {
    const float baseline = y + font_size(fonts.figure) - font_size(fonts.text);
    draw_text(fonts.text, area.left, baseline, colors.dim, "saves up to");
    const float left = area.left + text_width(fonts.text, "saves up to") + frame.px(8);
    draw_text(fonts.figure, left, y, colors.text, content_.gain);
    explain_number(frame, "what_if/gain",
                   {area.left, y, left + text_width(fonts.figure, content_.gain), figure_bottom},
                   {"", content_.full_gain, "what_if_gain", {}, false});
    const std::string_view reset = "Reset";
    const float button = area.right() - button_width(frame, reset);
    if (draw_button(frame, "what_if/reset", button, y, reset)) {
      on_.clear();
      is_stale_ = true;
    }
  }
  y = figure_bottom + frame.px(2);
  const float text_bottom = y + line_height(fonts.text);
  draw_text(fonts.text, area.left, y, colors.text, content_.new_time);
  explain_number(frame, "what_if/new_time", {area.left, y, area.right(), text_bottom},
                 {"", content_.full_bounds, "what_if_bounds", {}, false});
  y = text_bottom + frame.px(8);

  const float label = std::max(text_width(fonts.text, "Now"), text_width(fonts.text, "If"));
  const float value = std::max(text_width(fonts.text, base::format_duration(content_.mean_ns)),
                               text_width(fonts.text, base::format_duration(content_.least_ns)));
  const Box bar{area.left + label + frame.px(10), 0, area.right() - value - frame.px(10), 0};
  const auto draw_line = [&](std::string_view name, std::string_view title,
                             const std::vector<WhatIfPart>& parts, int64_t ns, int64_t until_ns) {
    const Box line{area.left, y, area.right(), y + frame.px(18)};
    const float top = text_top_in(line, fonts.text);
    draw_text(fonts.text, area.left, top, colors.dim, title);
    draw_stack(frame, name, {bar.left, line.top, bar.right, line.bottom}, parts, content_.mean_ns,
               until_ns);
    draw_text_right(fonts.text, area.right(), top, colors.text, base::format_duration(ns));
    y = line.bottom + frame.px(6);
  };
  draw_line("what_if/before", "Now", content_.before, content_.mean_ns, content_.mean_ns);
  draw_line("what_if/after", "If", content_.after, content_.least_ns, content_.most_ns);
  const bool has_filters = !frame.model.selection.filters.empty();
  std::string note = "An upper bound, not a forecast: other activity may fill the time saved.";
  if (content_.most_ns > content_.least_ns) {
    note += " Hatched: may stay, because other GPU activity or the host needs the time.";
  }
  y = draw_wrapped(fonts.small, area.below(y + frame.px(2)), colors.dim, note);
  if (!has_filters) return y;
  return draw_wrapped(fonts.small, area.below(y + frame.px(4)), colors.attention,
                      "Filters do not apply here: the times are those of the whole range.");
}

float WhatIfPane::draw_switches(Frame& frame, const Area& area, std::string_view title,
                                const std::vector<WhatIfRow>& rows) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{title, "", kFlexibleWidth},
                    {"Share", "exclusive_time", frame.px(kShareWidth), Align::right},
                    {"Gain at most", "what_if_gain", frame.px(kGainWidth), Align::right}});
  std::optional<WhatIfChange> clicked;
  bool turns_on = false;
  for (const WhatIfRow& row : rows) {
    const std::vector<Box> cells = table.next_row();
    const Box& name = cells[0];
    if (!row.is_recorded) {
      draw_unrecorded(frame, name, cells[2], row);
      continue;
    }
    const Hit hit = hit_area(frame, "what_if/" + row.id, name);
    if (hit.hovered) explain_row(frame, row);
    if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_check_box(frame, name.left, name, row.is_on, hit.hovered);
    float left = name.left + frame.px(22);
    if (row.tone) {
      draw_swatch_of(frame, left, name, *row.tone);
      left += frame.px(15);
    }
    draw_text_cut(frame, fonts.text, left, text_top_in(name, fonts.text), name.right - left,
                  colors.text, row.label, CutAt::middle);
    draw_row_numbers(frame, cells[1], cells[2], row);
    if (hit.clicked) {
      clicked = row.change;
      turns_on = !row.is_on;
    }
  }
  if (clicked) set(*clicked, turns_on);
  return table.bottom();
}

float WhatIfPane::draw_factors(Frame& frame, const Area& area) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  FixedTable table(frame, area,
                   {{"Speed up", "", kFlexibleWidth},
                    {"Share", "exclusive_time", frame.px(kShareWidth), Align::right},
                    {"Speedup", "", frame.px(kFactorWidth), Align::right},
                    {"Gain at most", "what_if_gain", frame.px(kGainWidth), Align::right}},
                   kFactorRow);
  std::optional<WhatIfChange> edited;
  WhatIfKind last = WhatIfKind::part;
  for (const WhatIfRow& row : content_.faster) {
    const std::vector<Box> cells = table.next_row();
    const Box& name = cells[0];
    if (row.change.kind != last) horizontal_line(area.left, area.right(), name.top, colors.line);
    last = row.change.kind;
    const ImFont* const font = row.is_name ? fonts.mono : fonts.text;
    float left = name.left;
    if (row.tone) {
      draw_swatch_of(frame, left, name, *row.tone);
      left += frame.px(15);
    }
    draw_text_cut(frame, font, left, text_top_in(name, font), name.right - left, colors.text,
                  row.label, row.is_name ? CutAt::front : CutAt::middle);
    const bool is_cut = text_width(font, row.label) > name.right - left;
    if (!is_cut && hovered(name)) explain_row(frame, row);
    const float half = frame.px(kControlHeight) / 2;
    const float middle = std::round((cells[2].top + cells[2].bottom) / 2);
    const Box field{cells[2].left, middle - half, cells[2].right, middle + half};
    const int64_t tenths = row.change.factor * 10 / kSame;
    const NumberEdit edit = draw_number_field(frame, fmt::format("what_if/{}/factor", row.id),
                                              field, tenths, {10, 10'000, 10, 10'000, true});
    if (edit.value) {
      edited = row.change;
      edited->factor = *edit.value * kSame / 10;
    }
    draw_row_numbers(frame, cells[1], cells[3], row);
  }
  if (edited) set(*edited, edited->factor > kSame);
  return table.bottom();
}

}  // namespace dlview::ui
