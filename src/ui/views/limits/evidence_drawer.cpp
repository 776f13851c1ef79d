#include "ui/views/limits/evidence_drawer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/limit_mark.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {

using report::LimitRule;
using Fact = LimitEvidencePage::Fact;

namespace {

constexpr float kVerdictHeight = 46;

float draw_facts_table(Frame& frame, const Area& area, const std::vector<Fact>& facts) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  float label_width = 0, value_width = 0;
  for (const Fact& fact : facts) {
    label_width = std::max(label_width, text_width(fonts.text, fact.label));
    value_width = std::max(value_width, text_width(fonts.text, fact.value));
  }
  const float value_left = area.left + label_width + frame.px(14);
  const float source_left = value_left + value_width + frame.px(14);
  float y = area.top;
  for (const Fact& fact : facts) {
    draw_text(fonts.text, area.left, y, colors.dim, fact.label);
    draw_text(fonts.text, value_left, y, colors.text, fact.value);
    draw_text_cut(frame, fonts.small, source_left, y + frame.px(1), area.right() - source_left,
                  colors.dim, fact.source, CutAt::end);
    frame.inspector.record_value("limits/evidence/" + fact.id, fact.value);
    frame.inspector.record_value("limits/evidence/" + fact.id + "/source", fact.source);
    y += line_height(fonts.text) + frame.px(4);
  }
  return y;
}

// Two in a row.
float draw_verdicts(Frame& frame, const Area& area,
                    const std::vector<LimitEvidencePage::Verdict>& verdicts) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float gap = frame.px(6), height = frame.px(kVerdictHeight);
  const float width = std::floor((area.width - gap) / 2);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto& verdict = verdicts[i];
    const float left = area.left + static_cast<float>(i % 2) * (width + gap);
    const float top = area.top + static_cast<float>(i / 2) * (height + gap);
    const Box box{left, top, left + width, top + height};
    fill(box, colors.raised, frame.px(4));
    if (verdict.is_shown) outline(box, colors.accent, frame.px(4));
    draw_text(fonts.small, left + frame.px(8), top + frame.px(5), colors.dim, verdict.rule);
    const float middle = top + frame.px(5) + line_height(fonts.small) + frame.px(9);
    draw_limit_mark(frame, left + frame.px(14), middle + frame.px(1), frame.px(4.5f),
                    {verdict.limit, verdict.origin});
    const float text_left = left + frame.px(25);
    draw_text_cut(frame, fonts.text, text_left, middle - font_size(fonts.text) / 2,
                  box.right - frame.px(6) - text_left, colors.text, verdict.text, CutAt::end);
    if (hovered(box)) {
      show_text_tooltip(frame, {{TooltipStyle::heading, verdict.rule},
                                {TooltipStyle::value, verdict.text},
                                {TooltipStyle::text, verdict.reason}});
    }
    frame.inspector.record_value("limits/verdict/" + verdict.id, verdict.text);
  }
  return area.top + static_cast<float>((verdicts.size() + 1) / 2) * (height + gap);
}

}  // namespace

EvidenceDrawer::Action EvidenceDrawer::draw(Frame& frame, const Box& box,
                                            const std::shared_ptr<const LimitData>& data,
                                            uint32_t row, LimitRule rule, bool is_pinned) {
  const std::pair key(row, rule);
  if (prepared_for_ != data || prepared_row_ != key) {
    prepared_for_ = data;
    prepared_row_ = key;
    page_ = prepare_evidence(*data, row, rule);
  }
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  Action action = Action::none;
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area head{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  if (draw_close_button(frame, "limits/evidence/close", head)) action = Action::close;
  const std::pair<std::string_view, Action> buttons[] = {
      {"Open", Action::open},
      {"Show in Timeline", Action::timeline},
      {is_pinned ? "Unpin baseline" : "Pin as baseline", is_pinned ? Action::unpin : Action::pin},
      {"Copy shapes as CSV", Action::copy_shapes}};
  float right = head.right() - frame.px(28);
  for (std::size_t i = std::size(buttons); i-- > 0;) {
    const float width = button_width(frame, buttons[i].first);
    right -= width;
    constexpr std::array<std::string_view, 4> kNames{"open", "timeline", "pin", "copy_shapes"};
    if (draw_button(frame, fmt::format("limits/evidence/{}_button", kNames[i]), right,
                    head.top - frame.px(4), buttons[i].first)) {
      action = buttons[i].second;
    }
    right -= frame.px(6);
  }
  const float kind_width = text_width(fonts.strong, page_.kind);
  draw_text(fonts.strong, head.left, head.top, colors.text, page_.kind);
  const float name_left = head.left + kind_width + frame.px(10);
  const float detail_width =
      std::min(text_width(fonts.small, page_.detail), (right - name_left) * 0.5f);
  draw_text_cut(frame, fonts.mono, name_left, head.top + frame.px(1),
                right - name_left - detail_width - frame.px(20), colors.text, page_.name,
                CutAt::middle);
  draw_text_cut(frame, fonts.small, right - detail_width - frame.px(6), head.top + frame.px(2),
                detail_width, colors.dim, page_.detail, CutAt::end);
  frame.inspector.record_value("limits/evidence/name", page_.name);
  frame.inspector.record_value("limits/evidence/detail", page_.detail);

  const Box below{box.left + 1, head.top + frame.px(24), box.right - 1, box.bottom - 1};
  ScrollArea scroll(frame, "limits/evidence", below);
  const Area& inner = scroll.area();
  const float left = box.left + padding, width = box.width() - 2 * padding - frame.px(6);
  const float gap = frame.px(22);
  const float verdict_width = std::clamp(width * 0.28f, frame.px(250), frame.px(360));
  const float notes_width = std::clamp(width * 0.28f, frame.px(180), frame.px(420));
  const float facts_width = width - verdict_width - notes_width - 2 * gap;
  const float facts_bottom = draw_facts_table(frame, {left, inner.top, facts_width}, page_.facts);
  const float verdicts_left = left + facts_width + gap;
  float verdicts_bottom =
      draw_verdicts(frame, {verdicts_left, inner.top, verdict_width}, page_.verdicts);
  if (!page_.difference.empty()) {
    verdicts_bottom = draw_wrapped(fonts.small, {verdicts_left, verdicts_bottom, verdict_width},
                                   colors.attention, page_.difference);
    frame.inspector.record_value("limits/evidence/difference", page_.difference);
  }
  verdicts_bottom = draw_wrapped(
      fonts.small, {verdicts_left, verdicts_bottom + frame.px(3), verdict_width}, colors.dim,
      "dlview's threshold: 70%. Nsight Compute's: 60% low, 80% high, 10 points apart.");
  Area notes{verdicts_left + verdict_width + gap, inner.top, notes_width};
  const auto paragraphs = [&](std::string_view title, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    draw_text(fonts.strong, notes.left, notes.top, colors.text, title);
    float y = notes.top + line_height(fonts.strong) + frame.px(4);
    for (const std::string& text : texts) {
      y = draw_wrapped(fonts.text, notes.below(y), colors.text, text) + frame.px(5);
    }
    notes = notes.below(y + frame.px(4));
  };
  paragraphs("Advice", page_.advice);
  paragraphs("Notes", page_.notes);
  if (!page_.advice.empty()) {
    frame.inspector.record_value("limits/evidence/advice", page_.advice.front());
  }
  if (!page_.notes.empty()) {
    frame.inspector.record_value("limits/evidence/note", page_.notes.front());
  }
  scroll.end_at(std::max({facts_bottom, verdicts_bottom, notes.top}));
  return action;
}

}  // namespace dlview::ui
