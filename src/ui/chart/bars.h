// The stacked bars of an iteration table as rectangles: pure functions of the table, the visible
// span and the pixels. When bars get narrower than a pixel, each pixel column shows its highest
// iteration, so that no spike is lost and the cost follows the pixels, not the iterations.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "render/rectangles.h"
#include "ui/theme.h"

struct ImDrawList;
struct ImDrawCmd;

namespace dlview::ui {

// Where the largest of many values lies in any run of them, in O(log n): what lets a chart of
// 100 000 bars keep every spike while its cost follows the pixels.
class MaximumIndex {
 public:
  MaximumIndex() = default;
  explicit MaximumIndex(std::vector<int64_t> values);

  // Index of the largest value in [first, last), the first of equals. Needs first < last <= size().
  std::size_t largest(std::size_t first, std::size_t last) const;

  std::size_t size() const { return values_.size(); }
  int64_t value(std::size_t index) const { return values_[index]; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::size_t better(std::size_t a, std::size_t b) const;

  std::vector<int64_t> values_;
  // levels_[k][b] = index of the largest value of block b of 2^(k+1) values.
  std::vector<std::vector<uint32_t>> levels_;
};

using HiddenCategories = std::bitset<aggregate::kCategoryCount>;

// A table with the index over its bars' visible heights.
class BarData {
 public:
  BarData() = default;
  BarData(std::shared_ptr<const aggregate::IterationTable> table, HiddenCategories hidden);

  const std::shared_ptr<const aggregate::IterationTable>& shared_table() const { return table_; }
  // Whether this is the data of that table and those hidden categories.
  bool is_of(const aggregate::IterationTable* table, HiddenCategories hidden) const {
    return table_.get() == table && hidden_ == hidden;
  }
  int64_t count() const { return static_cast<int64_t>(heights_.size()); }
  const aggregate::IterationTable& table() const { return *table_; }
  HiddenCategories hidden() const { return hidden_; }
  int64_t height_ns(int64_t iteration) const {
    return heights_.value(static_cast<std::size_t>(iteration));
  }
  // The highest bar of [first, last], clamped to what exists.
  int64_t highest(int64_t first, int64_t last) const;
  // kTallestBar times the median of all bars above 0; 0 when there is none.
  int64_t tall_ns() const { return tall_ns_; }
  // How many bars of [first, last) are above tall_ns().
  int64_t tall_count(int64_t first, int64_t last) const;

 private:
  std::shared_ptr<const aggregate::IterationTable> table_;
  HiddenCategories hidden_;
  MaximumIndex heights_;  // ns of what is not hidden
  int64_t tall_ns_ = 0;
  std::vector<uint32_t> tall_before_;  // each iteration; one more than there are iterations
};

// The visible span [first, last) in iterations, fractions allowed: iteration i covers [i, i + 1).
struct Span {
  double first = 0, last = 1;
  double size() const { return last - first; }
  bool operator==(const Span&) const = default;
};

// The span shown on a plot of whole pixels.
struct Plot {
  float left = 0, top = 0, width = 1, height = 1;
  Span span;
  double top_ns = 1;  // duration at the upper edge

  float bottom() const { return top + height; }
  float right() const { return left + width; }
  double pixels_per_iteration() const { return width / span.size(); }
  float x_of(double iteration) const {
    return left + static_cast<float>((iteration - span.first) * pixels_per_iteration());
  }
  double iteration_at(float x) const { return span.first + (x - left) / pixels_per_iteration(); }
  float y_of(double ns) const { return bottom() - static_cast<float>(ns / top_ns * height); }
  bool one_column_per_pixel() const { return pixels_per_iteration() < 1; }
  bool operator==(const Plot&) const = default;
};

// A visible bar, or pixel column, that is cut off at the top.
struct CutBar {
  int64_t iteration = 0;
  float left = 0, right = 0;
};

// The bars of a plot. What does not depend on the range is kept, so that a bound that is dragged
// costs a copy of them.
class BarPicture {
 public:
  // Before the bars are asked for. Does nothing where all is as it was the last time.
  void prepare(const BarData& data, const Plot& plot, const Palette& palette);

  // From left to right, each from bottom to top. Bars outside `range` are gray.
  std::vector<render::Rectangle> bars(aggregate::IterationRange range) const;
  // From left to right.
  const std::vector<CutBar>& cut_bars() const { return cut_; }

 private:
  // A bar, or pixel column, which shows the iteration.
  struct Column {
    int64_t iteration = 0;
    std::size_t first = 0;  // of parts_
  };
  void add_column(const BarData& data, int64_t iteration, float left, float right);
  void add_parts(const BarData& data, int64_t iteration, float left, float right);
  void add_communication(int64_t exposed_ns, int64_t part_ns, const render::Rectangle& part);

  std::shared_ptr<const aggregate::IterationTable> table_;
  HiddenCategories hidden_;
  Plot plot_;
  const Palette* palette_ = nullptr;
  std::vector<Column> columns_;             // those with a bar, from left to right
  std::vector<render::Rectangle> parts_;    // of all columns
  std::vector<render::Rectangle> outside_;  // one for each column
  std::vector<CutBar> cut_;
};

// The iterations that share the pixel column at x: one where bars are at least a pixel wide.
std::optional<aggregate::IterationRange> iterations_at(const BarData& data, const Plot& plot,
                                                       float x);

// What Plot::top_ns should be: the highest visible bar with head room, but no more than
// kTallestBar times the median, for one iteration that holds the start of the program must not
// flatten all others. Bars beyond it are cut off, unless they are more than one in twenty: then
// tall bars are what the run consists of, and all are shown whole.
inline constexpr int64_t kTallestBar = 4;
inline constexpr int64_t kBarsForOneCut = 20;
double fitting_top_ns(const BarData& data, Span span);

// The highest visible bar with head room.
double highest_top_ns(const BarData& data, Span span);

// Puts prepared rectangles into a Dear ImGui window, drawn by render's own instanced program at
// their place in the draw order.
class BarLayer {
 public:
  BarLayer() = default;
  BarLayer(const BarLayer&) = delete;
  BarLayer& operator=(const BarLayer&) = delete;

  // Forgets the last frame's batches.
  void begin_frame() { batches_.clear(); }

  // Queues a draw call, clipped to the draw list's present clip rectangle.
  void add(ImDrawList& draw_list, std::vector<render::Rectangle> rectangles);
  // Those that a command of the frame draws; none where it draws something else.
  static std::span<const render::Rectangle> rectangles_of(const ImDrawCmd& command);

 private:
  struct Batch {
    BarLayer* layer;
    std::vector<render::Rectangle> rectangles;
  };
  static void draw_callback(const ImDrawList* list, const ImDrawCmd* command);

  std::deque<Batch> batches_;                            // callbacks point at its elements
  std::unique_ptr<render::RectangleRenderer> renderer_;  // made in the first draw: needs OpenGL
};

}  // namespace dlview::ui
