#include "ui/timeline/navigator.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

// Drags and jumps count from 1.
constexpr int64_t gesture_of(Navigator::By by) {
  return by == Navigator::By::keys ? -1 : -2;
}

}  // namespace

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

void Navigator::show_start(const base::Interval& time) {
  if (time.start_ns < window_.stop_ns()) return;
  window_ = revealing(window_, time.start_ns, time.stop_ns, whole_);
}

void Navigator::back() {
  if (const auto before = history_.back()) window_ = *before;
}

}  // namespace dlview::ui::timeline
