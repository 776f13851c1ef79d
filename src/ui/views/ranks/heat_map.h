// The heat map of a run of ranks: a cell for each rank and iteration. Pure functions of the run and
// the pixels. Where several cells share a pixel, the worst of them colors it, so that no slow rank
// is lost, and a frame costs its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "ranks/run_figures.h"
#include "render/rectangles.h"
#include "ui/theme.h"

namespace dlview::ui {

enum class MapValue : uint8_t {
  deviation,  // of own work from the median of its iteration
  own,
  duration,
  exposed_wait,
};
enum class MapOrder : uint8_t {  // of the rows
  rank,
  host,
  group,  // members of the smallest group side by side
  own,
  similarity,  // ranks that are slow in the same iterations side by side
};
inline constexpr std::size_t kMapValues = 4, kMapOrders = 5;
std::string_view name_of(MapValue value);  // "deviation": in states
std::string_view title_of(MapValue value);
std::string_view name_of(MapOrder order);
std::string_view title_of(MapOrder order);

inline constexpr int64_t kUnknownCell = INT64_MIN;

// The rows of a run in an order: of each the rank's place in the figures. By similarity it costs
// many passes over the cells, else the ranks.
std::vector<std::size_t> ordered_ranks(const ranks::RunFigures& run, MapOrder order);

// The value of every cell, by row of the map. Costs the cells.
struct MapCells {
  std::vector<std::size_t> rows;  // as ordered_ranks()
  std::size_t iterations = 0;
  std::vector<int64_t> values;  // ns, by row and iteration; kUnknownCell = not known
  bool is_two_sided = false;    // deviations
  bool has_unknown = false;
  int64_t least_half_ns = 1;  // of a two-sided scale: smaller differences do not matter

  int64_t at(std::size_t row, std::size_t iteration) const {
    return values[row * iterations + iteration];
  }
};
MapCells make_map_cells(const ranks::RunFigures& run, MapValue value, MapOrder order);

// How many rows or columns of pixels show `cells` on a length of `pixels`: one for each cell, or
// one for each pixel.
std::size_t map_bins(std::size_t cells, std::size_t pixels);
// The first cell of a bin; map_bins() of them cover all cells, each once.
std::size_t first_cell(std::size_t bin, std::size_t bins, std::size_t cells);
// The edge of a bin in whole pixels from the first edge. Bins of fewer than five pixels touch each
// other; wider ones leave one between them.
float bin_edge(std::size_t bin, std::size_t bins, float length);
// The bin that has a pixel.
std::size_t bin_at(float offset, float length, std::size_t bins);

// "−3.1 ms", "+3.1 ms", "0".
std::string signed_time(int64_t ns);

struct MapCell {
  std::size_t row = 0, iteration = 0;
};

// What the colors stand for: the ends lie at the 1st and 99th percentile of the values on screen.
// Of deviations the middle has the same distance from both: 0, or, where several cells share a
// pixel, the median of their worst, for of many cells the worst is slow by chance alone.
struct MapScale {
  int64_t low = 0, middle = 0, high = 0;
  bool is_clipped = false;  // some values lie outside
};

// A stretch of rows or iterations, and how they fall into bins.
struct MapAxis {
  std::size_t first = 0, count = 0, bins = 0;
  // The first cell of a bin; begin(bin + 1) is behind its last one.
  std::size_t begin(std::size_t bin) const { return first + first_cell(bin, bins, count); }
};
// What of the map is shown; without a count all of it.
struct MapSpan {
  std::size_t first = 0, count = 0;
  bool operator==(const MapSpan&) const = default;
};
struct MapWindow {
  MapSpan rows, iterations;
  bool operator==(const MapWindow&) const = default;
};
// Below 1 zooms in around the place `at`, 0..1 of the span; of `all` cells.
MapSpan zoomed(const MapSpan& span, double at, double factor, std::size_t all);

// The worst cell of each pixel: the greatest value, by row, then iteration.
struct MapPixels {
  MapScale scale;
  MapAxis down, across;               // rows and iterations
  std::size_t columns = 0, rows = 0;  // bins
  struct Worst {
    uint32_t row = 0, iteration = 0;
    int64_t value = kUnknownCell;  // kUnknownCell = none of the bin is known
  };
  std::vector<Worst> worst;  // by row, then column

  const Worst& at(std::size_t row, std::size_t column) const {
    return worst[row * columns + column];
  }
};
MapPixels make_map_pixels(const MapCells& cells, std::size_t width, std::size_t height,
                          const MapWindow& window = {});

// Where a value stands on the scale: -1..1 of deviations, 0..1 of others; clipped.
double place_on_scale(const MapScale& scale, int64_t value, bool is_two_sided);
// From blue (faster) over the surface to orange (slower), whatever the reader's color vision; of
// values with one side from the surface to orange.
Color map_color(const Palette& palette, double place);

// Rectangles of the cells, runs of one color merged; and those that are to be hatched.
struct MapDrawing {
  std::vector<render::Rectangle> cells, unknown;
};
MapDrawing make_map_drawing(const MapPixels& pixels, bool is_two_sided, const Palette& palette,
                            const render::Rectangle& plot);

}  // namespace dlview::ui
