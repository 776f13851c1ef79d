#include "timeline/time_window.h"

#include <algorithm>
#include <cmath>

namespace dlview::timeline {
namespace {

__extension__ using Wide = unsigned __int128;

// Of what a stretch that is fitted leaves free, at either side, one part in so many of its length.
constexpr int64_t kFittedMargin = 20;
constexpr std::size_t kMostWindows = 200;

// floor(a * b / c) without overflow between.
int64_t scaled_down(int64_t a, int64_t b, int64_t c) {
  if (int64_t product = 0; !__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) / static_cast<Wide>(c));
}

// Columns that are looked at one by one.
constexpr int32_t kNear = 4;

// Drags and jumps count from 1.
constexpr int64_t gesture_of(Navigator::By by) {
  return by == Navigator::By::keys ? -1 : -2;
}

}  // namespace

TimeWindow window_between(int64_t one_ns, int64_t other_ns) {
  const auto [first, last] = std::minmax(one_ns, other_ns);
  return {first, std::max(last - first, kShortestWindowNs)};
}

TimeWindow inside(const TimeWindow& window, const TimeWindow& whole) {
  const int64_t length = std::min(window.length_ns, whole.length_ns);
  return {std::clamp(window.start_ns, whole.start_ns, whole.stop_ns() - length), length};
}

TimeWindow part_inside(const TimeWindow& window, const TimeWindow& whole) {
  const int64_t start = std::max(window.start_ns, whole.start_ns);
  const int64_t stop = std::min(window.stop_ns(), whole.stop_ns());
  return start < stop ? TimeWindow{start, stop - start} : inside(window, whole);
}

TimeWindow zoomed(const TimeWindow& window, int64_t at_ns, double factor, const TimeWindow& whole) {
  const double wanted = std::round(static_cast<double>(window.length_ns) * factor);
  const double longest = static_cast<double>(whole.length_ns);
  const auto length = std::max(std::min(kShortestWindowNs, whole.length_ns),
                               static_cast<int64_t>(std::min(wanted, longest)));
  const int64_t before = std::clamp<int64_t>(at_ns - window.start_ns, 0, window.length_ns);
  const int64_t now_before = scaled_down(before, length, window.length_ns);
  return inside({window.start_ns + before - now_before, length}, whole);
}

TimeWindow panned(const TimeWindow& window, int64_t by_ns, const TimeWindow& whole) {
  return inside({window.start_ns + by_ns, window.length_ns}, whole);
}

TimeWindow fitted(int64_t start_ns, int64_t stop_ns, const TimeWindow& whole) {
  const TimeWindow exact = window_between(start_ns, stop_ns);
  const int64_t margin = exact.length_ns / kFittedMargin;
  return inside({exact.start_ns - margin, exact.length_ns + 2 * margin}, whole);
}

TimeWindow revealing(const TimeWindow& window, int64_t start_ns, int64_t stop_ns,
                     const TimeWindow& whole) {
  if (start_ns >= window.start_ns && stop_ns <= window.stop_ns()) return window;
  const int64_t length = std::min(stop_ns - start_ns, window.length_ns);
  return inside({start_ns - (window.length_ns - length) / 2, window.length_ns}, whole);
}

int32_t TimeMap::column(int64_t time_ns) const {
  if (time_ns < window_.start_ns) return -1;
  if (time_ns >= window_.stop_ns()) return columns_;
  return static_cast<int32_t>(scaled_down(time_ns - window_.start_ns, columns_, window_.length_ns));
}

int64_t TimeMap::begin_ns(int32_t column) const {
  // start + ceil(column * length / columns), by what is whole of it and the rest.
  const int64_t whole = window_.length_ns / columns_, rest = window_.length_ns % columns_;
  return window_.start_ns + column * whole + (column * rest + columns_ - 1) / columns_;
}

base::Interval TimeMap::shown(int32_t column) const {
  const int64_t begin = begin_ns(column), end = begin_ns(column + 1);
  return {begin == end ? begin - 1 : begin, end};
}

void WindowHistory::leave(const TimeWindow& before, int64_t gesture) {
  if (gesture_ == gesture) return;
  gesture_ = gesture;
  if (!windows_.empty() && windows_.back() == before) return;
  if (windows_.size() == kMostWindows) windows_.erase(windows_.begin());
  windows_.push_back(before);
}

std::optional<TimeWindow> WindowHistory::back() {
  if (windows_.empty()) return std::nullopt;
  const TimeWindow window = windows_.back();
  windows_.pop_back();
  gesture_.reset();
  return window;
}

ColumnTimes::ColumnTimes(const TimeMap& map) : map_(map) {
  begins_.reserve(static_cast<std::size_t>(map.columns()) + 1);
  for (int32_t column = 0; column <= map.columns(); ++column) {
    begins_.push_back(map.begin_ns(column));
  }
}

int32_t ColumnTimes::column_from(int32_t near, int64_t time_ns) const {
  for (int32_t column = near; column < std::min(near + kNear, columns()); ++column) {
    if (time_ns < begin_ns(column + 1)) return column;
  }
  return column(time_ns);
}

void Navigator::move(const TimeWindow& window, int64_t gesture) {
  if (window == window_) return;
  history_.leave(window_, gesture);
  window_ = window;
}

void Navigator::zoom(int64_t at_ns, double factor, By by) {
  move(zoomed(window_, at_ns, factor, whole_), gesture_of(by));
}

void Navigator::pan(int64_t by_ns, By by) {
  move(panned(window_, by_ns, whole_), gesture_of(by));
}

void Navigator::begin_drag() {
  ++gesture_;
  dragged_from_ = window_;
}

void Navigator::drag(int64_t by_ns) {
  move(panned(dragged_from_, by_ns, whole_), gesture_);
}

void Navigator::jump(const TimeWindow& window) {
  move(inside(window, whole_), ++gesture_);
}

void Navigator::resize(int64_t now, int64_t before) {
  const double factor = static_cast<double>(now) / static_cast<double>(before);
  window_ = zoomed(window_, window_.start_ns, factor, whole_);
  const int64_t column_ns = std::max<int64_t>(1, whole_.length_ns / now);
  if (whole_.length_ns - window_.length_ns <= column_ns) window_ = whole_;
}

void Navigator::set_whole(const TimeWindow& whole) {
  if (whole == whole_) return;
  window_ = shows_whole() ? whole : inside(window_, whole);
  whole_ = whole;
}

void Navigator::show_start(const base::Interval& time) {
  if (time.start_ns < window_.stop_ns()) return;
  window_ = revealing(window_, time.start_ns, time.stop_ns, whole_);
}

void Navigator::back() {
  if (const auto before = history_.back()) window_ = *before;
}

}  // namespace dlview::timeline
