#include "aggregate/comparison/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>

#include "aggregate/steady.h"
#include "base/parallel.h"

namespace dlview::aggregate {
namespace {

constexpr std::size_t kMostExact = 20, kFewestForBootstrap = 10;
constexpr uint64_t kResamplerSeed = 0x646c76696577;
constexpr uint64_t kChoiceSeed = 0x63686f6f7365;
constexpr double kIntervalTail = 0.025;

// Library distributions differ from one standard library to another. `count` < 2^32.
std::size_t below(std::size_t count, std::mt19937_64& random) {
  return static_cast<std::size_t>((random() >> 32U) * count >> 32U);
}

// Ranks of pooled values, from 1; equal values have the mean of theirs. Doubled, so that all are
// whole.
struct PooledRanks {
  std::vector<int64_t> doubled;  // values before, then values after
  double tie_sum = 0;            // of t^3 - t over groups of t equal values
};

PooledRanks pooled_ranks(std::span<const int64_t> before, std::span<const int64_t> after) {
  std::vector<int64_t> all(before.begin(), before.end());
  all.insert(all.end(), after.begin(), after.end());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&all](std::size_t i) { return all[i]; });
  PooledRanks ranks{std::vector<int64_t>(all.size()), 0};
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && all[order[end]] == all[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) {
      ranks.doubled[order[i]] = static_cast<int64_t>(first + 1 + end);
    }
    const auto ties = static_cast<double>(end - first);
    ranks.tie_sum += ties * ties * ties - ties;
  }
  return ranks;
}

// Counts the ways to draw `count` of the ranks, by their sum.
std::vector<double> ways_by_sum(std::span<const int64_t> ranks, std::size_t count) {
  const auto most =
      static_cast<std::size_t>(std::accumulate(ranks.begin(), ranks.end(), int64_t{}));
  const std::size_t width = most + 1;
  std::vector<double> ways((count + 1) * width);
  ways[0] = 1;
  for (const int64_t rank : ranks) {
    const auto step = static_cast<std::size_t>(rank);
    for (std::size_t drawn = count; drawn > 0; --drawn) {
      const double* const from = &ways[(drawn - 1) * width];
      double* const to = &ways[drawn * width];
      for (std::size_t sum = step; sum < width; ++sum) to[sum] += from[sum - step];
    }
  }
  return {ways.begin() + static_cast<std::ptrdiff_t>(count * width), ways.end()};
}

double exact_p(const PooledRanks& ranks, std::size_t count) {
  std::vector<int64_t> sorted = ranks.doubled;
  std::ranges::sort(sorted);
  // Rows of one comparison mostly have equal ranks: those without ties.
  thread_local std::pair<std::vector<int64_t>, std::size_t> known;
  thread_local std::vector<double> ways;
  if (known.first != sorted || known.second != count) {
    ways = ways_by_sum(sorted, count);
    known = {std::move(sorted), count};
  }
  const auto sum_of = [](auto begin, auto end) { return std::accumulate(begin, end, int64_t{0}); };
  const auto middle = static_cast<std::ptrdiff_t>(count);
  const auto& all = ranks.doubled;
  const int64_t sum = sum_of(all.begin(), all.begin() + middle);
  const auto expected = static_cast<int64_t>(count * (all.size() + 1));
  double extreme = 0, whole = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    whole += ways[s];
    if (std::abs(static_cast<int64_t>(s) - expected) >= std::abs(sum - expected))
      extreme += ways[s];
  }
  return extreme / whole;
}

// Values with their places, in rising order.
struct SortedValues {
  explicit SortedValues(std::span<const int64_t> unsorted) : order(unsorted.size()) {
    std::vector<std::pair<int64_t, uint32_t>> pairs(unsorted.size());
    for (uint32_t i = 0; i < pairs.size(); ++i) pairs[i] = {unsorted[i], i};
    std::ranges::sort(pairs);
    values.reserve(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      values.push_back(pairs[i].first);
      order[i] = pairs[i].second;
    }
  }
  // As median_of() has it.
  int64_t median() const { return values.empty() ? 0 : values[(values.size() + 1) / 2 - 1]; }

  std::vector<int64_t> values;
  std::vector<uint32_t> order;
};

double normal_p(const SortedValues& before, const SortedValues& after) {
  // Ranks as pooled_ranks() has them.
  int64_t doubled = 0;
  double tie_sum = 0;
  const auto n_before = before.values.size(), n_after = after.values.size();
  for (std::size_t b = 0, a = 0; b < n_before || a < n_after;) {
    const std::size_t first = a + b, first_before = b;
    const int64_t value = a == n_after    ? before.values[b]
                          : b == n_before ? after.values[a]
                                          : std::min(before.values[b], after.values[a]);
    while (b < n_before && before.values[b] == value) ++b;
    while (a < n_after && after.values[a] == value) ++a;
    doubled += static_cast<int64_t>((b - first_before) * (first + 1 + a + b));
    const auto ties = static_cast<double>(a + b - first);
    tie_sum += ties * ties * ties - ties;
  }
  const auto n = static_cast<double>(n_before), m = static_cast<double>(n_after), all = n + m;
  const double u = static_cast<double>(doubled) / 2 - n * (n + 1) / 2;
  const double variance = n * m / 12 * (all + 1 - tie_sum / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double z = std::max(std::abs(u - n * m / 2) - 0.5, 0.0) / std::sqrt(variance);
  return std::erfc(z / std::numbers::sqrt2);
}

// The x at which `tail`, which falls, is p.
template <typename Tail>
double quantile_of(const Tail& tail, double p) {
  double low = -1, high = 1;
  while (tail(high) > p && high < 1e12) high *= 2;
  while (tail(low) < p && low > -1e12) low *= 2;
  constexpr int kHalvings = 100;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (tail(middle) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// P(T > x) of the t distribution, by the finite sums for whole degrees of freedom (Abramowitz and
// Stegun 26.7.3 and 26.7.4).
double t_tail(double x, int64_t degrees) {
  const double angle = std::atan(std::abs(x) / std::sqrt(static_cast<double>(degrees)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1, sum = degrees > 1 ? term : 0;
  for (int64_t i = is_odd ? 3 : 2; i < degrees; i += 2) {
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  const double within = is_odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
  return x < 0 ? (1 + within) / 2 : (1 - within) / 2;
}

double change_from(int64_t before, int64_t after) {
  if (before == after) return 0;
  if (before == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(after) / static_cast<double>(before) - 1;
}

// The values between which the median lies with 95%, or as far as there are values.
std::pair<int64_t, int64_t> median_bounds(const std::vector<int64_t>& sorted) {
  constexpr double kManyValues = 60, kHalfTail = 0.98;
  const auto count = static_cast<double>(sorted.size());
  if (count > kManyValues) {
    const auto rank = static_cast<std::size_t>(count / 2 - kHalfTail * std::sqrt(count)) - 1;
    return {sorted[rank], sorted[sorted.size() - 1 - rank]};
  }
  // The median is outside of the values from rank k to n + 1 - k with probability 2 P(B < k),
  // B being binomial (n, 1/2).
  double tail = std::pow(0.5, count), term = tail;
  std::size_t outside = 0;
  for (std::size_t k = 1; tail <= kIntervalTail && 2 * k < sorted.size(); ++k) {
    outside = k - 1;
    term *= (count - static_cast<double>(k) + 1) / static_cast<double>(k);
    tail += term;
  }
  return {sorted[outside], sorted[sorted.size() - 1 - outside]};
}

// The value at `place` of the sorted values, which is near their beginning: a heap of the first
// ones.
template <typename Comes>
double value_at(std::span<const double> values, std::size_t place, const Comes& comes_first) {
  std::vector<double> first(values.begin(),
                            values.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  std::ranges::make_heap(first, comes_first);
  for (const double value : values.subspan(place + 1)) {
    if (!comes_first(value, first.front())) continue;
    std::ranges::pop_heap(first, comes_first);
    first.back() = value;
    std::ranges::push_heap(first, comes_first);
  }
  return first.front();
}

// One row of one run.
struct ResampledValues {
  std::span<const int64_t> values;
  const SortedValues& sorted;
  const BlockResampler& resampler;
};

// The medians of the resamples, as doubles.
std::vector<double> drawn_medians(const ResampledValues& side, std::size_t stream) {
  std::vector<double> medians(BlockResampler::kResamples);
  const auto take = [&](const SortedValues& used) {
    const std::vector<uint16_t> ranks = side.resampler.median_ranks(used.order, stream);
    std::vector<double> values(used.values.begin(), used.values.end());
    for (std::size_t i = 0; i < medians.size(); ++i) medians[i] = values[ranks[i]];
  };
  if (side.resampler.used() == side.values.size()) {
    take(side.sorted);
  } else {
    take(SortedValues(chosen_of(side.values, side.resampler.used())));
  }
  return medians;
}

double p_of(const ResampledValues& before, const ResampledValues& after) {
  if (before.values.empty() || after.values.empty()) return 1;
  return std::max(before.values.size(), after.values.size()) <= kMostExact
             ? exact_p(pooled_ranks(before.values, after.values), before.values.size())
             : normal_p(before.sorted, after.sorted);
}

std::optional<ChangeInterval> interval_of(const ResampledValues& before,
                                          const ResampledValues& after) {
  const std::size_t fewest = std::min(before.values.size(), after.values.size());
  if (fewest < kFewestForStatistics) return std::nullopt;
  if (std::ranges::equal(before.values, after.values)) return ChangeInterval{0, 0};
  if (before.sorted.median() <= 0 && after.sorted.median() <= 0) return std::nullopt;
  if (fewest < kFewestForBootstrap) {
    const auto from = median_bounds(before.sorted.values), to = median_bounds(after.sorted.values);
    return ChangeInterval{change_from(from.second, to.first), change_from(from.first, to.second)};
  }
  // Draws of their own for each side, whichever run is before.
  const bool comes_first = std::ranges::lexicographical_compare(before.values, after.values);
  const std::vector<double> from = drawn_medians(before, comes_first ? 0 : 1),
                            to = drawn_medians(after, comes_first ? 1 : 0);
  std::vector<double> changes(from.size());
  for (std::size_t b = 0; b < from.size(); ++b) {
    changes[b] = from[b] == to[b] ? 0 : to[b] / from[b] - 1;
  }
  constexpr auto kOutside = static_cast<std::size_t>(kIntervalTail * BlockResampler::kResamples);
  return ChangeInterval{value_at(changes, kOutside, std::less<>()),
                        value_at(changes, kOutside, std::greater<>())};
}

}  // namespace

double mann_whitney_p(std::span<const int64_t> before, std::span<const int64_t> after) {
  if (before.empty() || after.empty()) return 1;
  return std::max(before.size(), after.size()) <= kMostExact
             ? exact_p(pooled_ranks(before, after), before.size())
             : normal_p(SortedValues(before), SortedValues(after));
}

std::vector<double> false_discovery_rates(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [p](std::size_t i) { return p[i]; });
  std::vector<double> q(p.size());
  double least = 1;
  const auto count = static_cast<double>(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double rank = count - static_cast<double>(i);
    least = std::min(least, p[order[i]] * count / rank);
    q[order[i]] = least;
  }
  return q;
}

double serial_correlation(std::span<const int64_t> values) {
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const int64_t value : values) mean += static_cast<double>(value);
  mean /= static_cast<double>(values.size());
  double products = 0, squares = 0, last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = static_cast<double>(values[i]) - mean;
    squares += off * off;
    if (i > 0) products += off * last;
    last = off;
  }
  return squares > 0 ? products / squares : 0;
}

double trend_p(std::span<const int64_t> values) {
  if (values.size() < kFewestForBootstrap) return 1;
  const PooledRanks ranks = pooled_ranks(values, {});
  const auto n = static_cast<double>(values.size());
  double products = 0, squares = 0, places = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rank = static_cast<double>(ranks.doubled[i]) / 2 - (n + 1) / 2;
    const double place = static_cast<double>(i) - (n - 1) / 2;
    products += rank * place;
    squares += rank * rank;
    places += place * place;
  }
  if (squares <= 0) return 1;
  const double correlation = products / std::sqrt(squares * places);
  return std::erfc(std::abs(correlation) * std::sqrt(n - 1) / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  return quantile_of([](double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }, p);
}

double t_quantile(double p, int64_t degrees) {
  return quantile_of([degrees](double x) { return t_tail(x, degrees); }, p);
}

std::vector<int64_t> chosen_of(std::span<const int64_t> values, std::size_t most) {
  if (values.size() <= most) return {values.begin(), values.end()};
  std::mt19937_64 random(kChoiceSeed);
  std::vector<int64_t> chosen(most);
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t first = i * values.size() / most, end = (i + 1) * values.size() / most;
    chosen[i] = values[first + below(end - first, random)];
  }
  return chosen;
}

BlockResampler::BlockResampler(std::size_t iterations)
    : iterations_(iterations), used_(std::min(iterations, kMostIterations)) {
  if (iterations < kFewestForBootstrap) return;
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    if (used_ <= kMostInAByte) {
      draw(stream, small_[stream]);
    } else {
      draw(stream, large_[stream]);
    }
  }
}

template <typename Count>
void BlockResampler::draw(std::size_t stream, std::vector<Count>& uses) const {
  constexpr std::size_t kInBlock = kLanes<Count>;
  uses.resize(used_ * kBlocks<Count> * kInBlock);
  const auto block =
      static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(used_)) - 1e-9));
  std::mt19937_64 random(kResamplerSeed + stream);
  for (std::size_t resample = 0; resample < kResamples; ++resample) {
    Count* const lane = &uses[resample / kInBlock * used_ * kInBlock + resample % kInBlock];
    for (std::size_t drawn = 0; drawn < used_; drawn += block) {
      const std::size_t start = below(used_ - block + 1, random);
      for (std::size_t i = 0; i < std::min(block, used_ - drawn); ++i) {
        ++lane[(start + i) * kInBlock];
      }
    }
  }
}

// The rank of a median is the number of ranks up to which fewer than half of the values were drawn.
template <typename Count>
std::vector<uint16_t> BlockResampler::ranks_by(std::span<const uint32_t> order,
                                               const std::vector<Count>& uses) const {
  constexpr std::size_t kInBlock = kLanes<Count>;
  std::vector<uint16_t> ranks(kBlocks<Count> * kInBlock);
  const auto wanted = static_cast<Count>((used_ + 1) / 2);
  for (std::size_t block = 0; block < kBlocks<Count>; ++block) {
    const Count* const of_block = &uses[block * used_ * kInBlock];
    std::array<Count, kInBlock> drawn{}, rank{};
    for (const uint32_t place : order) {
      const Count* const lanes = of_block + std::size_t{place} * kInBlock;
      // Two loops: of one, gcc makes no vector instructions.
      for (std::size_t lane = 0; lane < kInBlock; ++lane) {
        drawn[lane] = static_cast<Count>(drawn[lane] + lanes[lane]);
      }
      for (std::size_t lane = 0; lane < kInBlock; ++lane) {
        rank[lane] = static_cast<Count>(rank[lane] + static_cast<Count>(drawn[lane] < wanted));
      }
    }
    for (std::size_t lane = 0; lane < kInBlock; ++lane) ranks[block * kInBlock + lane] = rank[lane];
  }
  ranks.resize(kResamples);
  return ranks;
}

std::vector<uint16_t> BlockResampler::median_ranks(std::span<const uint32_t> order,
                                                   std::size_t stream) const {
  return used_ <= kMostInAByte ? ranks_by(order, small_[stream]) : ranks_by(order, large_[stream]);
}

std::vector<int64_t> BlockResampler::medians(std::span<const int64_t> values,
                                             std::size_t stream) const {
  const SortedValues sorted(chosen_of(values, used_));
  std::vector<int64_t> medians;
  for (const uint16_t rank : median_ranks(sorted.order, stream)) {
    medians.push_back(sorted.values[rank]);
  }
  return medians;
}

std::optional<ChangeInterval> median_change_interval(std::span<const int64_t> before,
                                                     const BlockResampler& resampler_before,
                                                     std::span<const int64_t> after,
                                                     const BlockResampler& resampler_after) {
  const SortedValues from(before), to(after);
  return interval_of({before, from, resampler_before}, {after, to, resampler_after});
}

std::optional<MedianInterval> median_interval(std::span<const int64_t> values,
                                              const BlockResampler& resampler) {
  if (values.size() < kFewestForStatistics) return std::nullopt;
  const SortedValues sorted(values);
  if (values.size() < kFewestForBootstrap) {
    const auto [low, high] = median_bounds(sorted.values);
    return MedianInterval{low, high};
  }
  std::vector<int64_t> medians = resampler.medians(values);
  std::ranges::sort(medians);
  constexpr auto kOutside = static_cast<std::size_t>(kIntervalTail * BlockResampler::kResamples);
  return MedianInterval{medians[kOutside], medians[medians.size() - 1 - kOutside]};
}

double RunFloor::limit(double p, std::size_t rows) const {
  const double one = is_learned() ? t_quantile(p / 2, captures - 1) : normal_quantile(p / 2);
  // A t distribution of few captures would ask for tens of deviations: rows widen it as they widen
  // the normal distribution.
  const double wider =
      rows <= 1 ? 1 : normal_quantile(p / 2 / static_cast<double>(rows)) / normal_quantile(p / 2);
  return deviation * one * wider;
}

RunFloor learned_floor(std::span<const double> medians) {
  RunFloor floor;
  std::vector<double> logs;
  for (const double median : medians) {
    if (median > 0) logs.push_back(std::log(median));
  }
  floor.captures = static_cast<int64_t>(logs.size());
  if (!floor.is_learned()) return floor;
  const auto count = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  floor.deviation = std::sqrt(2 * squares / (count - 1));
  return floor;
}

std::string_view to_text(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kTexts{"slower", "faster", "no difference",
                                                   "inconclusive"};
  return kTexts[static_cast<std::size_t>(verdict)];
}

double ValueChange::change() const {
  return change_from(before, after);
}

std::vector<ValueChange> judge_rows(const std::vector<RowValues>& rows, const RunFloor& floor) {
  std::map<std::size_t, BlockResampler> resamplers;
  for (const RowValues& row : rows) {
    resamplers.try_emplace(row.before.size(), row.before.size());
    resamplers.try_emplace(row.after.size(), row.after.size());
  }
  std::vector<ValueChange> changes(rows.size());
  base::parallel_for(rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto& [before, after] = rows[i];
      if (before.empty() || after.empty()) continue;
      const SortedValues sorted_before(before), sorted_after(after);
      const ResampledValues from{before, sorted_before, resamplers.at(before.size())},
          to{after, sorted_after, resamplers.at(after.size())};
      changes[i].before = sorted_before.median();
      changes[i].after = sorted_after.median();
      if (std::min(before.size(), after.size()) < kFewestForStatistics) continue;
      changes[i].p = p_of(from, to);
      changes[i].interval = interval_of(from, to);
    }
  });
  std::vector<double> p;
  for (const ValueChange& change : changes) p.push_back(change.p);
  const std::vector<double> q = false_discovery_rates(p);
  const double beyond = floor.limit(kVerdictP, rows.size()), within = floor.limit();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ValueChange& change = changes[i];
    change.q = q[i];
    if (!change.interval) continue;
    const auto& [low, high] = *change.interval;
    const bool differs = change.p < kVerdictP && change.q < kFalseDiscoveryRate;
    // A share of the smaller value, so that both directions are alike.
    if (differs && low > beyond) change.verdict = Verdict::slower;
    if (differs && 1 / (1 + high) - 1 > beyond) change.verdict = Verdict::faster;
    if (high <= within && 1 / (1 + low) - 1 <= within) change.verdict = Verdict::no_difference;
  }
  return changes;
}

std::optional<int64_t> iterations_needed(const ValueChange& row, int64_t iterations,
                                         const RunFloor& floor, std::size_t rows) {
  if (!row.interval) {
    constexpr auto kFew = static_cast<int64_t>(kFewestForBootstrap);
    return iterations < kFew ? std::optional(kFew) : std::nullopt;
  }
  // Logarithms, so that both directions are alike.
  const bool is_less = row.change() < 0;
  const double change = std::abs(std::log1p(row.change()));
  const double low = is_less ? -std::log1p(row.interval->high) : std::log1p(row.interval->low),
               high = is_less ? -std::log1p(row.interval->low) : std::log1p(row.interval->high);
  if (!std::isfinite(change) || !std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  const double beyond = std::log1p(floor.limit(kVerdictP, rows)),
               within = std::log1p(floor.limit());
  // The distances of both bounds fall with the square root of the iterations.
  double times = 0;
  if (change > beyond) {
    times = (change - low) / (change - beyond);
  } else if (change < within) {
    times = std::max((high - change) / (within - change), (change - low) / (within + change));
  } else {
    return std::nullopt;
  }
  constexpr double kMostTimes = 100;
  if (times * times > kMostTimes) return std::nullopt;
  const auto wanted =
      static_cast<int64_t>(std::ceil(static_cast<double>(iterations) * times * times));
  return std::max(wanted, iterations + 1);
}

}  // namespace dlview::aggregate
