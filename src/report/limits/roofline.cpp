#include "report/limits/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::report {
namespace {

using aggregate::Limit;
using aggregate::LimitRow;
using aggregate::Origin;
using aggregate::Share;

constexpr double kAll = 100;
// Axes without data and peaks.
constexpr Decades kUsualIntensity{-1, 3}, kUsualRate{9, 15}, kUsualBandwidth{9, 13};

bool is_plottable(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value > 0;
}

// Grows with each value.
class Extent {
 public:
  void add(double value) {
    low_ = std::min(low_.value_or(value), value);
    high_ = std::max(high_.value_or(value), value);
  }
  Decades or_usual(const Decades& usual) const {
    if (!low_) return usual;
    return {std::floor(*low_ - 1), std::ceil(*high_ + 1)};
  }

 private:
  std::optional<double> low_, high_;
};

float radius_of(int64_t time_ns, int64_t longest_ns) {
  if (longest_ns <= 0) return kLeastRadius;
  const double share = static_cast<double>(time_ns) / static_cast<double>(longest_ns);
  return std::max(kLeastRadius, kMostRadius * static_cast<float>(std::sqrt(share)));
}

int64_t longest_time(std::span<const LimitRow> rows) {
  int64_t longest = 0;
  for (const LimitRow& row : rows) longest = std::max(longest, row.time_ns);
  return longest;
}

template <typename Mark>
void sort_by_size(std::vector<Mark>& marks, std::span<const LimitRow> rows) {
  std::ranges::stable_sort(marks, [&](const Mark& a, const Mark& b) {
    return rows[a.row].time_ns > rows[b.row].time_ns;
  });
}

Origin weaker(Origin a, Origin b) {
  if (a == Origin::none || b == Origin::none) return std::max(a, b);
  return std::min(a, b);
}

Limit limit_of(aggregate::SpeedOfLight verdict, const LimitRow& row) {
  using enum aggregate::SpeedOfLight;
  switch (verdict) {
    case high_compute:
      return Limit::math;
    case high_memory:
      return Limit::memory;
    case high_throughput:
      return row.busy_math.percent.value_or(0) >= row.busy_memory.percent.value_or(0)
                 ? Limit::math
                 : Limit::memory;
    case balanced:
      return Limit::both;
    case latency:
    case small_grid:
    case small_grid_or_latency:
      return Limit::neither;
    case unknown:
      break;
  }
  return Limit::unknown;
}

// The shares behind the verdict.
std::pair<Share, Share> shares_of(const LimitRow& row, LimitRule rule) {
  const std::pair busy(row.busy_math, row.busy_memory), of_work(row.math, row.memory);
  const bool is_counted =
      row.math.origin == Origin::counted && row.memory.origin == Origin::counted;
  const bool has_busy = row.busy_math.percent && row.busy_memory.percent;
  switch (rule) {
    case LimitRule::busy:
    case LimitRule::ncu:
      return busy;
    case LimitRule::flops:
    case LimitRule::intensity:
      return of_work;
    case LimitRule::best:
      break;
  }
  return has_busy && !is_counted ? busy : of_work;
}

std::vector<RooflineRoof> roofs_of(std::span<const LimitRow> rows,
                                   const aggregate::GpuPeaks* peaks) {
  std::vector<RooflineRoof> roofs;
  if (peaks == nullptr) return roofs;
  if (const auto& bandwidth = peaks->bandwidth; bandwidth && bandwidth->per_second > 0) {
    roofs.push_back({true,
                     bandwidth->per_second,
                     {},
                     true,
                     "DRAM " + base::format_byte_rate(bandwidth->per_second),
                     bandwidth->source});
  }
  std::array<bool, aggregate::kMathTypes> in_use{};
  for (const LimitRow& row : rows) {
    if (row.type) in_use[static_cast<std::size_t>(*row.type)] = true;
  }
  for (const bool used : {true, false}) {
    for (std::size_t i = 0; i < in_use.size(); ++i) {
      const auto type = static_cast<aggregate::MathType>(i);
      const auto& peak = peaks->of(type);
      if (in_use[i] != used || !peak || peak->per_second <= 0) continue;
      roofs.push_back(
          {false, peak->per_second, type, used,
           fmt::format("{} {}", aggregate::to_text(type), flop_rate_text(peak->per_second)),
           peak->source});
    }
  }
  return roofs;
}

std::string prefixed(double value) {
  constexpr std::array kPrefixes{std::pair(1e18, "E"), std::pair(1e15, "P"), std::pair(1e12, "T"),
                                 std::pair(1e9, "G"),  std::pair(1e6, "M"),  std::pair(1e3, "k")};
  for (const auto& [size, prefix] : kPrefixes) {
    if (value >= size * 0.999)
      return fmt::format("{:g}{}{}", value / size, base::kThinSpace, prefix);
  }
  return fmt::format("{:g}", value);
}

}  // namespace

std::string_view to_text(LimitRule rule) {
  constexpr std::array<std::string_view, kLimitRules> kTexts{"best", "uf", "ub", "i", "s"};
  return kTexts[static_cast<std::size_t>(rule)];
}

std::optional<LimitRule> parse_limit_rule(std::string_view text) {
  for (int i = 0; i < kLimitRules; ++i) {
    if (to_text(static_cast<LimitRule>(i)) == text) return static_cast<LimitRule>(i);
  }
  return std::nullopt;
}

LimitVerdict verdict_of(const LimitRow& row, LimitRule rule) {
  LimitVerdict verdict;
  switch (rule) {
    case LimitRule::best:
      verdict = {row.limit(), row.origin(), row.is_near()};
      break;
    case LimitRule::flops:
      verdict = {row.by_flops, weaker(row.math.origin, row.memory.origin), row.flops_near};
      break;
    case LimitRule::busy:
      verdict = {row.by_busy, weaker(row.busy_math.origin, row.busy_memory.origin), row.busy_near};
      break;
    case LimitRule::intensity:
      verdict = {row.by_intensity, weaker(row.flops.origin, row.bytes.origin), false};
      break;
    case LimitRule::ncu:
      verdict = {limit_of(row.by_ncu, row), row.busy_math.origin, false};
      break;
  }
  if (verdict.limit == Limit::unknown) verdict.is_near = false;
  return verdict;
}

Origin evidence_of(const LimitRow& row) {
  const Origin work = weaker(row.flops.value ? row.flops.origin : Origin::none,
                             row.bytes.value ? row.bytes.origin : Origin::none);
  const Origin busy = std::max(row.busy_math.percent ? row.busy_math.origin : Origin::none,
                               row.busy_memory.percent ? row.busy_memory.origin : Origin::none);
  return std::max(work, busy);
}

double RooflineRoof::log() const {
  return std::log10(per_second);
}

std::optional<double> Roofline::ridge(const RooflineRoof& flat) const {
  if (roofs.empty() || !roofs.front().is_memory || flat.is_memory) return std::nullopt;
  return flat.per_second / roofs.front().per_second;
}

Roofline prepare_roofline(std::span<const LimitRow> rows, const aggregate::GpuPeaks* peaks,
                          LimitRule rule) {
  Roofline plot;
  plot.roofs = roofs_of(rows, peaks);
  const int64_t longest_ns = longest_time(rows);
  Extent x, y, strip;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const LimitRow& row = rows[i];
    RooflineMark mark{i,
                      0,
                      0,
                      radius_of(row.time_ns, longest_ns),
                      verdict_of(row, rule),
                      weaker(row.flops.origin, row.bytes.origin),
                      row.math.percent.value_or(0) > kAll || row.memory.percent.value_or(0) > kAll};
    if (is_plottable(row.intensity) && is_plottable(row.flops_per_second)) {
      mark.x = std::log10(*row.intensity);
      mark.y = std::log10(*row.flops_per_second);
      x.add(mark.x);
      y.add(mark.y);
      plot.marks.push_back(mark);
    } else if (row.flops.value == 0.0 && is_plottable(row.bytes_per_second)) {
      mark.y = std::log10(*row.bytes_per_second);
      strip.add(mark.y);
      plot.strip.push_back(mark);
    } else {
      ++plot.unplaced;
    }
  }
  for (const RooflineRoof& roof : plot.roofs) {
    if (roof.is_memory) strip.add(roof.log());
    if (roof.is_memory || !roof.in_use) continue;
    y.add(roof.log());
    if (const auto ridge = plot.ridge(roof)) x.add(std::log10(*ridge));
  }
  plot.x = x.or_usual(kUsualIntensity);
  plot.y = y.or_usual(kUsualRate);
  plot.strip_y = strip.or_usual(kUsualBandwidth);
  sort_by_size(plot.marks, rows);
  sort_by_size(plot.strip, rows);
  if (plot.marks.size() > kMostMarks) {
    plot.dense.assign(plot.marks.begin() + kMostMarks, plot.marks.end());
    plot.marks.resize(kMostMarks);
  }
  return plot;
}

std::optional<RoofLine> roof_line(const Roofline& plot, const RooflineRoof& roof, const Decades& x,
                                  const Decades& y) {
  if (!roof.is_memory) {
    const auto ridge = plot.ridge(roof);
    const double from = ridge ? std::max(x.low, std::log10(*ridge)) : x.low;
    if (from >= x.high || !y.contains(roof.log())) return std::nullopt;
    return RoofLine{from, roof.log(), x.high, roof.log()};
  }
  // As far as the highest flat roof in use.
  double from = std::max(x.low, y.low - roof.log()), to = std::min(x.high, y.high - roof.log());
  std::optional<double> highest;
  for (const RooflineRoof& flat : plot.roofs) {
    if (flat.is_memory || !flat.in_use) continue;
    const double ridge = std::log10(*plot.ridge(flat));
    highest = std::max(highest.value_or(ridge), ridge);
  }
  if (highest) to = std::min(to, *highest);
  if (from >= to) return std::nullopt;
  return RoofLine{from, from + roof.log(), to, to + roof.log()};
}

std::vector<LogTick> log_ticks(const Decades& axis, bool prefixes) {
  std::vector<LogTick> ticks;
  const bool labels_all = axis.length() < 1.2;
  const auto first = static_cast<int>(std::floor(axis.low)),
             last = static_cast<int>(std::ceil(axis.high));
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 1; digit <= 9; ++digit) {
      LogTick tick{decade + std::log10(digit), digit == 1, {}};
      if (!axis.contains(tick.at)) continue;
      const double value = digit * std::pow(10.0, decade);
      if (digit == 1 || labels_all) {
        tick.label = prefixes ? prefixed(value) : fmt::format("{:g}", value);
      }
      ticks.push_back(std::move(tick));
    }
  }
  return ticks;
}

Quadrants prepare_quadrants(std::span<const LimitRow> rows, LimitRule rule,
                            const aggregate::LimitThresholds& thresholds) {
  Quadrants quadrants;
  quadrants.threshold = thresholds.utilization_percent;
  const int64_t longest_ns = longest_time(rows);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const auto shares = shares_of(rows[i], rule);
    const Share &compute = shares.first, &memory = shares.second;
    if (!compute.percent || !memory.percent) {
      ++quadrants.unplaced;
      continue;
    }
    quadrants.marks.push_back({i, *compute.percent, *memory.percent,
                               radius_of(rows[i].time_ns, longest_ns), verdict_of(rows[i], rule),
                               weaker(compute.origin, memory.origin)});
    if (std::max(*compute.percent, *memory.percent) > kAll) quadrants.top = 110;
  }
  sort_by_size(quadrants.marks, rows);
  if (quadrants.marks.size() > kMostMarks) quadrants.marks.resize(kMostMarks);
  return quadrants;
}

std::string flop_rate_text(double per_second) {
  return base::format_flop(per_second) + "/s";
}

std::string intensity_text(double flop_per_byte) {
  if (flop_per_byte >= 1) return base::format_number(flop_per_byte);
  return fmt::format("{:.3g}", flop_per_byte);
}

}  // namespace dlview::report
