#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/text.h"
#include "ui/views/timeline/metric_rows.h"
#include "ui/views/timeline/rows.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Lane;
using timeline::LinePicture;

constexpr float kIndent = 24;

}  // namespace

std::optional<double> TimelineRows::busy_share(const TimelineRow& row) const {
  const base::Interval& covered = looks_.own != nullptr ? looks_.own->time() : lanes_.recorded;
  const base::Interval shown{std::max(plot_.map.window().start_ns, covered.start_ns),
                             std::min(plot_.map.window().stop_ns(), covered.stop_ns)};
  if (shown.start_ns >= shown.stop_ns) return std::nullopt;
  const double shown_ns = static_cast<double>(shown.stop_ns - shown.start_ns);
  const timeline::LaneGroup& gpu = lanes_.groups[row.group];
  if (looks_.own != nullptr) return 100 * static_cast<double>(own_busy_ns(gpu, shown)) / shown_ns;
  // Not the sum of the columns, of which several may show one ns.
  const timeline::ColumnTimes window(timeline::TimeMap(plot_.map.window(), 1));
  const int64_t busy_ns = gpu.busy->by_column(window).front();
  return 100 * std::min(1.0, static_cast<double>(busy_ns) / shown_ns);
}

void TimelineRows::draw_busy_share(const TimelineRow& row) {
  const auto share = busy_share(row);
  if (!share) return;
  const ImFont* font = frame_.fonts().small;
  const Box box = plot_.row_box(row);
  const std::string text = base::format_percent(*share);
  draw_text_right(font, box.left - frame_.px(8),
                  std::round(box.top + (box.height() - font_size(font)) / 2), frame_.palette().text,
                  text);
  frame_.inspector.record_value(fmt::format("{}/{}/share", plot_.name, lanes_.groups[row.group].id),
                                text);
}

// "12 lanes · 3,204 events".
void TimelineRows::draw_short_events_name(const TimelineRow& row, float names_left) {
  const timeline::LaneGroup& group = lanes_.groups[row.group];
  std::size_t events = 0;
  for (const TimelineLine& line : row.lines) {
    events += group.lanes[line.lane].lines[line.line].size();
  }
  const std::string text = fmt::format("{} · {}", base::counted(std::ssize(row.lines), "lanes"),
                                       base::counted(static_cast<int64_t>(events), "events"));
  const ImFont* font = frame_.fonts().small;
  const Box box = plot_.row_box(row);
  const Box names{names_left + frame_.px(kIndent), box.top, box.left - frame_.px(6), box.bottom};
  draw_text_cut(frame_, font, names.left, names.top + (names.height() - font_size(font)) / 2,
                names.width(), frame_.palette().dim, text, CutAt::end);
  const std::string path = fmt::format("{}/{}/{}/short", plot_.name, group.id, row.lane);
  frame_.inspector.record_item(path, item_rect(box));
  frame_.inspector.record_value(path, text);
  if (hovered(names)) {
    show_tooltip(frame_, "All events here are narrower than a pixel. Zoom in to open the lanes.");
  }
}

// "12 threads without ops or GPU calls".
std::string idle_threads_text(int64_t threads) {
  return base::counted(threads, "threads") + " without ops or GPU calls";
}

std::optional<std::string> TimelineRows::draw_heading(const TimelineRow& row, float names_left) {
  const bool is_idle = row.kind == TimelineRowKind::idle_threads;
  const timeline::LaneGroup& group = lanes_.groups[row.group];
  const std::string id = is_idle ? std::string(kIdleThreads) : group.id;
  const Palette& colors = frame_.palette();
  const Box line = plot_.row_box(row);
  const Box box{names_left, line.top, line.left, line.bottom};
  const std::string path = fmt::format("{}/group/{}", plot_.name, id);
  const Hit hit = hit_area(frame_, path, box);
  const float middle = (box.top + box.bottom) / 2;
  draw_icon(row.is_folded ? Icon::right : Icon::down, names_left + frame_.px(12), middle,
            frame_.px(12), hit.hovered ? colors.text : colors.dim);
  draw_text_in(frame_.fonts().strong,
               {names_left + frame_.px(kIndent), box.top, line.right, box.bottom}, colors.text,
               is_idle ? idle_threads_text(row.threads) : group.name);
  horizontal_line(names_left, line.right, box.top, colors.line);
  frame_.inspector.record_value(path, row.is_folded ? "folded" : "open");
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return hit.clicked ? std::optional(id) : std::nullopt;
}

// Of a lane, at its first row.
void TimelineRows::draw_names(const TimelineRow& row, float names_left) {
  const timeline::LaneGroup& group = lanes_.groups[row.group];
  const Lane& lane = group.lanes[row.lane];
  const Box box = plot_.row_box(row);
  const std::string path = fmt::format("{}/{}/{}", plot_.name, group.id, row.lane);
  if (row.line > 0) return;
  const ImFont* font = frame_.fonts().small;
  const float left = names_left + frame_.px(kIndent);
  const float top = box.top + (box.height() - font_size(font)) / 2;
  float right = plot_.box.left - frame_.px(6);
  if (row.kind == TimelineRowKind::counter) {
    const std::string bounds = counter_bounds(row);
    const float bounds_right = box.left - frame_.px(8);
    draw_text_right(font, bounds_right, std::round(top), frame_.palette().text, bounds);
    right = bounds_right - text_width(font, bounds) - frame_.px(8);
    frame_.inspector.record_value(path + "/bounds", bounds);
  }
  draw_text_cut(frame_, font, left, top, right - left, frame_.palette().dim, lane.name,
                CutAt::middle);
  frame_.inspector.record_item(path, item_rect(box));
  frame_.inspector.record_value(path, lane.name);
  if (lane.lines.empty()) return;
  // For who wants to click an event: the first one that is drawn as itself.
  const LinePicture& picture = pictures_.of(lane.lines.front());
  const auto first =
      std::ranges::find_if(picture, [](const timeline::Mark& mark) { return !mark.is_fold(); });
  if (first == picture.end()) return;
  frame_.inspector.record_item(path + "/first",
                               {box.left + static_cast<float>(first->left), box.top,
                                box.left + static_cast<float>(first->right), box.bottom});
}

std::optional<std::string> TimelineRows::draw_metric_name(const TimelineRow& row,
                                                          float names_left) {
  const timeline::LaneGroup& group = lanes_.groups[row.group];
  const Lane& lane = group.lanes[row.lane];
  const Box box = plot_.row_box(row);
  const Box names{names_left, box.top, box.left - frame_.px(8), box.bottom};
  const std::string path = fmt::format("{}/{}/{}", plot_.name, group.id, row.lane);
  const Palette& colors = frame_.palette();
  const ImFont* font = frame_.fonts().small;
  const float left = names_left + frame_.px(kIndent);
  const float top = std::round(box.top + (box.height() - font_size(font)) / 2);
  // The first lane stands for all.
  const Hit hit = lane.is_detail ? Hit() : hit_area(frame_, path + "/name", names);
  if (!lane.is_detail) {
    draw_icon(row.is_folded ? Icon::right : Icon::down, left - frame_.px(9),
              (box.top + box.bottom) / 2, frame_.px(10), hit.hovered ? colors.text : colors.dim);
    if (hit.hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      show_tooltip(frame_, row.is_folded ? "Click to show all GPU metrics."
                                         : "Click to show SM activity only.");
    }
  }
  const timeline::TimeWindow& window = plot_.map.window();
  const std::string means = means_text(*lane.metric, {window.start_ns, window.stop_ns() - 1});
  draw_text_right(font, names.right, top, colors.text, means);
  draw_text_cut(frame_, font, left, top,
                names.right - text_width(font, means) - frame_.px(8) - left,
                hit.hovered ? colors.text : colors.dim, lane.name, CutAt::end);
  frame_.inspector.record_item(path, item_rect(box));
  frame_.inspector.record_value(path, lane.name);
  frame_.inspector.record_value(path + "/means", means);
  return hit.clicked ? std::optional(std::string(kGpuMetrics)) : std::nullopt;
}

}  // namespace dlview::ui
