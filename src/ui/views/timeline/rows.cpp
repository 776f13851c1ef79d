#include "ui/views/timeline/rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "aggregate/rules/rule_index.h"
#include "base/parallel.h"
#include "base/units.h"
#include "timeline/picture.h"
#include "ui/explanations.h"
#include "ui/text.h"
#include "ui/views/timeline/event_labels.h"
#include "ui/views/timeline/metric_rows.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using timeline::Lane;
using timeline::LaneKind;
using timeline::LinePicture;

constexpr int32_t kLeastEdged = 4;  // boxes so wide end in an edge where the next one touches them
constexpr float kEdgeShade = 0.3f;
constexpr Color kBlack = rgb(0x000000);
constexpr float kLeastCutLabel = 44;
constexpr float kLeastLabel = 24;     // pixels of the design
constexpr int32_t kPointerReach = 2;  // columns around the pointer
constexpr float kBeyond = 4;          // pixels that what lies outside is drawn beyond the box
constexpr float kHeadingHeight = 26;
constexpr float kBusyHeight = 30;
constexpr float kLineHeight = 19;
constexpr float kBetweenLanes = 5;
constexpr float kShortEventsHeight = 14;
constexpr float kLeastGap = 24;  // gaps so wide have a bracket, pixels of the design
constexpr float kGapTip = 5;     // the height of its ends
constexpr float kAroundGapText = 6;
constexpr float kDimmed = 0.16f;
constexpr float kDimmedLabel = 0.4f;

// Work that ends it: of events that take no time none does.
std::optional<timeline::EventRef> work_behind(const timeline::Events& events,
                                              const timeline::LaneGroup& gpu,
                                              const base::Interval& gap) {
  for (const Lane& lane : gpu.lanes) {
    for (const timeline::Line& line : lane.lines) {
      for (std::size_t at = line.first_visible(gap.stop_ns, events);
           at < line.size() && events.start_ns(line[at]) == gap.stop_ns; ++at) {
        if (events.time(line[at]).stop_ns > gap.stop_ns) return line[at];
      }
    }
  }
  return std::nullopt;
}

// With the name of what ends it and, once there are rules, with what the host did meanwhile.
std::string gap_text(const timeline::Events& events, const timeline::LaneGroup& gpu,
                     const base::Interval& gap, const aggregate::RuleIndex* rules) {
  std::string text = "Idle " + base::format_duration(gap.stop_ns - gap.start_ns);
  const auto work = work_behind(events, gpu, gap);
  if (!work) return text;
  text += fmt::format(", then {}", events.name(*work));
  const profile::InstanceIndex instance = instance_of(events.profile(), *work);
  if (rules == nullptr || instance == profile::kNoRow) return text;
  const aggregate::HostTime host =
      rules->idle_gaps().host_time(gpu.device, gap.start_ns, gap.stop_ns, instance);
  return fmt::format("{}\nHost: {}", text, host_text(events.profile(), host));
}

}  // namespace

void add_rectangle(std::vector<render::Rectangle>& rectangles, const render::Rectangle& next) {
  if (!rectangles.empty()) {
    render::Rectangle& last = rectangles.back();
    if (last.color == next.color && last.right == next.left && last.top == next.top &&
        last.bottom == next.bottom) {
      last.right = next.right;
      return;
    }
  }
  rectangles.push_back(next);
}

TimelineHeights timeline_heights(const Frame& frame) {
  return {frame.px(kHeadingHeight), frame.px(kBusyHeight), frame.px(kLineHeight),
          frame.px(kBetweenLanes), frame.px(kShortEventsHeight)};
}

FoldColors::FoldColors(const EventColors& colors, Color background, const timeline::TimeMap& map)
    : shades_per_ns_(kShades * map.columns() / static_cast<double>(map.window().length_ns)) {
  for (std::size_t hue = 0; hue < colors_.size(); ++hue) {
    for (int shade = 0; shade <= kShades; ++shade) {
      colors_[hue][static_cast<std::size_t>(shade)] = color_of_fold(
          colors.color(static_cast<uint8_t>(hue)), background, static_cast<float>(shade) / kShades);
    }
  }
}

float TimelinePlot::x_of(int64_t time_ns) const {
  const int32_t column = map.column(time_ns);
  if (column < 0) return box.left - kBeyond;
  if (column >= map.columns()) return box.right + (time_ns > map.window().stop_ns() ? kBeyond : 0);
  return box.left + static_cast<float>(column);
}

int64_t TimelinePlot::time_at(float x) const {
  const auto column = static_cast<int32_t>(std::floor(x - box.left));
  return map.begin_ns(std::clamp(column, 0, map.columns()));
}

Box TimelinePlot::row_box(const TimelineRow& row) const {
  return {box.left, std::round(rows_top + row.top), box.right, std::round(rows_top + row.bottom)};
}

TimelineRows::TimelineRows(Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
                           const TimelinePlot& plot, LinePictures& pictures,
                           const TimelineLooks& looks)
    : frame_(frame),
      lanes_(lanes),
      layout_(layout),
      plot_(plot),
      pictures_(pictures),
      looks_(looks),
      fold_colors_(looks.colors, frame.palette().background, plot.map) {}

bool TimelineRows::is_lit(const TimelineRow& row, const timeline::Mark& mark) const {
  const std::size_t behind = mark.first + mark.count;
  const timeline::Place line{row.group, row.lane, row.line};
  if (looks_.own != nullptr && !looks_.own->contains(lanes_.events, line_of(row)[mark.longest])) {
    return false;
  }
  if (looks_.subject != nullptr && !looks_.subject->any_in(line, mark.first, behind)) return false;
  return looks_.hits == nullptr ||
         looks_.hits->of_line(row.group, row.lane, row.line).count_in(mark.first, behind) > 0;
}

Color TimelineRows::color_of_label(const TimelineRow& row, const timeline::Mark& mark) const {
  const Color lit = looks_.colors.of(line_of(row), mark.first);
  if (is_lit(row, mark)) return text_on(lit);
  const Color dimmed = mix(frame_.palette().background, lit, kDimmed);
  return mix(dimmed, text_on(dimmed), kDimmedLabel);
}

// Of the first one that a mark holds, so that it does not look like what hides it.
Color TimelineRows::color_of_hit(const TimelineRow& row, const timeline::Mark& mark,
                                 uint8_t hue) const {
  const std::size_t hit =
      looks_.hits->of_line(row.group, row.lane, row.line).first_from(mark.first);
  return hit < mark.first + mark.count ? looks_.colors.of(line_of(row), hit)
                                       : looks_.colors.color(hue);
}

void TimelineRows::add_line(const TimelineRow& row,
                            std::vector<render::Rectangle>& rectangles) const {
  const timeline::Line& line = line_of(row);
  const Box box = plot_.row_box(row);
  const float top = box.top + 1, bottom = box.bottom - 1;
  const Palette& palette = frame_.palette();
  const LinePicture& picture = pictures_.of(line);
  // Apart from all else, for each is a walk through memory: so the processor takes many at once.
  const std::vector<uint8_t> hues =
      hues_of(picture, looks_.colors.hues_of(line), lanes_.events, pictures_.columns());
  const bool may_be_dimmed = looks_.may_dim();
  rectangles.reserve(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const timeline::Mark& mark = picture[i];
    Color color =
        looks_.hits != nullptr ? color_of_hit(row, mark, hues[i]) : looks_.colors.color(hues[i]);
    if (may_be_dimmed && !is_lit(row, mark)) {
      color = mix(palette.background, color, kDimmed);
    } else if (mark.is_fold() && !looks_.searches()) {
      color = fold_colors_.of(hues[i], mark.busy_ns);  // what is looked for is seen however short
    }
    const bool touches_next = i + 1 < picture.size() && picture[i + 1].left == mark.right;
    const bool has_edge = touches_next && !mark.is_fold() && mark.right - mark.left >= kLeastEdged;
    const float right = box.left + static_cast<float>(mark.right);
    const float edge = has_edge ? right - 1 : right;
    add_rectangle(rectangles, {box.left + static_cast<float>(mark.left), top, edge, bottom, color});
    if (has_edge) {
      add_rectangle(rectangles, {edge, top, right, bottom, mix(color, kBlack, kEdgeShade)});
    }
  }
}

// Of `own` where that is set: how much of the time its GPU activity runs.
int64_t TimelineRows::own_busy_ns(const timeline::LaneGroup& gpu,
                                  const base::Interval& time) const {
  return looks_.own->busy(gpu.device).covered_ns(time.start_ns, time.stop_ns);
}

// An area: how much of each column the GPU is busy, from 0% at the bottom to 100% at the top. What
// others than `own` add is dimmed.
void TimelineRows::add_busy(const TimelineRow& row,
                            std::vector<render::Rectangle>& rectangles) const {
  const Box box = plot_.row_box(row);
  const float height = box.height() - 2, bottom = box.bottom - 1;
  const Palette& palette = frame_.palette();
  const Color area = busy_area(palette), edge = palette.tone(Tone::busy);
  const timeline::LaneGroup& gpu = lanes_.groups[row.group];
  const std::vector<int64_t>& busy = pictures_.of(*gpu.busy);
  std::vector<render::Rectangle> edges;
  for (int32_t column = 0; column < plot_.map.columns(); ++column) {
    const int64_t busy_ns = busy[static_cast<std::size_t>(column)];
    if (busy_ns == 0) continue;
    const float left = box.left + static_cast<float>(column);
    const base::Interval shown = pictures_.columns().shown(column);
    const int64_t ns = shown.stop_ns - shown.start_ns;
    // However short, it is seen.
    const auto top_of = [&](int64_t part_ns) {
      const double share = static_cast<double>(part_ns) / static_cast<double>(ns);
      return bottom - std::max(1.0f, std::round(static_cast<float>(share) * height));
    };
    const int64_t own_ns = looks_.own == nullptr ? busy_ns : own_busy_ns(gpu, shown);
    if (own_ns < busy_ns) {
      add_rectangle(rectangles, {left, top_of(busy_ns), left + 1, bottom,
                                 mix(palette.background, area, kDimmed)});
    }
    if (own_ns == 0) continue;
    const float top = top_of(own_ns);
    add_rectangle(rectangles, {left, top, left + 1, bottom, area});
    add_rectangle(edges, {left, top, left + 1, top + 1, edge});
  }
  rectangles.insert(rectangles.end(), edges.begin(), edges.end());
}

std::vector<TimelineRows::WideGap> TimelineRows::wide_gaps(const TimelineRow& row) const {
  const timeline::LaneGroup& gpu = lanes_.groups[row.group];
  const Box box = plot_.row_box(row);
  std::vector<WideGap> gaps;
  for (const timeline::ColumnSpan& span :
       timeline::idle_spans(pictures_.of(*gpu.busy), static_cast<int32_t>(frame_.px(kLeastGap)))) {
    const auto gap = gpu.busy->gap_at(pictures_.columns().shown(span.first).start_ns);
    if (!gap) continue;  // before the first work, or behind the last
    const IdleGap idle{timeline::window_between(gap->start_ns, gap->stop_ns), gpu.device};
    if (looks_.gap != nullptr && *looks_.gap == idle) continue;
    gaps.push_back({*gap,
                    {box.left + static_cast<float>(span.first), box.top,
                     box.left + static_cast<float>(span.behind), box.bottom}});
  }
  return gaps;
}

// A line between two ends, with the duration in its middle where that has room.
void TimelineRows::draw_gaps(const TimelineRow& row) {
  const Palette& palette = frame_.palette();
  const ImFont* font = frame_.fonts().small;
  const float around = frame_.px(kAroundGapText), tip = frame_.px(kGapTip);
  int labels = 0;
  for (const WideGap& gap : wide_gaps(row)) {
    const float y = std::round((gap.box.top + gap.box.bottom) / 2);
    const float left = gap.box.left + 1, right = gap.box.right - 1;
    for (const float x : {left, right - 1}) fill({x, y - tip, x + 1, y + tip + 1}, palette.faint);
    const std::string text =
        fmt::format("idle {}", base::format_duration(gap.time.stop_ns - gap.time.start_ns));
    const float width = text_width(font, text) + 2 * around;
    const float middle = std::round((left + right) / 2);
    if (width + 4 * around > right - left) {
      fill({left, y, right, y + 1}, palette.faint);
      continue;
    }
    fill({left, y, middle - width / 2, y + 1}, palette.faint);
    fill({middle + width / 2, y, right, y + 1}, palette.faint);
    draw_text_in(font, gap.box, palette.dim, text, true);
    const std::string path =
        fmt::format("{}/{}/gap/{}", plot_.name, lanes_.groups[row.group].id, labels++);
    frame_.inspector.record_value(path, text);
  }
}

void TimelineRows::show_samples_tooltip(float x, float y) {
  const TimelineRow* row = layout_.at(y - plot_.rows_top);
  const auto column = static_cast<int32_t>(std::floor(x - plot_.box.left));
  if (row == nullptr || row->kind != TimelineRowKind::metric || column < 0 ||
      column >= plot_.map.columns()) {
    return;
  }
  const timeline::MetricLane& metric = metric_of(*row);
  show_metric_tooltip(frame_, metric, pictures_.of(metric), column,
                      pictures_.columns().shown(column));
}

std::string TimelineRows::label_of(timeline::EventRef event, float room) const {
  const auto measure = [font = frame_.fonts().small](std::string_view part) {
    return text_width(font, part);
  };
  if (event.kind == timeline::EventKind::memory_op) {
    return size_label(lanes_.events.size_text(profile::MemoryOpIndex(event.row)), room, measure);
  }
  const std::string name = lanes_.events.name(event);
  if (event.kind == timeline::EventKind::frame) {
    std::string label = frame_label(name, room, measure);
    return label.find("…") != label.npos && room < frame_.px(kLeastCutLabel) ? "" : label;
  }
  std::string label = event_label(name, room, measure);
  return label != name && room < frame_.px(kLeastCutLabel) ? "" : label;
}

void TimelineRows::draw_labels(const TimelineRow& row) {
  const timeline::Line& line = line_of(row);
  const ImFont* font = frame_.fonts().small;
  const Box box = plot_.row_box(row);
  const float inset = frame_.px(4);
  const auto least = static_cast<int32_t>(frame_.px(kLeastLabel));
  for (const timeline::Mark& mark : pictures_.of(line)) {
    if (mark.is_fold() || mark.right - mark.left < least) continue;
    const float room = static_cast<float>(mark.right - mark.left) - 2 * inset;
    const std::string label = label_of(line[mark.first], room);
    if (label.empty()) continue;
    const float left = box.left + static_cast<float>(mark.left) + inset;
    draw_text_in(font, {left, box.top, left + room, box.bottom}, color_of_label(row, mark), label);
  }
}

std::vector<render::Rectangle> TimelineRows::rectangles_of(const TimelineRow& row) const {
  std::vector<render::Rectangle> rectangles;
  if (row.kind == TimelineRowKind::busy) {
    add_busy(row, rectangles);
  } else if (row.kind == TimelineRowKind::memory) {
    add_memory(row, rectangles);
  } else if (row.kind == TimelineRowKind::counter) {
    add_counter(row, rectangles);
  } else if (row.kind == TimelineRowKind::metric) {
    const timeline::MetricLane& metric = metric_of(row);
    add_metric_row(frame_.palette(), metric, pictures_.of(metric), plot_.row_box(row), rectangles);
  } else {
    row.for_each_line([&](const TimelineRow& line) { add_line(line, rectangles); });
  }
  return rectangles;
}

std::vector<render::Rectangle> TimelineRows::prepare_rows(const TimelineLayout::Range& visible) {
  const std::size_t first = visible.first, last = visible.last;
  for (std::size_t i = first; i < last; ++i) {
    const TimelineRow& row = layout_.rows[i];
    if (row.kind == TimelineRowKind::busy) {
      pictures_.make_room(*lanes_.groups[row.group].busy);
    } else if (row.kind == TimelineRowKind::metric) {
      pictures_.make_room(metric_of(row));
    } else {
      row.for_each_line([&](const TimelineRow& line) { pictures_.make_room(line_of(line)); });
    }
  }
  std::vector<std::vector<render::Rectangle>> of_rows(last - first);
  base::parallel_for(last - first, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) of_rows[i] = rectangles_of(layout_.rows[first + i]);
  });
  std::vector<render::Rectangle> all;
  std::size_t count = 0;
  for (const std::vector<render::Rectangle>& of_row : of_rows) count += of_row.size();
  all.reserve(count);
  for (const std::vector<render::Rectangle>& of_row : of_rows) {
    all.insert(all.end(), of_row.begin(), of_row.end());
  }
  return all;
}

std::optional<std::string> TimelineRows::draw(float names_left, BarLayer& bars) {
  const auto [first, last] =
      layout_.visible(plot_.box.top - plot_.rows_top, plot_.box.bottom - plot_.rows_top);
  bars.add(*ImGui::GetWindowDrawList(), prepare_rows({first, last}));
  std::optional<std::string> clicked;
  for (std::size_t i = first; i < last; ++i) {
    const TimelineRow& row = layout_.rows[i];
    if (row.is_heading()) {
      if (auto heading = draw_heading(row, names_left)) clicked = std::move(heading);
      continue;
    }
    if (row.kind == TimelineRowKind::short_events) {
      draw_short_events_name(row, names_left);
      continue;
    }
    if (row.kind == TimelineRowKind::metric) {
      if (auto metrics = draw_metric_name(row, names_left)) clicked = std::move(metrics);
      continue;
    }
    draw_names(row, names_left);
    if (row.kind == TimelineRowKind::line) draw_labels(row);
    if (row.kind == TimelineRowKind::memory) draw_most_memory(row);
    if (row.kind == TimelineRowKind::busy) {
      draw_busy_share(row);
      draw_gaps(row);
    }
  }
  return clicked;
}

// Where several lines share a row, the nearest event of all.
std::optional<TimelineHit> TimelineRows::hit(float x, float y) {
  const TimelineRow* row = layout_.at(y - plot_.rows_top);
  if (row == nullptr) return std::nullopt;
  const auto column = static_cast<int32_t>(std::floor(x - plot_.box.left));
  std::optional<TimelineHit> nearest;
  int32_t reach = kPointerReach;
  row->for_each_line([&](const TimelineRow& line) {
    const timeline::Mark* mark = find_mark(pictures_.of(line_of(line)), column, reach);
    if (mark == nullptr) return;
    const int32_t away = mark->distance(column);
    if (nearest && away >= reach) return;
    nearest = TimelineHit{{line.group, line.lane, line.line, mark->first}, *mark};
    reach = away;
  });
  return nearest;
}

std::optional<TimelineRows::BusyColumn> TimelineRows::busy_at(float x, float y) {
  const TimelineRow* row = layout_.at(y - plot_.rows_top);
  const auto column = static_cast<int32_t>(std::floor(x - plot_.box.left));
  if (row == nullptr || row->kind != TimelineRowKind::busy || column < 0 ||
      column >= plot_.map.columns()) {
    return std::nullopt;
  }
  const timeline::LaneGroup& gpu = lanes_.groups[row->group];
  BusyColumn found{gpu, plot_.map.shown(column),
                   pictures_.of(*gpu.busy)[static_cast<std::size_t>(column)], std::nullopt};
  if (found.busy_ns == 0) found.gap = gpu.busy->gap_at(found.shown.start_ns);
  return found;
}

std::optional<IdleGap> TimelineRows::gap_at(float x, float y) {
  const auto column = busy_at(x, y);
  if (!column || !column->gap) return std::nullopt;
  return IdleGap{timeline::window_between(column->gap->start_ns, column->gap->stop_ns),
                 column->gpu.device};
}

std::optional<std::string> TimelineRows::busy_text(float x, float y) {
  const TimelineRow* row = layout_.at(y - plot_.rows_top);
  if (row != nullptr && row->kind == TimelineRowKind::memory) return memory_text(*row, x);
  if (row != nullptr && row->kind == TimelineRowKind::counter) return counter_text(*row, x);
  const auto column = busy_at(x, y);
  if (!column) return std::nullopt;
  if (column->gap) {
    return gap_text(lanes_.events, column->gpu, *column->gap, looks_.rules);
  }
  const int64_t ns = column->shown.stop_ns - column->shown.start_ns;
  const int64_t busy_ns =
      looks_.own == nullptr ? column->busy_ns : own_busy_ns(column->gpu, column->shown);
  const double percent = 100 * static_cast<double>(busy_ns) / static_cast<double>(ns);
  std::string text = fmt::format("Busy {}: {} of {}", base::format_percent(percent),
                                 base::format_duration(busy_ns), base::format_duration(ns));
  if (busy_ns < column->busy_ns) {
    text += "\nOther iterations: " + base::format_duration(column->busy_ns - busy_ns);
  }
  return text;
}

std::optional<Box> TimelineRows::box_of(const timeline::Place& place) const {
  const TimelineRow* row = layout_.find(place);
  if (row == nullptr) return std::nullopt;
  const base::Interval time = lanes_.events.time(event_at(lanes_, place));
  Box box = plot_.row_box(*row);
  box.left = plot_.x_of(time.start_ns);
  box.right = std::max(box.left + 1, plot_.x_of(time.stop_ns));
  return box;
}

}  // namespace dlview::ui
