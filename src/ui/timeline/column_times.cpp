#include "ui/timeline/column_times.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

// Columns that are looked at one by one.
constexpr int32_t kNear = 4;

}  // namespace

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

}  // namespace dlview::ui::timeline
