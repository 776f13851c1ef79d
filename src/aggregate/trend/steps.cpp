#include "aggregate/trend/steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>

namespace dlview::aggregate {
namespace {

// A step has a place and a level: two parameters of Schwarz's criterion, and one more because the
// place is the best of all.
constexpr double kParameters = 3;
constexpr double kStepP = 0.01;
// Half of it: what stands out is looked for several times in a level.
constexpr double kStandoutP = 0.005;
constexpr double kLeastTail = 1e-12;
constexpr std::size_t kStandoutShare = 4;  // of a level, at most one of so many
// E|x| and the median of |x| of a normal distribution, and the error of a median, in deviations.
constexpr double kMeanOff = 0.7979, kMedianOff = 0.6745, kMedianError = 1.2533;
constexpr std::size_t kFewestToLearn = 10;

// The middle values of a sequence to which values are added one by one, and the sum of |value -
// median|.
class RunningMedian {
 public:
  void add(double value) {
    if (low_.empty() || value <= low_.top()) {
      low_.push(value);
      low_sum_ += value;
    } else {
      high_.push(value);
      high_sum_ += value;
    }
    if (low_.size() > high_.size() + 1) {
      move(low_, low_sum_, high_, high_sum_);
    } else if (high_.size() > low_.size()) {
      move(high_, high_sum_, low_, low_sum_);
    }
  }
  double deviations() const {
    const double median = low_.top();
    const double sum = median * static_cast<double>(low_.size()) - low_sum_ + high_sum_ -
                       median * static_cast<double>(high_.size());
    return std::max(sum, 0.0);
  }

 private:
  template <typename From, typename To>
  static void move(From& from, double& from_sum, To& to, double& to_sum) {
    const double value = from.top();
    from.pop();
    from_sum -= value;
    to.push(value);
    to_sum += value;
  }

  std::priority_queue<double> low_;  // one more than high_, or as many
  std::priority_queue<double, std::vector<double>, std::greater<>> high_;
  double low_sum_ = 0, high_sum_ = 0;
};

// The two middle values; of an odd count twice the same.
std::pair<double, double> middle_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {sorted[(sorted.size() - 1) / 2], sorted[sorted.size() / 2]};
}

double median_value(std::span<const double> values) {
  const auto [low, high] = middle_of(values);
  return low + (high - low) / 2;
}

TrendLevel level_of(std::span<const double> values, std::size_t first, std::size_t end) {
  return {first, end, median_value(values.subspan(first, end - first))};
}

double deviations_from(std::span<const double> values, const std::vector<TrendLevel>& levels) {
  double sum = 0;
  for (const TrendLevel& level : levels) {
    for (std::size_t i = level.first; i < level.end; ++i) sum += std::abs(values[i] - level.value);
  }
  return sum;
}

// A hundredth of the largest value above 0: what comes and goes near 0 is noise.
double offset_of(double least_value, double most_value) {
  return least_value > 0 ? 0 : most_value / 100;
}

// Logarithms of a capture's value and interval.
struct LogValue {
  std::size_t at = 0;
  double value = 0, low = 0, high = 0;
  // How far the whole interval lies from a value.
  double distance(double from) const { return std::max({low - from, from - high, 0.0}); }
};

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};
MeanAndDeviation mean_of(std::span<const LogValue> values) {
  MeanAndDeviation result;
  const auto count = static_cast<double>(values.size());
  for (const LogValue& value : values) result.mean += value.value / count;
  double squares = 0;
  for (const LogValue& value : values) {
    squares += (value.value - result.mean) * (value.value - result.mean);
  }
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

// Those of one level. `sequences`: that are looked at together; `count`: captures of one.
std::vector<LogValue> standouts_of(std::vector<LogValue> rest, std::size_t sequences,
                                   std::size_t count) {
  const std::size_t most = std::max<std::size_t>(rest.size() / kStandoutShare, 1);
  const double assumed = RunFloor{}.limit(kStandoutP, sequences * count);
  // Of how many choices of captures to leave the most extreme one is tested.
  double choices = static_cast<double>(sequences);
  std::vector<LogValue> gone, found;
  while (gone.size() < most && rest.size() >= kFewestForSteps) {
    const double middle = mean_of(rest).mean;
    const auto furthest = std::ranges::max_element(
        rest, {}, [middle](const LogValue& value) { return std::abs(value.value - middle); });
    gone.push_back(*furthest);
    rest.erase(furthest);
    choices *= static_cast<double>(count - gone.size() + 1) / static_cast<double>(gone.size());
    const double tail = std::max(kStandoutP / 2 / choices, kLeastTail);
    const MeanAndDeviation others = mean_of(rest);
    const double error = others.deviation * std::sqrt(1 + 1 / static_cast<double>(rest.size()));
    const double limit = std::max(assumed, t_quantile(tail, std::ssize(rest) - 1) * error);
    const auto is_apart = [mean = others.mean, limit](const LogValue& value) {
      return value.distance(mean) > limit;
    };
    if (!is_apart(gone.back())) continue;
    found.clear();
    std::ranges::copy_if(gone, std::back_inserter(found), is_apart);
  }
  return found;
}

// The captures of levels that stand out, in no order. `values`: of a whole sequence.
std::vector<LogValue> standouts_of(std::span<const LogValue> values,
                                   std::span<const TrendLevel> levels, std::size_t sequences) {
  std::vector<LogValue> found;
  for (const TrendLevel& level : levels) {
    if (level.size() < kFewestForSteps) continue;
    const auto of_level = values.subspan(level.first, level.size());
    const auto some = standouts_of({of_level.begin(), of_level.end()}, sequences, values.size());
    found.insert(found.end(), some.begin(), some.end());
  }
  return found;
}

// The standard deviation between captures of one state. Neighbors differ by √2 times as much, but
// for those at a step.
double noise_of_neighbors(std::span<const double> values) {
  std::vector<double> off;
  for (std::size_t i = 1; i < values.size(); ++i) {
    off.push_back(std::abs(values[i] - values[i - 1]));
  }
  return median_value(off) / kMedianOff / std::sqrt(2.0);
}

// Without the captures that stand out: one of them would hide a step.
double noise_around(std::span<const double> values, const std::vector<TrendLevel>& levels,
                    std::size_t sequences) {
  std::vector<LogValue> logs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    logs.push_back({i, values[i], values[i], values[i]});
  }
  const std::vector<LogValue> apart = standouts_of(logs, levels, sequences);
  double squares = 0;
  for (const TrendLevel& level : levels) {
    for (std::size_t i = level.first; i < level.end; ++i) {
      if (std::ranges::find(apart, i, &LogValue::at) != apart.end()) continue;
      squares += (values[i] - level.value) * (values[i] - level.value);
    }
  }
  const std::size_t known = levels.size() + apart.size();
  const std::size_t free = values.size() > known ? values.size() - known : 1;
  return std::sqrt(squares / static_cast<double>(free));
}

// Learned from the captures where there are enough; else the assumed one, or the noise that is seen
// if that is more.
RunFloor floor_of(std::span<const double> logs, const std::vector<TrendLevel>& levels,
                  std::size_t sequences) {
  RunFloor floor;
  const double seen =
      std::sqrt(2.0) * std::max(noise_of_neighbors(logs), noise_around(logs, levels, sequences));
  if (logs.size() >= kFewestToLearn + levels.size()) {
    floor.deviation = seen;
    floor.captures = static_cast<int64_t>(logs.size() - levels.size() + 1);
  } else {
    floor.deviation = std::max(floor.deviation, seen);
  }
  return floor;
}

// By how much the medians of both levels differ without any change, in differences of two captures.
double error_share(const TrendLevel& a, const TrendLevel& b) {
  const double captures = 1 / static_cast<double>(a.size()) + 1 / static_cast<double>(b.size());
  return std::min(1.0, kMedianError * std::sqrt(captures / 2));
}

// How far apart two levels are at least: their medians lie between the two middle values.
double distance_of(std::span<const double> values, const TrendLevel& a, const TrendLevel& b) {
  const auto from = middle_of(values.subspan(a.first, a.size())),
             to = middle_of(values.subspan(b.first, b.size()));
  return std::max({to.first - from.second, from.first - to.second, 0.0});
}

// The slope of a line, as the median of all slopes (Theil and Sen), and what remains of the values
// without it: deviations from the line.
struct Line {
  double slope = 0;
  std::vector<double> off;
  // From the first value to the last.
  double change() const { return slope * static_cast<double>(off.size() - 1); }
  double deviations() const {
    double sum = 0;
    for (const double value : off) sum += std::abs(value);
    return sum;
  }
};
Line line_of(std::span<const double> values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  Line line{median_value(slopes), {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    line.off.push_back(values[i] - line.slope * static_cast<double>(i));
  }
  const double middle = median_value(line.off);
  for (double& off : line.off) off -= middle;
  return line;
}

double penalty_of(double noise, std::size_t count) {
  return kParameters / 2 * kMeanOff * noise * std::log(static_cast<double>(count));
}

// Whether the line explains the values better than levels do.
bool fits_better(const Line& line, std::span<const double> values,
                 const std::vector<TrendLevel>& levels, double penalty) {
  return line.deviations() + penalty / 2 <
         deviations_from(values, levels) + penalty * static_cast<double>(levels.size() - 1);
}

// Whether logarithms drift along the line: beyond the floor, and better than any levels. Neighbors
// of a slope differ by it, which is no noise: noise is that around the line. Levels are those
// before any is merged: they need not be steps.
bool is_drift(const Line& line, std::span<const double> logs, const StepOptions& options) {
  if (line.slope == 0) return false;
  // A count without noise needs no floor.
  const bool is_exact = options.is_count && line.deviations() == 0;
  const RunFloor floor = floor_of(line.off, {{0, logs.size(), 0}}, options.sequences);
  const double limit = floor.limit(kStepP, options.sequences * logs.size());
  if (!is_exact && std::abs(line.change()) <= limit) return false;
  const double noise = std::min(noise_of_neighbors(line.off), noise_of_neighbors(logs));
  const double penalty = penalty_of(noise, logs.size());
  return fits_better(line, logs, fit_levels(logs, penalty), penalty);
}

}  // namespace

std::vector<TrendLevel> fit_levels(std::span<const double> values, double penalty) {
  const std::size_t count = values.size();
  if (count == 0) return {};
  if (count < kFewestForSteps) return {level_of(values, 0, count)};
  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t levels = 0, first = 0;  // of the last level
  };
  // By the number of values that are fitted.
  std::vector<Best> best(count + 1);
  best[0] = {-penalty, 0, 0};
  for (std::size_t first = 0; first + kFewestInLevel <= count; ++first) {
    if (!std::isfinite(best[first].cost)) continue;
    RunningMedian median;
    for (std::size_t end = first + 1; end <= count; ++end) {
      median.add(values[end - 1]);
      if (end - first < kFewestInLevel) continue;
      const Best candidate{best[first].cost + penalty + median.deviations(), best[first].levels + 1,
                           first};
      Best& known = best[end];
      if (std::pair(candidate.cost, candidate.levels) < std::pair(known.cost, known.levels)) {
        known = candidate;
      }
    }
  }
  std::vector<TrendLevel> levels;
  for (std::size_t end = count; end > 0; end = best[end].first) {
    levels.push_back(level_of(values, best[end].first, end));
  }
  std::ranges::reverse(levels);
  return levels;
}

StepFit find_steps(std::span<const double> values, const StepOptions& options) {
  StepFit result;
  if (values.empty()) return result;
  const auto [least_value, most_value] = std::ranges::minmax(values);
  if (values.size() < kFewestForSteps || least_value < 0 || most_value == 0) {
    result.levels = {level_of(values, 0, values.size())};
    return result;
  }
  const double offset = offset_of(least_value, most_value);
  // Captures differ by a share of the value: differences of logarithms.
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value + offset));
  const Line line = line_of(logs);
  if (is_drift(line, logs, options)) {
    result.drift = std::exp(line.change()) - 1;
    result.floor = floor_of(line.off, {{0, logs.size(), 0}}, options.sequences);
    result.levels = {level_of(values, 0, values.size())};
    return result;
  }
  const double penalty = penalty_of(noise_of_neighbors(logs), logs.size());
  std::vector<TrendLevel> levels = fit_levels(logs, penalty);
  result.floor = floor_of(logs, levels, options.sequences);
  const bool is_exact = options.is_count && deviations_from(logs, levels) == 0;
  if (is_exact) result.floor.deviation = 0;

  // The least sure step goes first, because its levels become one.
  const std::size_t places = options.sequences * values.size();
  const double limit = is_exact ? 0 : result.floor.limit(kStepP, places);
  while (levels.size() > 1) {
    std::size_t least = 0;
    double least_room = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
      // What is assumed does not become more certain with more captures.
      const double share = result.floor.is_learned() ? error_share(levels[i], levels[i + 1]) : 1;
      const double room = distance_of(logs, levels[i], levels[i + 1]) - limit * share;
      if (room < least_room) {
        least_room = room;
        least = i;
      }
    }
    if (least_room > 0) break;
    levels[least] = level_of(logs, levels[least].first, levels[least + 1].end);
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  if (levels.size() > 1 && !is_exact && fits_better(line, logs, levels, penalty)) {
    result.drift = std::exp(line.change()) - 1;
    levels = {level_of(logs, 0, values.size())};
  }
  for (TrendLevel& level : levels)
    result.levels.push_back(level_of(values, level.first, level.end));
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const TrendLevel &before = result.levels[i - 1], &after = result.levels[i];
    const double half = is_exact ? 0 : result.floor.limit() * error_share(levels[i - 1], levels[i]);
    const auto change = [&, offset](double factor) {
      return ((after.value + offset) * factor - offset) / before.value - 1;
    };
    result.steps.push_back({after.first,
                            before.value,
                            after.value,
                            {change(std::exp(-half)), change(std::exp(half))}});
  }
  return result;
}

std::vector<TrendStandout> find_standouts(std::span<const TrendValue> values,
                                          std::span<const TrendLevel> levels,
                                          const StepOptions& options) {
  std::vector<TrendStandout> result;
  if (values.empty()) return result;
  const auto [least, most] = std::ranges::minmax(values, {}, &TrendValue::value);
  if (values.size() < kFewestForSteps || least.value < 0 || most.value == 0) return result;
  const double offset = offset_of(least.value, most.value);
  std::vector<LogValue> logs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TrendValue& value = values[i];
    const auto log = [offset](double of) { return std::log(std::max(of, 0.0) + offset); };
    logs.push_back({i, log(value.value),
                    log(std::min(value.low.value_or(value.value), value.value)),
                    log(std::max(value.high.value_or(value.value), value.value))});
  }
  const std::vector<LogValue> found = standouts_of(logs, levels, options.sequences);
  for (const TrendLevel& level : levels) {
    std::vector<double> others;
    std::vector<std::size_t> standing;
    for (std::size_t i = level.first; i < level.end; ++i) {
      if (std::ranges::find(found, i, &LogValue::at) != found.end()) {
        standing.push_back(i);
      } else {
        others.push_back(values[i].value);
      }
    }
    if (standing.empty()) continue;
    const double usual = median_value(others);
    for (const std::size_t i : standing) result.push_back({i, usual, values[i].value});
  }
  return result;
}

}  // namespace dlview::aggregate
