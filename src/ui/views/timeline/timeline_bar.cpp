#include "ui/views/timeline/timeline_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "profile/python_frames.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using timeline::EventClass;
using timeline::Lanes;
using timeline::NameHits;

constexpr float kSearchFieldWidth = 230;

// So many events are searched within a frame's time.
constexpr std::size_t kSearchedAtOnce = 50'000;

struct ClassName {
  EventClass which;
  std::string_view nouns;
};
constexpr std::array<ClassName, timeline::kEventClassCount> kClasses{
    {{EventClass::kernels, "kernels"},
     {EventClass::launches, "launches"},
     {EventClass::memory_ops, "memory operations"},
     {EventClass::api_calls, "API calls"},
     {EventClass::ops, "ops"},
     {EventClass::groups, "groups"},
     {EventClass::ranges, "ranges"},
     {EventClass::os_calls, "OS calls"},
     {EventClass::states, "CPU run intervals"},
     {EventClass::frames, "Python frames"},
     {EventClass::gpu_syncs, "GPU synchronizations"},
     {EventClass::overheads, "profiler overhead events"}}};

// Return their left edge.
float draw_panel_button(Frame& frame, float right, float top, std::string_view command,
                        std::string_view label, bool is_open) {
  const float left = right - button_width(frame, label);
  const ButtonKind kind = is_open ? ButtonKind::accent : ButtonKind::plain;
  const std::string name = fmt::format("timeline/open/{}", command);
  frame.inspector.record_value(name, label);
  if (draw_button(frame, name, left, top, label, kind)) {
    frame.host.run_command(command);
  }
  return left;
}

bool has_frames(const Frame& frame) {
  return profile::python_frame_count(*frame.model.profile) > 0;
}

float draw_panel_buttons(Frame& frame, float edge, float top, LowerPanel lower, bool shows_frames) {
  const bool is_pair = lower == LowerPanel::differing_ops || lower == LowerPanel::differing_kernels;
  const float right =
      draw_panel_button(frame, edge, top, "timeline.side_by_side", "Compare iterations", is_pair) -
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
  const float bookmarks = draw_panel_button(frame, right, top, "timeline.bookmarks", "Bookmarks",
                                            lower == LowerPanel::bookmarks);
  const float left = draw_panel_button(frame, bookmarks - frame.px(8), top, "timeline.gaps",
                                       "Idle gaps", lower == LowerPanel::gaps);
  if (!has_frames(frame)) return left;
  return draw_panel_button(frame, left - frame.px(8), top, "timeline.python_frames",
                           "Python frames", shows_frames);
}

// "75 events: 37 kernels, 37 launches, 1 op", "No event name contains “xyz”".
std::string search_text(const NameHits& hits) {
  if (hits.count() == 0) return fmt::format("No event name contains “{}”", hits.text());
  std::string text = base::counted(hits.count(), "events");
  std::string_view between = ": ";
  for (const auto& [which, nouns] : kClasses) {
    if (hits.count(which) == 0) continue;
    text += between;
    text += base::counted(hits.count(which), nouns);
    between = ", ";
  }
  return text;
}

}  // namespace

void EventSearch::update(const std::shared_ptr<const Lanes>& lanes, Background& background) {
  lanes_ = lanes;
  if (!is_on()) return hits_.drop();
  hits_.want({lanes, text_}, event_count(*lanes) <= kSearchedAtOnce, background,
             [lanes, text = text_](const base::Progress& progress) {
               return std::make_shared<const NameHits>(lanes, text, progress);
             });
}

void EventSearch::end() {
  text_.clear();
  ImGui::SetWindowFocus(nullptr);  // a field that is being typed into would keep its text
}

const NameHits* EventSearch::hits() const {
  const NameHits* hits = is_on() ? hits_.get().get() : nullptr;
  return hits != nullptr && hits->lanes() == lanes_ ? hits : nullptr;
}

int EventSearch::draw(Frame& frame, const Box& box,
                      const std::optional<timeline::Place>& selected) {
  const float width = std::min(frame.px(kSearchFieldWidth), box.width());
  const Box field{box.left, box.top, box.left + width, box.bottom};
  const bool fails = hits() != nullptr && !hits_.is_late() && hits()->count() == 0;
  if (std::exchange(wants_focus_, false)) focus_next_item();
  const TextFieldResult typed =
      draw_text_field(frame, "timeline/search", field, 0, text_, "Search events", fails);
  if (std::exchange(is_typing_, typed.active) && pressed(ImGuiKey_Escape)) end();
  draw_answer(frame, {field.right + frame.px(10), box.top, box.right, box.bottom}, selected);
  if (!typed.entered) return 0;
  wants_focus_ = true;
  return ImGui::GetIO().KeyShift ? -1 : 1;
}

void EventSearch::draw_answer(Frame& frame, const Box& box,
                              const std::optional<timeline::Place>& selected) const {
  if (hits() == nullptr) return;
  std::string text = search_text(*hits());
  if (selected && hits()->contains(*selected)) {
    text = fmt::format("{} of {}", base::format_count(hits()->number_of(*selected)), text);
  }
  if (hits_.is_late()) text += " …";
  const ImFont* font = frame.fonts().text;
  draw_text_cut(frame, font, box.left, box.top + std::round((box.height() - font_size(font)) / 2),
                box.width(), frame.palette().dim, text, CutAt::middle);
  frame.inspector.record_value("timeline/search/answer", text);
}

bool draw_frames_bar(Frame& frame, const Box& box) {
  const Model& model = frame.model;
  const Palette& colors = frame.palette();
  fill(box, colors.raised);
  horizontal_line(box.left, box.right, box.bottom - 1, colors.line);
  const float gap = frame.px(kGap);
  const float top = std::round((box.top + box.bottom - frame.px(kControlHeight)) / 2);
  float right = box.right - gap - button_width(frame, "Hide");
  const bool hides = draw_button(frame, "timeline/frames/hide", right, top, "Hide");
  const bool is_reading = model.reading_frames.has_value();
  std::string text = "Reading Python frames…";
  const auto& error = model.frames_error ? model.frames_error : model.frame_lanes_error;
  if (error) text = base::one_line(*error);
  if (is_reading && model.reading_frames->total > 0) {
    text += fmt::format(" {:.0f}%", 100 * model.reading_frames->fraction());
  }
  if (model.python_frames && !error) text = "Building the lanes of Python frames…";
  if (is_reading || error) {
    const std::string_view label = is_reading           ? "Cancel"
                                   : model.frames_error ? "Read again"
                                                        : "Try again";
    right -= frame.px(8) + button_width(frame, label);
    if (draw_button(frame, "timeline/frames/read", right, top, label)) {
      frame.host.run_command(is_reading ? "stacks.cancel" : "stacks.read");
    }
  }
  const ImFont* font = frame.fonts().text;
  draw_text_cut(frame, font, box.left + gap,
                box.top + std::round((box.height() - font_size(font)) / 2),
                right - gap - box.left - gap, error ? colors.text : colors.dim, text, CutAt::end);
  frame.inspector.record_value("timeline/frames", text);
  if (is_reading) {
    const float height = frame.px(2);
    fill({box.left, box.bottom - height, box.left + box.width() * model.reading_frames->fraction(),
          box.bottom},
         colors.accent);
  }
  return hides;
}

int draw_timeline_bar(Frame& frame, const Box& box, EventSearch& search, ColorChoice& colors,
                      LowerPanel lower, bool shows_frames, const timeline::Lanes& lanes,
                      const std::optional<timeline::Place>& selected) {
  fill(box, frame.palette().panel);
  horizontal_line(box.left, box.right, box.bottom - 1, frame.palette().line);
  const float gap = frame.px(kGap);
  const float top = std::round((box.top + box.bottom - frame.px(kControlHeight)) / 2);
  const float bottom = top + frame.px(kControlHeight);
  const float buttons = draw_panel_buttons(frame, box.right - gap, top, lower, shows_frames);
  const float right = colors.draw_menu(frame, buttons - frame.px(8), top) - frame.px(16);
  const float left = box.left + gap;
  const float most = std::max(left, right);
  const float searched = search.is_on() ? most : std::min(most, left + frame.px(kSearchFieldWidth));
  const int step = search.draw(frame, {left, top, searched, bottom}, selected);
  if (search.is_on()) return step;
  draw_timeline_legend(frame, {searched + frame.px(20), top, right, bottom},
                       colors.colors(frame, lanes).legend());
  return step;
}

}  // namespace dlview::ui
