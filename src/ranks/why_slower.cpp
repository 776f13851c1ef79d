#include "ranks/why_slower.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "ranks/iteration_columns.h"
#include "ranks/peers.h"

namespace dlview::ranks {
namespace {

// Of equal values the one that is in the middle when they are sorted by place, too.
std::size_t place_of_median(const std::vector<int64_t>& values, int64_t median) {
  const auto less = std::ranges::count_if(values, [=](int64_t value) { return value < median; });
  auto before = static_cast<std::ptrdiff_t>((values.size() - 1) / 2) - less;
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (values[place] == median && before-- == 0) return place;
  }
  return 0;
}

// `slow`: the row of a rank for each iteration; -1 = none. A rank whose wait is not known says
// nothing where that of a peer is.
Why why_of(const RankTimes& times, const Stragglers& found, const std::vector<int64_t>& slow) {
  RankSets peers;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    const std::size_t set = found.ranks[rank].peers;
    if (set >= peers.size()) peers.resize(set + 1);
    peers[set].push_back(rank);
  }
  // Of each iteration the peer whose own work is the median one.
  constexpr std::size_t kNoRank = SIZE_MAX;
  std::vector<std::size_t> usual(slow.size(), kNoRank);
  base::parallel_for(slow.size(), kIterationsAtOnce, [&](std::size_t first, std::size_t last) {
    IterationColumns columns(times);
    std::vector<int64_t> own;
    std::vector<std::size_t> ranks;
    for (std::size_t begin = first; begin < last; begin += kIterationsAtOnce) {
      const std::size_t end = std::min(begin + kIterationsAtOnce, last);
      columns.read(begin, end);
      const bool are_known = columns.all_waits_are_known();
      for (std::size_t i = begin; i < end; ++i) {
        if (slow[i] < 0) continue;
        const auto& all = peers[found.ranks[static_cast<std::size_t>(slow[i])].peers];
        own.clear();
        ranks.clear();
        const auto is_known = [&](std::size_t rank) { return times.wait_ns.at(rank, i) >= 0; };
        const bool is_any_known = are_known || std::ranges::any_of(all, is_known);
        if (is_any_known && !is_known(static_cast<std::size_t>(slow[i]))) continue;
        for (const std::size_t peer : all) {
          if (is_any_known && !are_known && !is_known(peer)) continue;
          own.push_back(columns.own_ns(i)[peer]);
          ranks.push_back(peer);
        }
        const bool is_found = are_known && all.size() == times.ranks.size() &&
                              found.median_own_ns.size() == slow.size();
        const int64_t median = is_found ? found.median_own_ns[i] : lower_median(own);
        usual[i] = ranks[place_of_median(own, median)];
      }
    }
  });
  Why why;
  std::vector<RankCell> its, medians;
  double exposed_wait = 0;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    if (slow[i] < 0 || usual[i] == kNoRank) continue;
    const auto rank = static_cast<std::size_t>(slow[i]);
    its.push_back({rank, i});
    medians.push_back({usual[i], i});
    const auto add = [&](double& sum, const auto& value_of) {
      sum += static_cast<double>(value_of(rank) - value_of(usual[i]));
    };
    add(exposed_wait, [&](std::size_t row) {
      return std::max<int64_t>(times.least_exposed_wait_ns.at(row, i), 0);
    });
    add(why.difference_ns, [&](std::size_t row) { return times.own_ns(row, i); });
  }
  const auto count = static_cast<double>(std::max<std::size_t>(its.size(), 1));
  const RankSums slower = sum_of(times, std::move(its)), other = sum_of(times, std::move(medians));
  for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
    why.parts_ns[part] = slower.parts_ns[part] - other.parts_ns[part];
    why.usual_ns[part] = other.parts_ns[part] / count;
    const bool has_communication =
        part == static_cast<std::size_t>(aggregate::Category::other_kernels);
    if (has_communication) {
      why.parts_ns[part] -= slower.exposed_ns - other.exposed_ns;
      why.usual_ns[part] -= other.exposed_ns / count;
    }
    why.parts_ns[part] /= count;
  }
  why.exposed_transfer_ns = (slower.exposed_ns - other.exposed_ns - exposed_wait) / count;
  why.difference_ns /= count;
  return why;
}

}  // namespace

std::optional<double> Why::factor_of_kernels() const {
  // Apart by less than a tenth of what they take longer; a kind with less of the time tells
  // nothing.
  constexpr double kMostApart = 0.1, kLeastShare = 0.02, kLeastFactor = 1.005;
  const auto of = [](const auto& parts, aggregate::Category category) {
    return parts[static_cast<std::size_t>(category)];
  };
  using enum aggregate::Category;
  const double cores_ns = of(usual_ns, tensor_core_kernels),
               others_ns = of(usual_ns, other_kernels);
  const double usual = cores_ns + others_ns;
  const double longer = of(parts_ns, tensor_core_kernels) + of(parts_ns, other_kernels);
  if (usual <= 0 || std::min(cores_ns, others_ns) < kLeastShare * usual ||
      2 * longer < difference_ns)
    return {};
  const double cores = of(parts_ns, tensor_core_kernels) / cores_ns;
  const double others = of(parts_ns, other_kernels) / others_ns;
  const double factor = 1 + longer / usual;
  if (factor < kLeastFactor) return {};
  if (std::abs(cores - others) > kMostApart * (factor - 1)) return {};
  return factor;
}

namespace {

constexpr int64_t kNoStraggler = -1;

// Returns `slow` with iterations outside the stretch set to kNoStraggler.
std::vector<int64_t> in_stretch(const Stragglers& found, std::vector<int64_t> slow) {
  if (!found.stretch) return slow;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    if (i < found.stretch->first || i >= found.stretch->end) slow[i] = kNoStraggler;
  }
  return slow;
}

}  // namespace

Why why_slower(const RankTimes& times, const Stragglers& found, std::size_t rank) {
  std::vector<int64_t> slow(times.numbers.size(), static_cast<int64_t>(rank));
  return why_of(times, found, in_stretch(found, std::move(slow)));
}

Why why_slower(const RankTimes& times, const Stragglers& found,
               const std::vector<std::size_t>& ranks) {
  std::vector<int64_t> slow(found.straggler.begin(), found.straggler.end());
  for (int64_t& rank : slow) {
    const bool is_one =
        rank >= 0 && std::ranges::binary_search(ranks, static_cast<std::size_t>(rank));
    if (!is_one) rank = kNoStraggler;
  }
  return why_of(times, found, in_stretch(found, std::move(slow)));
}

}  // namespace dlview::ranks
