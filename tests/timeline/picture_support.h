// What a picture of a line must be, told event by event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "timeline/picture.h"

namespace dlview::testing {

using timeline::Events;
using timeline::Line;
using timeline::LinePicture;
using timeline::Mark;
using timeline::TimeMap;
using timeline::TimeWindow;

// Whether any of the event's time is in the window; one without length is where it starts.
inline bool is_visible(const base::Interval& time, const TimeWindow& window) {
  return time.start_ns < window.stop_ns() &&
         (time.stop_ns > window.start_ns || time.start_ns >= window.start_ns);
}

using Columns = std::vector<std::pair<int32_t, int32_t>>;  // [first, behind), from left to right

// Those side by side as one: what an event begins in may be drawn with the column before (73).
inline Columns joined(const Columns& columns) {
  Columns all;
  for (const auto& [left, right] : columns) {
    if (!all.empty() && all.back().second == left) {
      all.back().second = right;
    } else {
      all.push_back({left, right});
    }
  }
  return all;
}

// The columns that the line covers, event by event.
inline Columns covered_columns(const Line& line, const Events& events, const TimeMap& map) {
  Columns covered;
  for (std::size_t place = 0; place < line.size(); ++place) {
    const base::Interval time = events.time(line[place]);
    if (!is_visible(time, map.window())) continue;
    const int32_t column = std::max(0, map.column(time.start_ns));
    const int32_t right = std::min(map.columns(), map.column(time.stop_ns));
    const bool is_last_of_column =
        place + 1 == line.size() ||
        std::max(0, map.column(events.time(line[place + 1]).start_ns)) > column;
    const bool is_first = covered.empty() || covered.back().second <= column;
    const bool has_own_box = is_last_of_column && (is_first || right - column >= 2);
    if (is_first) {
      covered.push_back({column, column + 1});
      if (has_own_box) covered.back().second = std::max(column + 1, right);
    } else if (has_own_box) {
      covered.push_back({column + 1, right});
    }
  }
  return covered;
}

inline Columns columns_of(const LinePicture& picture) {
  Columns columns;
  for (const Mark& mark : picture) columns.push_back({mark.left, mark.right});
  return columns;
}

inline int64_t length_ns(const Line& line, const Events& events, std::size_t place) {
  const base::Interval time = events.time(line[place]);
  return time.stop_ns - time.start_ns;
}

// Event by event: the first of the longest, and what all take.
inline void expect_longest_and_time(const Mark& mark, const Line& line, const Events& events) {
  uint32_t longest = mark.first;
  int64_t busy_ns = 0;
  for (uint32_t place = mark.first; place < mark.first + mark.count; ++place) {
    busy_ns += length_ns(line, events, place);
    if (length_ns(line, events, place) > length_ns(line, events, longest)) longest = place;
  }
  ASSERT_EQ(mark.longest, longest);
  ASSERT_EQ(mark.busy_ns, busy_ns);
}

// Every visible event once, nothing else, and no mark on the columns of another.
inline void expect_complete(const Line& line, const Events& events, const TimeMap& map) {
  const LinePicture picture = prepare_line(line, events, map);
  ASSERT_EQ(joined(columns_of(picture)), joined(covered_columns(line, events, map)));
  std::size_t next = 0;
  while (next < line.size() && !is_visible(events.time(line[next]), map.window())) ++next;
  int32_t free_from = 0;
  for (const Mark& mark : picture) {
    ASSERT_EQ(mark.first, next);
    ASSERT_GE(mark.count, 1U);
    next += mark.count;
    ASSERT_LE(next, line.size());
    ASSERT_GE(mark.left, free_from);
    ASSERT_GT(mark.right, mark.left);
    ASSERT_LE(mark.right, map.columns());
    free_from = mark.right;
    const int64_t begin_ns = map.begin_ns(mark.left), end_ns = map.begin_ns(mark.left + 1);
    const int64_t eighth_ns = (end_ns - begin_ns) / 8;
    for (std::size_t place = mark.first; place < next; ++place) {
      const base::Interval time = events.time(line[place]);
      ASSERT_TRUE(is_visible(time, map.window()));
      ASSERT_NEAR(std::max(0, map.column(time.start_ns)), mark.left, 1);
      if (!mark.is_fold() || mark.left == 0) continue;
      ASSERT_GE(time.start_ns, begin_ns);
      ASSERT_LT(time.start_ns, end_ns + eighth_ns);
    }
    ASSERT_NO_FATAL_FAILURE(expect_longest_and_time(mark, line, events));
  }
  for (; next < line.size(); ++next) {
    ASSERT_FALSE(is_visible(events.time(line[next]), map.window())) << next;
  }
}

}  // namespace dlview::testing
