// How the values of both runs are spread over their iterations: two step histograms on one axis,
// their medians, the interval of the difference, and the floor between runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregate/comparison/statistics.h"
#include "ui/look.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct Histogram {
  int64_t count = 0, median_ns = 0;
  std::vector<double> shares;  // of the iterations, by bin; the sum is 1
};

// Between two medians, on the axis.
struct HistogramSpan {
  double low_ns = 0, high_ns = 0;
};

struct Histograms {
  static constexpr std::size_t kBins = 60;
  Histogram before, after;
  double low_ns = 0, high_ns = 1;  // of the axis
  bool is_log = false;
  double highest = 0;                     // of all shares
  std::optional<HistogramSpan> interval;  // of the median after: the median before + interval
  std::optional<HistogramSpan> floor;     // where no difference between runs would be seen
  std::string note;  // "−2.7% (−3.1% to −2.3%), p < 0.001"; empty = not judged

  // The edges of a bin, or of the axis.
  double edge_ns(std::size_t bin) const;
  // Place of a value on the axis, 0..1.
  double place_of(double ns) const;
};

// Values far apart are best seen on a logarithmic axis.
bool wants_log(std::span<const int64_t> before, std::span<const int64_t> after);

// `change`: of these values, null = not judged. Either side may be empty.
Histograms prepare_histograms(std::span<const int64_t> before, std::span<const int64_t> after,
                              const aggregate::ValueChange* change,
                              const aggregate::RunFloor& floor, bool is_log);

// Colors of the two runs, wherever they are drawn against each other: before, after.
std::array<Color, 2> run_colors(const Palette& palette);

void draw_histograms(Frame& frame, const Box& box, const Histograms& histograms);

}  // namespace dlview::ui
