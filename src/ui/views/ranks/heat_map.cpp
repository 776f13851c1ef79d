#include "ui/views/ranks/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/stop_point.h"
#include "base/units.h"

namespace dlview::ui {
namespace {

constexpr int kColorSteps = 24;      // on each side of the scale
constexpr int64_t kLeastHalf = 100;  // of an iteration: differences below 1% are not in full color
constexpr double kClippedShare = 0.01;
constexpr std::size_t kScaleBins = 1U << 16U;
constexpr std::size_t kLeastSpan = 4;
// Work of a thread.
constexpr std::size_t kColumnsAtOnce = 16, kRowsAtOnce = 64, kPixelRowsAtOnce = 16;
constexpr float kLeastSpaced = 5;  // pixels of a bin that leaves a gap to the next

struct MapWord {
  std::string_view name, title;
};
constexpr std::array<MapWord, kMapValues> kValueWords{{{"deviation", "Own work, from median"},
                                                       {"own", "Own work"},
                                                       {"duration", "Iteration time"},
                                                       {"exposed_wait", "Exposed wait"}}};
constexpr std::array<MapWord, kMapOrders> kOrderWords{{{"rank", "By rank"},
                                                       {"host", "By host"},
                                                       {"group", "By group"},
                                                       {"own", "By own work"},
                                                       {"similarity", "By similarity"}}};
constexpr int kPasses = 8;  // of the power iteration, which need not be exact
constexpr int kMostSets = 6;

int64_t median_duration_ns(const ranks::RankTimes& times) {
  std::vector<int64_t> durations;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    const ranks::RankRow row = times.duration_ns.row(rank);
    // That of the middle iteration: all of them are many values.
    if (!times.numbers.empty()) durations.push_back(row[times.numbers.size() / 2]);
  }
  return durations.empty() ? 0 : ranks::lower_median(std::move(durations));
}

// The cells of a rank, by iteration.
void add_row(const ranks::RankTimes& times, MapValue value, std::size_t rank, int64_t* cells) {
  const std::size_t count = times.numbers.size();
  if (value == MapValue::duration) {
    const ranks::RankRow durations = times.duration_ns.row(rank);
    for (std::size_t i = 0; i < count; ++i) cells[i] = durations[i];
    return;
  }
  const ranks::RankRow waits = times.least_exposed_wait_ns.row(rank);
  if (value == MapValue::exposed_wait) {
    for (std::size_t i = 0; i < count; ++i) cells[i] = waits[i] < 0 ? kUnknownCell : waits[i];
    return;
  }
  // Without the wait the duration says nothing of the work.
  const ranks::RankRow durations = times.duration_ns.row(rank);
  for (std::size_t i = 0; i < count; ++i) {
    cells[i] = waits[i] < 0 ? kUnknownCell : durations[i] - waits[i];
  }
}

// Of each rank the lowest one of its smallest group of several; itself without.
std::vector<std::size_t> lowest_of_groups(const ranks::RunFigures& run) {
  std::map<std::string_view, std::vector<std::size_t>> members;
  for (std::size_t rank = 0; rank < run.rank_count(); ++rank) {
    for (const auto& [group, rows] : run.part_of(rank).groups) members[group].push_back(rank);
  }
  std::vector<std::size_t> lowest(run.rank_count()), size(run.rank_count(), SIZE_MAX);
  std::iota(lowest.begin(), lowest.end(), std::size_t{0});
  for (const auto& [group, ranks] : members) {
    if (ranks.size() < 2) continue;
    for (const std::size_t rank : ranks) {
      if (ranks.size() >= size[rank]) continue;
      size[rank] = ranks.size();
      lowest[rank] = ranks.front();
    }
  }
  return lowest;
}

// How much each of some ranks has of the pattern over iterations that explains most differences of
// their own work: the first principal component, by power iteration.
std::vector<double> shares_of_pattern(const ranks::RunFigures& run,
                                      const std::vector<std::size_t>& ranks) {
  const ranks::RankTimes& times = run.times;
  const std::size_t iterations = times.numbers.size();
  const std::vector<int64_t>& medians = run.stragglers.median_own_ns;
  // Calls use(iteration, deviation of own work from the median) for those that are known.
  const auto for_each_known = [&](std::size_t rank, const auto& use) {
    const ranks::RankRow durations = times.duration_ns.row(rank);
    const ranks::RankRow waits = times.least_exposed_wait_ns.row(rank);
    for (std::size_t i = 0; i < iterations; ++i) {
      if (waits[i] >= 0) use(i, static_cast<double>(durations[i] - waits[i] - medians[i]));
    }
  };
  std::vector<double> shares(ranks.size()), pattern(iterations);
  // A beginning that no pattern is likely to cancel.
  for (std::size_t i = 0; i < iterations; ++i) pattern[i] = 1 + static_cast<double>(i % 7) / 7;
  for (int pass = 0; pass < kPasses; ++pass) {
    base::parallel_for(ranks.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) {
        double sum = 0;
        for_each_known(ranks[at], [&](std::size_t i, double more) { sum += more * pattern[i]; });
        shares[at] = sum;
      }
    });
    base::stop_point();
    std::ranges::fill(pattern, 0);
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      for_each_known(ranks[at],
                     [&](std::size_t i, double more) { pattern[i] += more * shares[at]; });
    }
    double squares = 0;
    for (const double each : pattern) squares += each * each;
    if (squares <= 0) break;
    for (double& each : pattern) each /= std::sqrt(squares);
  }
  return shares;
}

// Sets of ranks that are slow together, one after another: those with most of a pattern leave, and
// the rest is looked at again.
std::vector<std::size_t> by_similarity(const ranks::RunFigures& run,
                                       std::vector<std::size_t> ranks) {
  std::vector<std::size_t> rows;
  for (int set = 0; set < kMostSets && !ranks.empty(); ++set) {
    const std::vector<double> shares = shares_of_pattern(run, ranks);
    const double most = std::ranges::max(shares);
    std::vector<std::pair<double, std::size_t>> alike;
    std::vector<std::size_t> others;
    for (std::size_t at = 0; at < ranks.size(); ++at) {
      if (most > 0 && 2 * shares[at] >= most) {
        alike.emplace_back(-shares[at], ranks[at]);
      } else {
        others.push_back(ranks[at]);
      }
    }
    if (alike.empty()) break;
    std::ranges::sort(alike);
    for (const auto& entry : alike) rows.push_back(entry.second);
    ranks = std::move(others);
  }
  rows.insert(rows.end(), ranks.begin(), ranks.end());
  return rows;
}

// A block of columns at once, for which rows are read in whole cache lines.
void subtract_medians(MapCells& cells) {
  const std::size_t rows = cells.rows.size();
  base::parallel_for(cells.iterations, kColumnsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<std::vector<int64_t>> known(end - begin);
    for (std::vector<int64_t>& column : known) column.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = begin; i < end; ++i) {
        if (cells.at(row, i) != kUnknownCell) known[i - begin].push_back(cells.at(row, i));
      }
    }
    std::vector<int64_t> medians;
    for (std::vector<int64_t>& column : known) {
      medians.push_back(ranks::lower_median(std::move(column)));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = begin; i < end; ++i) {
        int64_t& value = cells.values[row * cells.iterations + i];
        if (value != kUnknownCell) value -= medians[i - begin];
      }
    }
  });
}

// How many known values lie in each of kScaleBins equal parts of their span: where a percentile
// lies is found among those of one part, without a sorted copy of all.
class Spread {
 public:
  explicit Spread(const std::vector<int64_t>& values) : values_(values) {
    least_ = INT64_MAX;
    greatest_ = INT64_MIN;
    for (const int64_t value : values) {
      if (value == kUnknownCell) continue;
      least_ = std::min(least_, value);
      greatest_ = std::max(greatest_, value);
      ++known_;
    }
    if (known_ == 0) return;
    width_ = static_cast<uint64_t>(greatest_ - least_) / kScaleBins + 1;
    counts_.resize(kScaleBins);
    for (const int64_t value : values) {
      if (value != kUnknownCell) ++counts_[bin_of(value)];
    }
  }
  std::size_t known() const { return known_; }
  int64_t least() const { return least_; }
  int64_t greatest() const { return greatest_; }

  // By nearest rank.
  int64_t percentile(double fraction) const {
    auto place = static_cast<std::size_t>(std::round(fraction * static_cast<double>(known_ - 1)));
    std::size_t bin = 0;
    while (place >= counts_[bin]) place -= counts_[bin++];
    std::vector<int64_t> of_bin;
    for (const int64_t value : values_) {
      if (value != kUnknownCell && bin_of(value) == bin) of_bin.push_back(value);
    }
    const auto at = of_bin.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(of_bin.begin(), at, of_bin.end());
    return *at;
  }

 private:
  std::size_t bin_of(int64_t value) const {
    return static_cast<std::size_t>(static_cast<uint64_t>(value - least_) / width_);
  }
  const std::vector<int64_t>& values_;
  int64_t least_ = 0, greatest_ = 0;
  std::size_t known_ = 0;
  uint64_t width_ = 1;
  std::vector<std::size_t> counts_;
};

MapScale scale_of(const MapPixels& pixels, const MapCells& cells) {
  MapScale scale;
  std::vector<int64_t> values;
  values.reserve(pixels.worst.size());
  for (const MapPixels::Worst& worst : pixels.worst) values.push_back(worst.value);
  const Spread spread(values);
  if (spread.known() == 0) return scale;
  scale.low = spread.percentile(kClippedShare);
  scale.high = spread.percentile(1 - kClippedShare);
  if (cells.is_two_sided) {
    const bool shares_pixels = pixels.worst.size() < pixels.down.count * pixels.across.count;
    scale.middle = shares_pixels ? spread.percentile(0.5) : 0;
    const int64_t half =
        std::max<int64_t>({std::abs(scale.low - scale.middle), std::abs(scale.high - scale.middle),
                           cells.least_half_ns});
    scale.low = scale.middle - half;
    scale.high = scale.middle + half;
  }
  scale.is_clipped = spread.least() < scale.low || spread.greatest() > scale.high;
  return scale;
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
  } else if (order == MapOrder::group) {
    const std::vector<std::size_t> lowest = lowest_of_groups(run);
    std::ranges::stable_sort(rows, {}, [&lowest](std::size_t rank) { return lowest[rank]; });
  } else if (order == MapOrder::similarity) {
    rows = by_similarity(run, std::move(rows));
  } else if (order == MapOrder::own) {
    std::ranges::stable_sort(rows, std::greater<>(), [&run](std::size_t rank) {
      return run.stragglers.has_own(rank) ? run.stragglers.ranks[rank].mean_own_ns : -1;
    });
  }
  return rows;
}

MapCells make_map_cells(const ranks::RunFigures& run, MapValue value, MapOrder order) {
  MapCells cells;
  cells.rows = ordered_ranks(run, order);
  cells.iterations = run.times.numbers.size();
  cells.values.resize(cells.rows.size() * cells.iterations);
  base::parallel_for(cells.rows.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      add_row(run.times, value, cells.rows[row], cells.values.data() + row * cells.iterations);
    }
  });
  base::stop_point();
  cells.is_two_sided = value == MapValue::deviation;
  if (cells.is_two_sided) {
    subtract_medians(cells);
    cells.least_half_ns = std::max<int64_t>(1, median_duration_ns(run.times) / kLeastHalf);
  }
  cells.has_unknown = std::ranges::find(cells.values, kUnknownCell) != cells.values.end();
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

std::size_t bin_at(float offset, float length, std::size_t bins) {
  const float share = std::clamp(offset / length, 0.0f, 0.999999f);
  auto bin = static_cast<std::size_t>(share * static_cast<float>(bins));
  while (bin + 1 < bins && offset >= bin_edge(bin + 1, bins, length)) ++bin;
  while (bin > 0 && offset < bin_edge(bin, bins, length)) --bin;
  return bin;
}

std::string signed_time(int64_t ns) {
  const std::string text = base::format_duration(ns < 0 ? -ns : ns);
  return ns < 0 ? "−" + text : ns > 0 ? "+" + text : text;
}

MapSpan zoomed(const MapSpan& span, double at, double factor, std::size_t all) {
  const MapSpan from = span.count == 0 ? MapSpan{0, all} : span;
  const auto wanted =
      static_cast<std::size_t>(std::llround(static_cast<double>(from.count) * factor));
  // A step changes it by a cell at least.
  const std::size_t changed =
      factor < 1 ? std::min(wanted, from.count - 1) : std::max(wanted, from.count + 1);
  const std::size_t count = std::clamp(changed, std::min(kLeastSpan, all), all);
  if (count == all) return {};
  const double place = static_cast<double>(from.first) + at * static_cast<double>(from.count);
  const double first =
      std::clamp(place - at * static_cast<double>(count), 0.0, static_cast<double>(all - count));
  return {static_cast<std::size_t>(std::llround(first)), count};
}

MapPixels make_map_pixels(const MapCells& cells, std::size_t width, std::size_t height,
                          const MapWindow& window) {
  const auto axis_of = [](const MapSpan& span, std::size_t all, std::size_t length) {
    MapAxis axis{span.first, span.count, 0};
    if (span.count == 0 || span.first + span.count > all) axis = {0, all, 0};
    axis.bins = map_bins(axis.count, length);
    return axis;
  };
  MapPixels pixels;
  pixels.down = axis_of(window.rows, cells.rows.size(), height);
  pixels.across = axis_of(window.iterations, cells.iterations, width);
  pixels.columns = pixels.across.bins;
  pixels.rows = pixels.down.bins;
  pixels.worst.resize(pixels.columns * pixels.rows);
  std::vector<std::size_t> edges(pixels.columns + 1);
  for (std::size_t x = 0; x <= pixels.columns; ++x) edges[x] = pixels.across.begin(x);
  const auto fill_row = [&](std::size_t y) {
    const std::size_t first = pixels.down.begin(y), last = pixels.down.begin(y + 1);
    MapPixels::Worst* const line = pixels.worst.data() + y * pixels.columns;
    for (std::size_t x = 0; x < pixels.columns; ++x) {
      line[x] = {static_cast<uint32_t>(first), static_cast<uint32_t>(edges[x]), kUnknownCell};
    }
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t x = 0; x < pixels.columns; ++x) {
        for (std::size_t i = edges[x]; i < edges[x + 1]; ++i) {
          const int64_t value = cells.at(row, i);
          if (value <= line[x].value) continue;
          line[x] = {static_cast<uint32_t>(row), static_cast<uint32_t>(i), value};
        }
      }
    }
  };
  base::parallel_for(pixels.rows, kPixelRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) fill_row(y);
  });
  pixels.scale = scale_of(pixels, cells);
  return pixels;
}

double place_on_scale(const MapScale& scale, int64_t value, bool is_two_sided) {
  const int64_t from = is_two_sided ? scale.middle : scale.low;
  if (scale.high <= from) return 0;
  return std::clamp(static_cast<double>(value - from) / static_cast<double>(scale.high - from),
                    is_two_sided ? -1.0 : 0.0, 1.0);
}

Color map_color(const Palette& palette, double place) {
  constexpr float kNeutral = 0.14f;  // the middle is seen beside what is not there
  const Color middle = mix(palette.panel, palette.text, kNeutral);
  const Color end = palette.tone(place < 0 ? Tone::memory : Tone::cpu);
  return mix(middle, end, static_cast<float>(std::abs(place)));
}

MapDrawing make_map_drawing(const MapPixels& pixels, bool is_two_sided, const Palette& palette,
                            const render::Rectangle& plot) {
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
        const double place = place_on_scale(pixels.scale, value, is_two_sided);
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
