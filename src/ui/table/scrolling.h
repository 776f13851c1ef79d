// Where rows lie and what of them is in view, for contents longer than a float counts.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "ui/widgets/canvas.h"

namespace dlview::ui {

// Where rows lie: all of one height, but for the few that were opened to show a long text whole.
// Positions are doubles, for ten million rows are more pixels than a float counts.
class RowPositions {
 public:
  RowPositions() = default;
  RowPositions(std::size_t count, float row_height) : count_(count), row_height_(row_height) {}

  // Pixels that the row is higher than the others; 0 = none.
  void set_extra(std::size_t row, float pixels);

  std::size_t count() const { return count_; }
  float height_of(std::size_t row) const;
  double top_of(std::size_t row) const;  // of row `count`: the end
  double total() const { return top_of(count_); }
  // The row at a height, 0..count-1; `y` is clamped. Only when there is a row.
  std::size_t row_at(double y) const;

 private:
  std::size_t count_ = 0;
  float row_height_ = 1;
  std::map<std::size_t, float> extra_;
};

// The scroll position, 0 .. total - view, that shows the row whole and moves least.
double scrolled_to_row(const RowPositions& positions, std::size_t row, double scroll, double view);
double clamped_scroll(double scroll, double total, double view);

// The thumb of a scroll bar `length` pixels long.
struct Thumb {
  float offset = 0, length = 0;  // length 0: everything is in view
};
Thumb place_thumb(double scroll, double total, double view, float length, float shortest);
// The scroll position that puts the thumb at `offset`.
double scroll_of_thumb(float offset, double total, double view, float length, float thumb_length);

enum class ScrollAxis { down, across };

// The thumb at the edge of a table, for contents longer than a float counts.
class ScrollBar {
 public:
  // Returns where the contents stand now, 0 .. total - view. Draws nothing where all is in view.
  double draw(Frame& frame, std::string_view name, const Box& trough, ScrollAxis axis,
              double scroll, double total, double view);

 private:
  std::optional<float> grabbed_;  // where on the thumb the mouse holds it
};

}  // namespace dlview::ui
