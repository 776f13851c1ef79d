// Statistics over the iterations of two runs: whether a value changed, by how much, and what could
// not have been seen (spec.md, compare.statistics).
//
//   value of a run     median of its iterations (median_of() of steady.h)
//   interval           95%, moving-block bootstrap of the ratio of the medians
//   p                  Mann-Whitney U test, two-sided
//   q                  p over all compared rows, Benjamini-Hochberg
//   floor              how far two runs of one state lie apart without any change
//
// Iterations of one capture are no repeated runs: the clock of the GPU, the layout of memory and
// other programs move all of them alike. A verdict needs both, p and an interval beyond the floor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

// A relative change: 0.05 = 5% more.
struct ChangeInterval {
  double low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
  bool operator==(const ChangeInterval&) const = default;
};

// P of the two-sided Mann-Whitney U test: that values like these are drawn from one distribution.
// Exact to 20 values a side, ties included; beyond, the normal distribution with the variance
// corrected for ties, and for continuity. 1 if a side is empty.
double mann_whitney_p(std::span<const int64_t> before, std::span<const int64_t> after);

// Returns the q-values of the p-values, in their order (Benjamini and Hochberg 1995).
std::vector<double> false_discovery_rates(std::span<const double> p);

// Correlation of each value with the next; 0 where all are equal.
double serial_correlation(std::span<const int64_t> values);
// P of no trend over the values in their order: Spearman's rank correlation with the position, by
// the normal distribution. 1 below 10 values.
double trend_p(std::span<const int64_t> values);

// Returns values in their order: all, or `most` of them, one from each of as many stretches. The
// choice within a stretch is random with a fixed seed: every k-th value could always be the same
// one of a period.
std::vector<int64_t> chosen_of(std::span<const int64_t> values, std::size_t most);

// The value that a normal distribution, or a t distribution with `degrees` of freedom, exceeds with
// probability `p`. 0 < p < 1; degrees >= 1.
double normal_quantile(double p);
double t_quantile(double p, int64_t degrees);

// The medians of resampled iterations. Blocks of ceil(n^(1/3)) iterations in a row are drawn with
// replacement, so that what iterations have in common with their neighbors stays in. The draws
// depend on n and the stream alone: all values of a run are resampled alike, on every machine.
class BlockResampler {
 public:
  static constexpr std::size_t kResamples = 2000;
  // Of more iterations, this many of them, as chosen_of() has it: the interval is wider than it
  // could be.
  static constexpr std::size_t kMostIterations = 4096;

  explicit BlockResampler(std::size_t iterations);
  std::size_t iterations() const { return iterations_; }
  // The median of each resample. `values`: one for each iteration. Two runs have draws of two
  // streams: with equal ones, a drift of both would cancel out.
  static constexpr std::size_t kStreams = 2;
  std::vector<int64_t> medians(std::span<const int64_t> values, std::size_t stream = 0) const;
  // The same of values that are sorted: by resample, the rank of its median, from 0. `order`: the
  // places of the used values in rising order. Costs about 10 µs for 200.
  std::vector<uint16_t> median_ranks(std::span<const uint32_t> order, std::size_t stream) const;
  std::size_t used() const { return used_; }

 private:
  // How often each used iteration was drawn: blocks of resamples, in each block by iteration and
  // resample, so that sums of a block stay in registers. In one byte where that is enough.
  template <typename Count>
  static constexpr std::size_t kLanes = 64 / sizeof(Count);
  template <typename Count>
  static constexpr std::size_t kBlocks = (kResamples + kLanes<Count> - 1) / kLanes<Count>;
  static constexpr std::size_t kMostInAByte = UINT8_MAX;
  template <typename Count>
  using Uses = std::array<std::vector<Count>, kStreams>;

  template <typename Count>
  void draw(std::size_t stream, std::vector<Count>& uses) const;
  template <typename Count>
  std::vector<uint16_t> ranks_by(std::span<const uint32_t> order,
                                 const std::vector<Count>& uses) const;

  std::size_t iterations_, used_;
  Uses<uint8_t> small_;
  Uses<uint16_t> large_;
};

// The 95% interval of median(after) / median(before) - 1; infinite bounds where a median before is
// 0. Below 10 values a side, from order statistics of each side. nullopt below 4 values a side, or
// if both medians are 0: the values are too rare to be compared.
std::optional<ChangeInterval> median_change_interval(std::span<const int64_t> before,
                                                     const BlockResampler& resampler_before,
                                                     std::span<const int64_t> after,
                                                     const BlockResampler& resampler_after);

// The 95% interval of the median of one run, by the same bootstrap; below 10 values from order
// statistics. nullopt below 4 values.
struct MedianInterval {
  int64_t low = 0, high = 0;
  bool operator==(const MedianInterval&) const = default;
};
std::optional<MedianInterval> median_interval(std::span<const int64_t> values,
                                              const BlockResampler& resampler);

// How far the medians of two captures of one state lie apart.
struct RunFloor {
  // Standard deviation of the difference of two captures, as a share of the value; assumed, so
  // that 95% of them differ by less than 2%.
  double deviation = 0.02 / 1.959963984540054;
  int64_t captures = 0;  // that it was learned from; below 3 it is assumed

  bool is_learned() const { return captures >= 3; }
  // The share that the difference of two captures exceeds, in either direction, with probability
  // `p` in any of `rows` rows.
  double limit(double p = 0.05, std::size_t rows = 1) const;
};
// Returns the floor that captures of one state have, from the median of each. Assumed below 3.
RunFloor learned_floor(std::span<const double> medians);

enum class Verdict : uint8_t { slower, faster, no_difference, inconclusive };
std::string_view to_text(Verdict verdict);  // "no difference"

// A value of both runs, over their iterations.
struct ValueChange {
  int64_t before = 0, after = 0;           // medians
  std::optional<ChangeInterval> interval;  // of after / before - 1
  double p = 1, q = 1;
  Verdict verdict = Verdict::inconclusive;
  // after / before - 1; infinite if only before is 0.
  double change() const;
};

inline constexpr std::size_t kFewestForStatistics = 4;  // iterations a side
inline constexpr double kVerdictP = 0.01, kFalseDiscoveryRate = 0.05;

// Values of one row: one for each iteration of a run.
struct RowValues {
  std::vector<int64_t> before, after;
};

// Judges rows that are looked at together; all rows have the same iterations. A row is
//
//   slower, faster   p < 0.01, q < 0.05, and the whole interval lies beyond the limit of the floor
//                    that one of all rows exceeds by chance with probability 0.01
//   no difference    the interval lies within the limit that one row exceeds with 0.05
//   inconclusive     all else
//
// Swapping before and after swaps slower and faster and nothing else. 2,000 rows of 200 iterations
// take 0.1 s on two cores.
std::vector<ValueChange> judge_rows(const std::vector<RowValues>& rows, const RunFloor& floor);

// What would make an inconclusive row conclusive: this many iterations on each side, or nullopt if
// only more captures of each state can. The same for the swapped runs.
std::optional<int64_t> iterations_needed(const ValueChange& row, int64_t iterations,
                                         const RunFloor& floor, std::size_t rows);

}  // namespace dlview::aggregate
