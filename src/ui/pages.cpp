#include "ui/pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kPageWidth = 620;

// A card in the upper middle of the page; the body draws into it and returns its bottom.
template <typename Body>
void draw_card(Frame& frame, const Box& box, const Body& body) {
  const float width = std::min(frame.px(kPageWidth), box.width() - 2 * frame.px(kGap));
  const float left = std::round((box.left + box.right - width) / 2);
  PanelRow row(frame, std::round(box.top + box.height() * 0.18f));
  const Area inner = row.begin_panel(left, width);
  const float inset = frame.px(10);
  row.end_panel(body(Area{inner.left + inset, inner.top + inset, inner.width - 2 * inset}) + inset);
}

void draw_progress_bar(const Frame& frame, const Box& box,
                       const base::Progress::Snapshot& progress) {
  const Palette& colours = frame.palette();
  const float rounding = box.height() / 2;
  fill(box, colours.raised, rounding);
  if (progress.total > 0) {
    const float done = box.width() * std::clamp(progress.fraction(), 0.0f, 1.0f);
    if (done >= 1) {
      fill({box.left, box.top, box.left + std::max(done, box.height()), box.bottom}, colours.accent,
           rounding);
    }
    return;
  }
  // The length is not known: a piece that wanders.
  const float piece = box.width() / 5;
  const double turn = ImGui::GetTime() - std::floor(ImGui::GetTime());
  const float left = box.left + static_cast<float>(turn) * (box.width() - piece);
  fill({left, box.top, left + piece, box.bottom}, colours.accent, rounding);
}

}  // namespace

void draw_loading_page(Frame& frame, const Box& box) {
  const base::Progress::Snapshot& progress = *frame.model.loading;
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  draw_card(frame, box, [&](const Area& area) {
    draw_text(fonts.strong, area.left, area.top, colours.text, "Opening");
    const float name_left = area.left + text_width(fonts.strong, "Opening") + frame.px(8);
    draw_text_cut(frame, fonts.text, name_left, area.top, area.right() - name_left, colours.dim,
                  frame.model.file_name, CutAt::front);
    float y = area.top + line_height(fonts.strong) + frame.px(16);
    draw_progress_bar(frame, box_of(area.below(y), frame.px(6)), progress);
    y += frame.px(6) + frame.px(10);
    draw_text(fonts.text, area.left, y, colours.text, progress.stage);
    frame.inspector.record_value("loading/stage", progress.stage);
    if (progress.total > 0) {
      draw_text_right(fonts.text, area.right(), y, colours.dim,
                      fmt::format("{} of {}", base::format_count(progress.done),
                                  base::format_count(progress.total)));
    }
    y += line_height(fonts.text) + frame.px(16);
    const float left = area.right() - button_width(frame, "Cancel");
    if (draw_button(frame, "loading/cancel", left, y, "Cancel")) frame.host.cancel_loading();
    return y + frame.px(kControlHeight);
  });
}

void draw_error_page(Frame& frame, const Box& box) {
  const base::Error& error = *frame.model.error;
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  frame.inspector.record_value("error/title", error.title);
  frame.inspector.record_value("error/detail", error.detail);
  frame.inspector.record_value("error/advice", error.advice);
  draw_card(frame, box, [&](const Area& area) {
    const float rule = frame.px(3);
    const Area text{area.left + frame.px(14), area.top, area.width - frame.px(14)};
    float y = draw_wrapped(fonts.strong, text, colours.text, error.title);
    y = draw_wrapped(fonts.text, text.below(y + frame.px(8)), colours.text, error.detail);
    fill({area.left, area.top, area.left + rule, y}, colours.attention, rule / 2);
    y += frame.px(18);
    draw_text(fonts.small, text.left, y, colours.dim, "What to do");
    y += line_height(fonts.small) + frame.px(3);
    return draw_prose(frame, fonts.text, text.below(y), colours.text, find_links(error.advice));
  });
}

void draw_empty_page(Frame& frame, const Box& box) {
  const Fonts& fonts = frame.fonts();
  const Palette& colours = frame.palette();
  draw_card(frame, box, [&](const Area& area) {
    draw_text(fonts.strong, area.left, area.top, colours.text, "Nothing is open");
    float y = area.top + line_height(fonts.strong) + frame.px(10);
    y = draw_wrapped(fonts.text, area.below(y), colours.dim,
                     "Drop a DLProf database onto this window, or name one when you start:");
    y += frame.px(8);
    for (const char* line : {"dlview dlprof_dldb.sqlite", "dlview --demo"}) {
      draw_text(fonts.mono, area.left, y, colours.text, line);
      y += line_height(fonts.mono) + frame.px(3);
    }
    y += frame.px(12);
    y = draw_wrapped(fonts.text, area.below(y), colours.dim,
                     "DLProf 1.3 to 1.8 writes such a database while it profiles:");
    y += frame.px(8);
    draw_text(fonts.mono, area.left, y, colours.text, "dlprof --mode=pytorch python train.py");
    return y + line_height(fonts.mono);
  });
}

}  // namespace dlview::ui
