// What a line of the timeline looks like in a window: boxes and folds, and their hues. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/iterations.h"
#include "timeline/line.h"
#include "timeline/runs.h"
#include "timeline/time_bins.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

// One event (count is 1), or all events from `first` on that begin in one column; where that are 8
// or more, it may take those too that begin in the first eighth of the next one.
struct Mark {
  int32_t left = 0, right = 0;  // columns [left, right), cut off at the window's edges
  uint32_t first = 0, count = 1;
  uint32_t longest = 0;  // of a fold: the place of its longest event; of a box: `first`
  int64_t busy_ns = 0;   // of a fold: what its events take of its time; of a box: its length
  bool is_fold() const { return count > 1; }
  // Columns from it to that column; 0 = it holds the column.
  int32_t distance(int32_t column) const {
    return column < left ? left - column : column >= right ? column - right + 1 : 0;
  }
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

// The hues of what a line looks like: of a box that of its event, of a fold the one that takes most
// of the time of its events. Pure.

// Of the events of a line, by place: a number below FoldHues::kHues. What is given outlives it.
class LineHues {
 public:
  // By category.
  explicit LineHues(const Line& line) : line_(line), of_folds_(line.fold_hues()) {}
  LineHues(const Line& line, const std::vector<uint8_t>& of_places, const FoldHues& of_folds)
      : line_(line), of_places_(&of_places), of_folds_(of_folds) {}

  const Line& line() const { return line_; }
  uint8_t operator[](std::size_t place) const {
    return of_places_ == nullptr ? static_cast<uint8_t>(line_.category(place))
                                 : (*of_places_)[place];
  }
  // Fetches the hue of a place.
  void prefetch(std::size_t place) const {
    if (of_places_ == nullptr) {
      line_.prefetch(place);
    } else {
      __builtin_prefetch(&(*of_places_)[place]);
    }
  }
  const FoldHues& of_folds() const { return of_folds_; }
  // That of all places, where that is known.
  std::optional<uint8_t> only() const {
    const auto category = of_places_ == nullptr ? line_.only_category() : std::nullopt;
    return category ? std::optional(static_cast<uint8_t>(*category)) : std::nullopt;
  }

 private:
  const Line& line_;
  const std::vector<uint8_t>* of_places_ = nullptr;  // null: by category
  const FoldHues& of_folds_;
};

// By mark. Exact where a fold holds few events; else about (see FoldHues), and one that it holds.
std::vector<uint8_t> hues_of(const LinePicture& picture, const LineHues& hues, const Events& source,
                             const ColumnTimes& columns);

}  // namespace dlview::timeline
