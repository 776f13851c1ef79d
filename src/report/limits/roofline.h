// What a roofline and the quadrants show of the rows of Limits: positions in decades or percent,
// sizes, classes, roofs. Pure; screen and SVG draw the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/limits.h"

namespace dlview::report {

// Which verdict is shown (aggregate/limits/verdicts.h). best: that of LimitRow::limit().
enum class LimitRule : uint8_t { best, flops, busy, intensity, ncu };
inline constexpr int kLimitRules = 5;
// "best", and as for --rule: "uf", "ub", "i", "s".
std::string_view to_text(LimitRule rule);
std::optional<LimitRule> parse_limit_rule(std::string_view text);

struct LimitVerdict {
  aggregate::Limit limit = aggregate::Limit::unknown;
  aggregate::Origin origin = aggregate::Origin::none;  // of its inputs
  bool is_near = false;                                // to a threshold
  bool operator==(const LimitVerdict&) const = default;
};
// Speed of Light: High Throughput goes by the larger share, Balanced is both, Latency and Small
// Grid are neither.
LimitVerdict verdict_of(const aggregate::LimitRow& row, LimitRule rule);

// The weakest origin of the work that is known of the row, counted where only busy counters are;
// none = nothing is known.
aggregate::Origin evidence_of(const aggregate::LimitRow& row);

// Part of an axis: log10 of its ends.
struct Decades {
  double low = 0, high = 1;
  double length() const { return high - low; }
  bool contains(double value) const { return value >= low && value <= high; }
  bool operator==(const Decades&) const = default;
};

struct RooflineRoof {
  bool is_memory = false;                   // slanted; else flat
  double per_second = 0;                    // bytes or FLOP
  std::optional<aggregate::MathType> type;  // of a flat one
  bool in_use = true;                       // by a row; others are dashed
  std::string label;                        // "DRAM 3.35 TB/s", "FP16 Tensor 989 TFLOP/s"
  std::string source;                       // "data sheet"
  double log() const;
};

struct RooflineMark {
  uint32_t row = 0;     // of those that were given
  double x = 0, y = 0;  // log10 of FLOP/byte and of FLOP/s; of the strip y = log10 of bytes/s
  float radius = 0;     // area in proportion to the time; kLeastRadius..kMostRadius
  LimitVerdict verdict = {};
  aggregate::Origin origin = aggregate::Origin::none;  // of the work
  bool is_above = false;                               // its roof: more than 100%
  bool operator==(const RooflineMark&) const = default;
};
inline constexpr float kLeastRadius = 4, kMostRadius = 18;  // pixels of the design
inline constexpr std::size_t kMostMarks = 2000;

struct Roofline {
  std::vector<RooflineRoof> roofs;  // that of memory first, then those in use
  std::vector<RooflineMark> marks;  // the largest first, at most kMostMarks
  std::vector<RooflineMark> dense;  // the smallest of more
  std::vector<RooflineMark> strip;  // without FLOP, the largest first
  std::size_t unplaced = 0;         // rows whose work is unknown
  // Whole decades around data and ridges, at least one beyond each.
  Decades x, y, strip_y;

  // FLOP/byte where the flat roof meets that of memory; nullopt = there is none.
  std::optional<double> ridge(const RooflineRoof& flat) const;
};
// `peaks`: of the GPU whose roofs are drawn; null = unknown. O(n log n).
Roofline prepare_roofline(std::span<const aggregate::LimitRow> rows,
                          const aggregate::GpuPeaks* peaks, LimitRule rule);

// A roof in the window: from left to right, in decades; nullopt = outside of it.
struct RoofLine {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool operator==(const RoofLine&) const = default;
};
std::optional<RoofLine> roof_line(const Roofline& plot, const RooflineRoof& roof, const Decades& x,
                                  const Decades& y);

struct LogTick {
  double at = 0;  // log10
  bool is_major = false;
  std::string label;  // "10", "1 G"; empty = none
};
// Decades with ticks 2 to 9 between them. With `prefixes` labels end in k, M, G, T, P.
std::vector<LogTick> log_ticks(const Decades& axis, bool prefixes);

// Decades -> pixels. y grows upwards, pixels grow downwards.
struct PlotMap {
  double left = 0, top = 0, right = 0, bottom = 0;
  Decades x, y;
  double to_x(double at) const { return left + (at - x.low) / x.length() * (right - left); }
  double to_y(double at) const { return bottom - (at - y.low) / y.length() * (bottom - top); }
  double x_at(double pixel) const { return x.low + (pixel - left) / (right - left) * x.length(); }
  double y_at(double pixel) const { return y.low + (bottom - pixel) / (bottom - top) * y.length(); }
};

// Shares of the peaks, in percent.
struct QuadrantMark {
  uint32_t row = 0;
  double compute = 0, memory = 0;
  float radius = 0;
  LimitVerdict verdict = {};
  aggregate::Origin origin = aggregate::Origin::none;
  bool operator==(const QuadrantMark&) const = default;
};
struct Quadrants {
  std::vector<QuadrantMark> marks;  // the largest first, at most kMostMarks
  double top = 100;                 // of both axes: 110 if a share is above 100
  double threshold = 70;
  std::size_t unplaced = 0;  // rows with an unknown share
};
Quadrants prepare_quadrants(std::span<const aggregate::LimitRow> rows, LimitRule rule,
                            const aggregate::LimitThresholds& thresholds);

// "989 TFLOP/s".
std::string flop_rate_text(double per_second);
// "295", "0.25": intensities.
std::string intensity_text(double flop_per_byte);

}  // namespace dlview::report
