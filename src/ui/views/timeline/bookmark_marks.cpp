#include "ui/views/timeline/bookmark_marks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "timeline/time_text.h"
#include "ui/chart/iteration_name.h"
#include "ui/views/timeline/event_details.h"
#include "ui/views/timeline/ruler.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Bookmark;

constexpr float kFlagWidth = 11, kFlagHeight = 9;
constexpr float kNameFieldWidth = 260;
constexpr float kTimeWidth = 150, kLengthWidth = 84, kIterationWidth = 84, kRemoveWidth = 20;

// Of a part of the run that was shown the first iteration that lies in it, else the one in which it
// begins.
std::string iteration_text(const aggregate::Iterations& iterations, const Bookmark& bookmark) {
  const auto& rows = iterations.rows;
  const int64_t at = bookmark.time.start_ns;
  const auto inside = std::ranges::lower_bound(rows, at, {}, &aggregate::Iteration::start_ns);
  const bool was_shown = bookmark.time == bookmark.window;
  if (was_shown && inside != rows.end() && inside->stop_ns <= bookmark.time.stop_ns()) {
    return iteration_number(iterations, inside - rows.begin());
  }
  const auto begun_in = iteration_at(iterations, at);
  return begun_in ? iteration_number(iterations, *begun_in) : "outside";
}

std::string title_of(const Bookmark& bookmark) {
  return bookmark.note.empty() ? "Bookmark" : bookmark.note;
}

}  // namespace

void BookmarkMarks::add(const Bookmark& bookmark, std::string_view plot) {
  finish_editing();
  edit(add_bookmark(all_, bookmark), plot);
}

void BookmarkMarks::edit(std::size_t index, std::string_view plot) {
  edited_ = index;
  edited_at_ = plot;
  edited_in_ = ImGui::GetFrameCount();
  note_ = all_[index].note;
  wants_focus_ = true;
  had_focus_ = false;
}

void BookmarkMarks::finish_editing() {
  edited_.reset();
}

// What was done to bookmarks while they were drawn.
void BookmarkMarks::take_orders() {
  const auto removed = std::exchange(removed_, std::nullopt);
  if (!removed) return;
  edited_.reset();
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(*removed));
}

void BookmarkMarks::draw_menu(Frame& frame, const std::string& name, const Box& box,
                              std::size_t index, std::string_view plot) {
  CopyMenu menu(frame, name, box);
  if (!menu.is_open()) return;
  menu.action("rename", "Edit note", [&] { edit(index, plot); });
  menu.item(
      "note", "Copy note", [&] { return all_[index].note; }, !all_[index].note.empty());
  menu.item("time", "Copy time", [&] { return timeline::time_text(all_[index].time.start_ns); });
  menu.action("remove", "Remove bookmark", [&] { removed_ = index; });
}

void BookmarkMarks::draw_flag(Frame& frame, const TimelinePlot& plot, const Strip& strip,
                              std::size_t index) {
  const Bookmark& bookmark = all_[index];
  const timeline::TimeWindow& window = plot.map.window();
  if (bookmark.time.start_ns < window.start_ns || bookmark.time.start_ns >= window.stop_ns()) {
    return;
  }
  const Palette& colors = frame.palette();
  const float x = plot.x_of(bookmark.time.start_ns), width = frame.px(kFlagWidth);
  const float height = frame.px(kFlagHeight), flag = strip.top + frame.px(2);
  fill({x, flag, x + frame.px(1.5f), strip.bottom}, colors.accent);
  ImGui::GetWindowDrawList()->AddTriangleFilled({x, flag}, {x + width, flag + height / 2},
                                                {x, flag + height}, colors.accent);
  const std::string name = fmt::format("{}/bookmark/{}", plot.name, index);
  const Box box{x - frame.px(3), strip.top, x + width + frame.px(2), strip.bottom};
  const auto field = field_box(frame, plot, strip.field_top);
  const bool is_covered = field && box.left < field->right && box.right > field->left &&
                          box.top < field->bottom && box.bottom > field->top;
  if (is_covered) return;
  const Hit hit = hit_area(frame, name, box);
  frame.inspector.record_value(name, title_of(bookmark));
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_text_tooltip(frame,
                      {{TooltipStyle::heading, title_of(bookmark)},
                       {TooltipStyle::value, timeline::time_text(bookmark.time.start_ns)},
                       {TooltipStyle::note, base::format_duration(bookmark.time.length_ns)}});
  }
  if (hit.clicked) chosen_ = index;
  draw_menu(frame, name + "/menu", box, index, plot.name);
}

// At the foot of its flag, or at the edge that is nearer to it.
std::optional<Box> BookmarkMarks::field_box(const Frame& frame, const TimelinePlot& plot,
                                            float top) const {
  if (!is_editing_at(plot.name)) return std::nullopt;
  const float width = std::min(frame.px(kNameFieldWidth), plot.box.width());
  const float x = plot.x_of(all_[*edited_].time.start_ns);
  const float left = std::clamp(x, plot.box.left, plot.box.right - width);
  return Box{left, top, left + width, top + frame.px(kControlHeight) + frame.px(8)};
}

void BookmarkMarks::draw_field(Frame& frame, const Box& box) {
  edited_in_ = ImGui::GetFrameCount();
  const Palette& colors = frame.palette();
  fill(box, colors.panel, frame.px(5));
  outline(box, colors.line, frame.px(5));
  const float inset = frame.px(4);
  if (std::exchange(wants_focus_, false)) focus_next_item();
  const TextFieldResult field =
      draw_text_field(frame, "timeline/bookmark_note",
                      {box.left + inset, box.top + inset, box.right - inset, box.bottom - inset}, 0,
                      note_, "Note (optional)");
  all_[*edited_].note = note_;
  const bool is_left = had_focus_ && !field.active;
  had_focus_ |= field.active;
  if (field.entered || is_left) finish_editing();
}

std::optional<Bookmark> BookmarkMarks::draw_flags(Frame& frame, const TimelinePlot& plot,
                                                  const Strip& strip,
                                                  const std::optional<base::Interval>& within) {
  // The plot where the note was typed is not shown any more.
  if (ImGui::GetFrameCount() > edited_in_ + 1) finish_editing();
  const auto is_in = [&](const Bookmark& bookmark) {
    const int64_t start_ns = bookmark.time.start_ns;
    return !within || (start_ns >= within->start_ns && start_ns <= within->stop_ns);
  };
  chosen_.reset();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (is_in(all_[i]) || (is_editing_at(plot.name) && edited_ == i))
      draw_flag(frame, plot, strip, i);
  }
  if (const auto box = field_box(frame, plot, strip.field_top)) draw_field(frame, *box);
  take_orders();
  return chosen_ ? std::optional(all_[*chosen_]) : std::nullopt;
}

std::optional<Bookmark> BookmarkMarks::draw_list(Frame& frame, const Box& box,
                                                 const aggregate::Iterations& iterations) {
  const Palette& colors = frame.palette();
  chosen_.reset();
  fill(box, colors.panel, frame.px(kRounding));
  outline(box, colors.line, frame.px(kRounding));
  ScrollArea scroll(frame, "timeline/bookmarks", box);
  const std::string count =
      all_.empty() ? "" : base::format_count(static_cast<int64_t>(all_.size()));
  const Area body = draw_heading(frame, scroll.area(), {"Bookmarks", "", count, ""});
  if (all_.empty()) {
    scroll.end_at(draw_wrapped(frame.fonts().text, body, colors.dim,
                               "No bookmarks. Press B to set one at the selection, or at what "
                               "is visible if nothing is selected."));
    frame.inspector.record_value("timeline/bookmarks", "none");
    return std::nullopt;
  }
  FixedTable table(frame, body,
                   {{"Start", "", frame.px(kTimeWidth)},
                    {"Length", "", frame.px(kLengthWidth), Align::right},
                    {"Iteration", "", frame.px(kIterationWidth), Align::right},
                    {"Note", "", kFlexibleWidth},
                    {"", "", frame.px(kRemoveWidth)}});
  for (std::size_t i = 0; i < all_.size(); ++i) draw_row(frame, table.next_row(), i, iterations);
  scroll.end_at(table.bottom());
  take_orders();
  return chosen_ ? std::optional(all_[*chosen_]) : std::nullopt;
}

void BookmarkMarks::draw_row(Frame& frame, const std::vector<Box>& cells, std::size_t index,
                             const aggregate::Iterations& iterations) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  const Bookmark& bookmark = all_[index];
  const std::string name = fmt::format("timeline/bookmarks/{}", index);
  const float top = std::round((cells[0].top + cells[0].bottom - font_size(font)) / 2);
  const Box remove = cells[4];
  const Hit cross = hit_area(frame, name + "/remove", remove);
  const Box row{cells[0].left, cells[0].top, cells[3].right, cells[0].bottom};
  const Hit hit = hit_area(frame, name, row);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    fill(row, with_opacity(colors.text, 0.035f), frame.px(3));
  }
  draw_text_in(font, cells[0], colors.text, timeline::time_text(bookmark.time.start_ns));
  draw_text_right(font, cells[1].right, top, colors.text,
                  base::format_duration(bookmark.time.length_ns));
  const std::string iteration = iteration_text(iterations, bookmark);
  draw_text_right(font, cells[2].right, top, colors.text, iteration);
  frame.inspector.record_value(name + "/iteration", iteration);
  draw_text_cut(frame, font, cells[3].left, top, cells[3].width(), colors.text, bookmark.note,
                CutAt::middle);
  draw_icon(Icon::close, (remove.left + remove.right) / 2, (remove.top + remove.bottom) / 2,
            frame.px(14), cross.hovered ? colors.text : colors.faint);
  frame.inspector.record_value(name, title_of(bookmark));
  if (cross.clicked) removed_ = index;
  if (hit.clicked) chosen_ = index;
  draw_menu(frame, name + "/menu", row, index, TimelinePlot().name);
}

}  // namespace dlview::ui
