// ColumnTimes: when each column of a window begins, reckoned once for all that is drawn in it.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

class ColumnTimes {
 public:
  explicit ColumnTimes(const TimeMap& map);

  // As TimeMap has them.
  int32_t columns() const { return map_.columns(); }
  int64_t begin_ns(int32_t column) const { return begins_[static_cast<std::size_t>(column)]; }
  int32_t column(int64_t time_ns) const { return map_.column(time_ns); }
  base::Interval shown(int32_t column) const {
    const int64_t begin = begin_ns(column), end = begin_ns(column + 1);
    return {begin == end ? begin - 1 : begin, end};
  }
  // Of a time that is not before the column `near`, at no cost where it is near.
  int32_t column_from(int32_t near, int64_t time_ns) const;

 private:
  TimeMap map_;
  std::vector<int64_t> begins_;
};

}  // namespace dlview::ui::timeline
