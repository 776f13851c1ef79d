#include "ui/views/timeline/timeline_bar.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

// Return their left edge.
float draw_panel_button(Frame& frame, float right, float top, std::string_view command,
                        std::string_view label, bool is_open) {
  const float left = right - button_width(frame, label);
  const ButtonKind kind = is_open ? ButtonKind::accent : ButtonKind::plain;
  if (draw_button(frame, fmt::format("timeline/open/{}", command), left, top, label, kind)) {
    frame.host.run_command(command);
  }
  return left;
}

float draw_panel_buttons(Frame& frame, float edge, float top, LowerPanel lower) {
  const bool is_pair = lower == LowerPanel::differing_ops || lower == LowerPanel::differing_kernels;
  const float right =
      draw_panel_button(frame, edge, top, "timeline.side_by_side", "Side by side", is_pair) -
      frame.px(8);
  if (is_pair) {
    constexpr std::array<Segment, 2> kSegments{{{"ops", "Ops"}, {"kernels", "Kernels"}}};
    const float left = right - segments_width(frame, kSegments);
    if (draw_segments(frame, "timeline/differences", left, top, kSegments,
                      lower == LowerPanel::differing_ops ? 0 : 1)) {
      frame.host.run_command("timeline.differences");
    }
    return left;
  }
  const float left = draw_panel_button(frame, right, top, "timeline.bookmarks", "Bookmarks",
                                       lower == LowerPanel::bookmarks);
  return draw_panel_button(frame, left - frame.px(8), top, "timeline.gaps", "Idle gaps",
                           lower == LowerPanel::gaps);
}

}  // namespace

int draw_timeline_bar(Frame& frame, const Box& box, EventSearch& search, ColourChoice& colours,
                      LowerPanel lower, const timeline::Lanes& lanes,
                      const std::optional<timeline::Place>& selected) {
  fill(box, frame.palette().panel);
  horizontal_line(box.left, box.right, box.bottom - 1, frame.palette().line);
  const float gap = frame.px(kGap);
  const float top = std::round((box.top + box.bottom - frame.px(kControlHeight)) / 2);
  const float bottom = top + frame.px(kControlHeight);
  const float buttons = draw_panel_buttons(frame, box.right - gap, top, lower);
  const float right = colours.draw_menu(frame, buttons - frame.px(8), top) - frame.px(16);
  const float left = box.left + gap;
  const float searched = search.is_on() ? right : left + frame.px(kSearchFieldWidth);
  const int step = search.draw(frame, {left, top, searched, bottom}, selected);
  if (search.is_on()) return step;
  draw_timeline_legend(frame, {searched + frame.px(20), top, right, bottom},
                       colours.colours(frame, lanes).legend());
  return step;
}

}  // namespace dlview::ui
