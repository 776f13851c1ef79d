#include "ui/views/ranks/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/stop_point.h"

namespace dlview::ui {
namespace {

constexpr int kColorSteps = 24;  // on each side of the scale
constexpr double kClippedShare = 0.01;
constexpr float kLeastSpaced = 5;  // pixels of a bin that leaves a gap to the next

struct MapWord {
  std::string_view name, title;
};
constexpr std::array<MapWord, kMapValues> kValueWords{{{"deviation", "Own work, from median"},
                                                       {"own", "Own work"},
                                                       {"duration", "Iteration time"},
                                                       {"exposed_wait", "Exposed wait"}}};
constexpr std::array<MapWord, kMapOrders> kOrderWords{
    {{"rank", "By rank"}, {"host", "By host"}, {"own", "By own work"}}};

int64_t cell_of(const ranks::RankTimes& times, MapValue value, std::size_t rank,
                std::size_t iteration) {
  switch (value) {
    case MapValue::duration:
      return times.duration_ns.at(rank, iteration);
    case MapValue::exposed_wait: {
      const int64_t wait = times.least_exposed_wait_ns.at(rank, iteration);
      return wait < 0 ? kUnknownCell : wait;
    }
    case MapValue::deviation:
    case MapValue::own:
      break;
  }
  // Without the wait the duration says nothing of the work.
  if (times.wait_ns.at(rank, iteration) < 0) return kUnknownCell;
  return times.own_ns(rank, iteration);
}

void subtract_medians(MapCells& cells) {
  std::vector<int64_t> known;
  for (std::size_t i = 0; i < cells.iterations; ++i) {
    known.clear();
    for (std::size_t row = 0; row < cells.rows.size(); ++row) {
      if (cells.at(row, i) != kUnknownCell) known.push_back(cells.at(row, i));
    }
    const int64_t median = ranks::lower_median(known);
    for (std::size_t row = 0; row < cells.rows.size(); ++row) {
      int64_t& value = cells.values[row * cells.iterations + i];
      if (value != kUnknownCell) value -= median;
    }
  }
}

int64_t percentile_of(std::vector<int64_t>& values, double fraction) {
  const auto place =
      static_cast<std::ptrdiff_t>(std::round(fraction * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

void choose_scale(MapCells& cells, bool is_two_sided) {
  std::vector<int64_t> known;
  for (const int64_t value : cells.values) {
    if (value != kUnknownCell) known.push_back(value);
  }
  cells.has_unknown = known.size() < cells.values.size();
  if (known.empty()) return;
  const auto [least, greatest] = std::ranges::minmax(known);
  cells.low = percentile_of(known, kClippedShare);
  cells.high = percentile_of(known, 1 - kClippedShare);
  if (is_two_sided) {
    cells.high = std::max<int64_t>({std::abs(cells.low), std::abs(cells.high), 1});
    cells.low = -cells.high;
  }
  cells.is_clipped = least < cells.low || greatest > cells.high;
}

}  // namespace

std::string_view name_of(MapValue value) {
  return kValueWords[static_cast<std::size_t>(value)].name;
}
std::string_view title_of(MapValue value) {
  return kValueWords[static_cast<std::size_t>(value)].title;
}
std::string_view name_of(MapOrder order) {
  return kOrderWords[static_cast<std::size_t>(order)].name;
}
std::string_view title_of(MapOrder order) {
  return kOrderWords[static_cast<std::size_t>(order)].title;
}

std::vector<std::size_t> ordered_ranks(const ranks::RunFigures& run, MapOrder order) {
  std::vector<std::size_t> rows(run.rank_count());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (order == MapOrder::host) {
    std::ranges::stable_sort(rows, {}, [&run](std::size_t rank) -> const std::string& {
      return run.part_of(rank).head.host;
    });
  } else if (order == MapOrder::own) {
    std::ranges::stable_sort(rows, std::greater<>(), [&run](std::size_t rank) {
      return run.stragglers.ranks[rank].mean_own_ns;
    });
  }
  return rows;
}

MapCells make_map_cells(const ranks::RunFigures& run, MapValue value, MapOrder order) {
  MapCells cells;
  cells.rows = ordered_ranks(run, order);
  cells.iterations = run.times.numbers.size();
  cells.values.reserve(cells.rows.size() * cells.iterations);
  for (const std::size_t rank : cells.rows) {
    base::stop_point();
    for (std::size_t i = 0; i < cells.iterations; ++i) {
      cells.values.push_back(cell_of(run.times, value, rank, i));
    }
  }
  const bool is_two_sided = value == MapValue::deviation;
  if (is_two_sided) subtract_medians(cells);
  choose_scale(cells, is_two_sided);
  return cells;
}

std::size_t map_bins(std::size_t cells, std::size_t pixels) {
  return std::min(cells, pixels);
}

std::size_t first_cell(std::size_t bin, std::size_t bins, std::size_t cells) {
  return bin * cells / bins;
}

float bin_edge(std::size_t bin, std::size_t bins, float length) {
  return std::floor(static_cast<float>(static_cast<double>(bin) * static_cast<double>(length) /
                                       static_cast<double>(bins)));
}

MapPixels make_map_pixels(const MapCells& cells, std::size_t width, std::size_t height) {
  MapPixels pixels;
  pixels.columns = map_bins(cells.iterations, width);
  pixels.rows = map_bins(cells.rows.size(), height);
  pixels.worst.resize(pixels.columns * pixels.rows);
  for (std::size_t y = 0; y < pixels.rows; ++y) {
    base::stop_point();
    const std::size_t last_row = first_cell(y + 1, pixels.rows, cells.rows.size());
    for (std::size_t row = first_cell(y, pixels.rows, cells.rows.size()); row < last_row; ++row) {
      for (std::size_t x = 0; x < pixels.columns; ++x) {
        MapPixels::Worst& worst = pixels.worst[y * pixels.columns + x];
        const std::size_t first = first_cell(x, pixels.columns, cells.iterations);
        const std::size_t last = first_cell(x + 1, pixels.columns, cells.iterations);
        for (std::size_t i = first; i < last; ++i) {
          const int64_t value = cells.at(row, i);
          const bool is_first =
              worst.value == kUnknownCell && worst.iteration == 0 && worst.row == 0;
          if (value > worst.value || is_first) {
            worst = {static_cast<uint32_t>(row), static_cast<uint32_t>(i), value};
          }
        }
      }
    }
  }
  return pixels;
}

double place_on_scale(const MapCells& cells, int64_t value, bool is_two_sided) {
  if (is_two_sided) {
    return std::clamp(static_cast<double>(value) / static_cast<double>(cells.high), -1.0, 1.0);
  }
  if (cells.high <= cells.low) return 0;
  return std::clamp(
      static_cast<double>(value - cells.low) / static_cast<double>(cells.high - cells.low), 0.0,
      1.0);
}

Color map_color(const Palette& palette, double place) {
  constexpr float kNeutral = 0.14f;  // the middle is seen beside what is not there
  const Color middle = mix(palette.panel, palette.text, kNeutral);
  const Color end = palette.tone(place < 0 ? Tone::memory : Tone::cpu);
  return mix(middle, end, static_cast<float>(std::abs(place)));
}

MapDrawing make_map_drawing(const MapPixels& pixels, const MapCells& cells, bool is_two_sided,
                            const Palette& palette, const render::Rectangle& plot) {
  MapDrawing drawing;
  std::array<Color, 2 * kColorSteps + 1> colors{};
  for (int step = -kColorSteps; step <= kColorSteps; ++step) {
    colors[static_cast<std::size_t>(step + kColorSteps)] =
        map_color(palette, static_cast<double>(step) / kColorSteps);
  }
  const float width = plot.right - plot.left, height = plot.bottom - plot.top;
  const auto gap = [](float length, std::size_t bins) {
    return length >= kLeastSpaced * static_cast<float>(bins) ? 1.0f : 0.0f;
  };
  const float gap_x = gap(width, pixels.columns), gap_y = gap(height, pixels.rows);
  for (std::size_t y = 0; y < pixels.rows; ++y) {
    const float top = plot.top + bin_edge(y, pixels.rows, height);
    const float bottom = plot.top + bin_edge(y + 1, pixels.rows, height) - gap_y;
    std::vector<render::Rectangle>* last_kind = nullptr;
    for (std::size_t x = 0; x < pixels.columns; ++x) {
      const int64_t value = pixels.at(y, x).value;
      const bool is_known = value != kUnknownCell;
      std::vector<render::Rectangle>& kind = is_known ? drawing.cells : drawing.unknown;
      Color color = 0;
      if (is_known) {
        const double place = place_on_scale(cells, value, is_two_sided);
        color = colors[static_cast<std::size_t>(std::lround(place * kColorSteps) + kColorSteps)];
      }
      const float left = plot.left + bin_edge(x, pixels.columns, width);
      const float right = plot.left + bin_edge(x + 1, pixels.columns, width) - gap_x;
      const bool goes_on = gap_x == 0 && last_kind == &kind && kind.back().color == color;
      if (goes_on) {
        kind.back().right = right;
      } else {
        kind.push_back({left, top, right, bottom, color});
      }
      last_kind = &kind;
    }
  }
  return drawing;
}

}  // namespace dlview::ui
