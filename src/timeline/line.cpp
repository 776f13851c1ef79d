#include "timeline/line.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/sort_runs.h"
#include "base/stop_point.h"
#include "timeline/free_lines.h"

namespace dlview::timeline {
namespace {

struct TimedEvent {
  base::Interval time;
  EventRef event;
};

}  // namespace

Line::Line(const std::vector<EventRef>& events, const Events& source) {
  rows_.reserve(events.size());
  kinds_.reserve(events.size());
  for (const EventRef event : events) {
    rows_.push_back(event.row);
    const auto category = static_cast<unsigned>(source.category(event));
    kinds_.push_back(
        static_cast<uint8_t>(category << kKindBits | static_cast<uint8_t>(event.kind)));
    categories_ |= uint32_t{1} << category;
  }
  runs_ = Runs(events.size(), times(source));
  if (!events.empty()) longest_ns_ = runs_.longest(0, events.size(), times(source)).ns;
  bins_ =
      TimeBins(events.size(), [&](std::size_t place) { return runs_.time(place, times(source)); });
  static_assert(kCategoryCount <= FoldHues::kHues);
  fold_hues_ = FoldHues(
      bins_, [&](std::size_t place) { return length_ns(place, source); },
      [&](std::size_t place) { return static_cast<uint8_t>(category(place)); });
}

std::size_t Line::find(EventRef event, const Events& source) const {
  const base::Interval time = source.time(event);
  std::size_t same_time = size();
  for (std::size_t place = first_from(time.start_ns, source); place < size(); ++place) {
    const base::Interval here = source.time((*this)[place]);
    if (here.start_ns != time.start_ns) break;
    if ((*this)[place] == event) return place;
    if (is_call(event.kind) && is_call((*this)[place].kind) && here == time) same_time = place;
  }
  return same_time;
}

void sort_by_time(std::vector<EventRef>& events, const Events& source) {
  const auto is_out_of_order = [&source](EventRef a, EventRef b) {
    return comes_before(source.time(b), source.time(a));
  };
  if (std::ranges::adjacent_find(events, is_out_of_order) == events.end()) return;
  std::vector<TimedEvent> timed;
  timed.reserve(events.size());
  for (const EventRef event : events) {
    base::stop_point();
    timed.push_back({source.time(event), event});
  }
  base::sort_runs(std::span(timed), [](const TimedEvent& a, const TimedEvent& b) {
    return comes_before(a.time, b.time);
  });
  for (std::size_t i = 0; i < events.size(); ++i) events[i] = timed[i].event;
}

std::vector<uint32_t> spread(const std::vector<EventRef>& sorted, const Events& source) {
  std::vector<uint32_t> line_of;
  line_of.reserve(sorted.size());
  FreeLines lines;
  for (const EventRef event : sorted) {
    base::stop_point();
    const base::Interval time = source.time(event);
    line_of.push_back(lines.take(time.start_ns, time.stop_ns));
  }
  return line_of;
}

std::vector<std::vector<EventRef>> by_line(std::vector<EventRef> sorted, const Events& source) {
  std::vector<std::vector<EventRef>> lines;
  const auto overlap = [&source](EventRef a, EventRef b) {
    return source.start_ns(b) < source.time(a).stop_ns;
  };
  if (std::ranges::adjacent_find(sorted, overlap) == sorted.end()) {
    lines.push_back(std::move(sorted));
    return lines;
  }
  const std::vector<uint32_t> line_of = spread(sorted, source);
  lines.resize(*std::ranges::max_element(line_of) + 1);
  for (std::size_t i = 0; i < sorted.size(); ++i) lines[line_of[i]].push_back(sorted[i]);
  return lines;
}

std::vector<Line> arrange(std::vector<EventRef> sorted, const Events& source) {
  if (sorted.empty()) return {};
  std::vector<Line> lines;
  for (const std::vector<EventRef>& line : by_line(std::move(sorted), source)) {
    base::stop_point();
    lines.emplace_back(line, source);
  }
  return lines;
}

}  // namespace dlview::timeline
