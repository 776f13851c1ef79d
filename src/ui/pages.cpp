#include "ui/pages.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kPageWidth = 620;

// Null where no command leads back.
const CommandInfo* way_back(const Frame& frame) {
  const auto& commands = frame.model.commands;
  const auto back = std::ranges::find(commands, "file.back", &CommandInfo::id);
  return back == commands.end() || !back->enabled ? nullptr : &*back;
}

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
  const Palette& colors = frame.palette();
  const float rounding = box.height() / 2;
  fill(box, colors.raised, rounding);
  if (progress.total > 0) {
    const float done = box.width() * std::clamp(progress.fraction(), 0.0f, 1.0f);
    if (done >= 1) {
      fill({box.left, box.top, box.left + std::max(done, box.height()), box.bottom}, colors.accent,
           rounding);
    }
    return;
  }
  // The length is unknown: a piece moves from left to right, or stays in the middle.
  const float piece = box.width() / 5;
  const double now = ImGui::GetTime();
  const double turn = frame.model.reduced_motion ? 0.5 : now - std::floor(now);
  const float left = box.left + static_cast<float>(turn) * (box.width() - piece);
  fill({left, box.top, left + piece, box.bottom}, colors.accent, rounding);
}

}  // namespace

float way_back_height(const Frame& frame) {
  return way_back(frame) == nullptr ? 0 : frame.px(kControlHeight + 8);
}

float draw_way_back(Frame& frame, const Area& area) {
  const CommandInfo* back = way_back(frame);
  if (back == nullptr) return area.top;
  const ImFont* font = frame.fonts().text;
  const std::string label =
      cut_text(back->title, area.width - frame.px(40), CutAt::middle,
               [font](std::string_view part) { return text_width(font, part); });
  frame.inspector.record_value("page/back", label);
  if (draw_button(frame, "page/file.back", area.left, area.top, label)) {
    frame.host.run_command("file.back");
  }
  return area.top + way_back_height(frame);
}

float draw_page_buttons(Frame& frame, const Area& area, std::initializer_list<PageButton> buttons) {
  float x = area.left;
  for (const PageButton& button : buttons) {
    const std::string name = fmt::format("page/{}", button.command);
    if (draw_button(frame, name, x, area.top, button.label)) {
      frame.host.run_command(button.command);
    }
    x += button_width(frame, button.label) + frame.px(8);
  }
  return area.top + frame.px(kControlHeight);
}

bool draw_progress_card(Frame& frame, const Box& box, std::string_view name, std::string_view title,
                        std::string_view subject, const base::Progress::Snapshot& progress) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  bool is_canceled = false;
  draw_card(frame, box, [&](const Area& area) {
    draw_text(fonts.strong, area.left, area.top, colors.text, title);
    const float name_left = area.left + text_width(fonts.strong, title) + frame.px(8);
    draw_text_cut(frame, fonts.text, name_left, area.top, area.right() - name_left, colors.dim,
                  subject, CutAt::front);
    float y = area.top + line_height(fonts.strong) + frame.px(16);
    draw_progress_bar(frame, box_of(area.below(y), frame.px(6)), progress);
    y += frame.px(6) + frame.px(10);
    draw_text(fonts.text, area.left, y, colors.text, progress.stage);
    frame.inspector.record_value(fmt::format("{}/stage", name), progress.stage);
    if (progress.total > 0) {
      draw_text_right(fonts.text, area.right(), y, colors.dim,
                      fmt::format("{} of {}", base::format_count(progress.done),
                                  base::format_count(progress.total)));
    }
    y += line_height(fonts.text) + frame.px(16);
    const float left = area.right() - button_width(frame, "Cancel");
    is_canceled = draw_button(frame, fmt::format("{}/cancel", name), left, y, "Cancel");
    return y + frame.px(kControlHeight);
  });
  return is_canceled;
}

void draw_error_card(Frame& frame, const Box& box, std::string_view name, const base::Error& error,
                     std::initializer_list<PageButton> buttons) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  frame.inspector.record_value(fmt::format("{}/title", name), error.title);
  frame.inspector.record_value(fmt::format("{}/detail", name), error.detail);
  frame.inspector.record_value(fmt::format("{}/advice", name), error.advice);
  draw_card(frame, box, [&](const Area& area) {
    const float rule = frame.px(3);
    const Area text{area.left + frame.px(14), area.top, area.width - frame.px(14)};
    float y = draw_wrapped(fonts.strong, text, colors.text, error.title);
    if (!error.detail.empty()) {
      y = draw_wrapped(fonts.text, text.below(y + frame.px(8)), colors.text, error.detail);
    }
    fill({area.left, area.top, area.left + rule, y}, colors.attention, rule / 2);
    if (!error.advice.empty()) {
      y += frame.px(18);
      draw_text(fonts.small, text.left, y, colors.dim, "What to do");
      y += line_height(fonts.small) + frame.px(3);
      y = draw_prose(frame, fonts.text, text.below(y), colors.text, find_links(error.advice));
    }
    if (buttons.size() == 0 && !frame.model.error) return y;
    y += frame.px(18);
    if (frame.model.error) y = draw_way_back(frame, text.below(y));
    return draw_page_buttons(frame, text.below(y), buttons);
  });
}

void draw_frames_card(Frame& frame, const Box& box, std::string_view name) {
  const Model& model = frame.model;
  if (model.frames_error) {
    return draw_error_card(frame, box, fmt::format("{}/error", name), *model.frames_error,
                           {{"Read again", "stacks.read"}});
  }
  const base::Progress::Snapshot progress =
      model.reading_frames.value_or(base::Progress::Snapshot{.stage = "Waiting…"});
  if (draw_progress_card(frame, box, fmt::format("{}/reading", name), "Reading Python frames",
                         model.file_name, progress)) {
    frame.host.run_command("stacks.cancel");
  }
}

void draw_loading_page(Frame& frame, const Box& box) {
  if (draw_progress_card(frame, box, "loading", "Opening", frame.model.file_name,
                         *frame.model.loading)) {
    frame.host.cancel_loading();
  }
}

void draw_error_page(Frame& frame, const Box& box) {
  draw_error_card(
      frame, box, "error", *frame.model.error,
      {{"Open file…", "file.open"}, {"Open demo profile", "file.demo"}, {"Quit", "file.quit"}});
}

}  // namespace dlview::ui
