#include "aggregate/limits/sample_curve.h"

#include <algorithm>

namespace dlview::aggregate {
namespace {

constexpr std::size_t kFan = 16;
constexpr std::size_t kMostDistances = 4096;

SampleCurve::Summary joined(const SampleCurve::Summary& a, const SampleCurve::Summary& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most), a.sum + b.sum};
}

// The summary of each 16 neighbors; those that are left over at the end have none.
template <typename SummaryOf>
std::vector<SampleCurve::Summary> level_above(std::size_t count, const SummaryOf& summary_of) {
  std::vector<SampleCurve::Summary> level;
  level.reserve(count / kFan);
  for (std::size_t first = 0; first + kFan <= count; first += kFan) {
    SampleCurve::Summary sum = summary_of(first);
    for (std::size_t i = first + 1; i < first + kFan; ++i) sum = joined(sum, summary_of(i));
    level.push_back(sum);
  }
  return level;
}

int64_t median_distance(std::span<const int64_t> times_ns) {
  if (times_ns.size() < 2) return 0;
  const std::size_t step = (times_ns.size() - 1 + kMostDistances - 1) / kMostDistances;
  std::vector<int64_t> distances;
  for (std::size_t i = 1; i < times_ns.size(); i += step) {
    distances.push_back(times_ns[i] - times_ns[i - 1]);
  }
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::ranges::nth_element(distances, middle);
  return *middle;
}

}  // namespace

SampleCurve::SampleCurve(std::span<const int64_t> times_ns, std::span<const double> values)
    : times_ns_(times_ns), values_(values), period_ns_(median_distance(times_ns)) {
  levels_.push_back(level_above(values.size(), [values](std::size_t i) {
    return Summary{values[i], values[i], values[i]};
  }));
  while (levels_.back().size() >= kFan) {
    const std::vector<Summary>& below = levels_.back();
    levels_.push_back(level_above(below.size(), [&below](std::size_t i) { return below[i]; }));
  }
}

std::size_t SampleCurve::until(int64_t time_ns, std::size_t near) const {
  // Doubles the distance until the answer lies between, then halves it.
  const std::size_t count = times_ns_.size();
  std::size_t low = std::min(near, count), high = low, step = 1;
  if (low < count && times_ns_[low] <= time_ns) {
    while (high < count && times_ns_[high] <= time_ns) {
      low = high + 1;
      high = count - high > step ? high + step : count;
      step *= 2;
    }
  } else {
    while (low > 0 && times_ns_[low - 1] > time_ns) {
      high = low - 1;
      low = low > step ? low - step : 0;
      step *= 2;
    }
  }
  const auto first = times_ns_.begin();
  return static_cast<std::size_t>(std::upper_bound(first + static_cast<std::ptrdiff_t>(low),
                                                   first + static_cast<std::ptrdiff_t>(high),
                                                   time_ns) -
                                  first);
}

SampleCurve::Summary SampleCurve::of(const SampleRange& range) const {
  const double first = values_[range.first];
  Summary all{first, first, 0};
  std::size_t from = range.first, to = range.end;
  for (; from < to && from % kFan != 0; ++from) {
    all = joined(all, {values_[from], values_[from], values_[from]});
  }
  while (from < to && to % kFan != 0) {
    --to;
    all = joined(all, {values_[to], values_[to], values_[to]});
  }
  from /= kFan;
  to /= kFan;
  for (std::size_t level = 0; from < to; ++level, from /= kFan, to /= kFan) {
    const std::vector<Summary>& summaries = levels_[level];
    const bool is_top = level + 1 == levels_.size();
    while (from < to && (is_top || from % kFan != 0)) all = joined(all, summaries[from++]);
    while (from < to && to % kFan != 0) all = joined(all, summaries[--to]);
  }
  return all;
}

}  // namespace dlview::aggregate
