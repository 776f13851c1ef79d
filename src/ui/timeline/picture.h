// Prepare: what a line of the timeline looks like in a window, on whole pixel columns. Pure. What
// is smaller than a pixel is folded into a mark that says how many it stands for, so that the cost
// follows the pixels and not the events, and every visible event is a box or counted in a fold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/iterations.h"
#include "ui/timeline/column_times.h"
#include "ui/timeline/line.h"
#include "ui/timeline/runs.h"
#include "ui/timeline/time_bins.h"
#include "ui/timeline/time_window.h"

namespace dlview::ui::timeline {

// One event (count is 1), or all events from `first` on that begin in one column; where that are 8
// or more, it may take those too that begin in the first eighth of the next one.
struct Mark {
  int32_t left = 0, right = 0;  // columns [left, right), cut off at the window's edges
  uint32_t first = 0, count = 1;
  uint32_t longest = 0;  // of a fold: the place of its longest event; of a box: `first`
  int64_t busy_ns = 0;   // of a fold: what its events take of its time; of a box: its length
  bool is_fold() const { return count > 1; }
  bool operator==(const Mark&) const = default;
};

// From left to right; no two share a column.
using LinePicture = std::vector<Mark>;

// The bins that columns of a line are read off, at least 8 in each; null = all are wider.
const BinLevel* bins_of(const Line& line, const ColumnTimes& columns);

LinePicture prepare_line(const Line& line, const Events& source, const ColumnTimes& columns);
LinePicture prepare_line(const Line& line, const Events& source, const TimeMap& map);

// The iterations of a cut as a line; places are their numbers. The rows outlive it.
class IterationLine {
 public:
  IterationLine() = default;
  explicit IterationLine(std::span<const aggregate::Iteration> rows);
  LinePicture prepare(const TimeMap& map) const;

 private:
  std::span<const aggregate::Iteration> rows_;
  Runs runs_;
};

// The mark in a column, or the nearest at most `slack` columns away; null = none.
const Mark* find_mark(const LinePicture& picture, int32_t column, int32_t slack);

}  // namespace dlview::ui::timeline
