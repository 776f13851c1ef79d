// Why a rank is slower than its peers: by category, adding up to the difference of own work.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "aggregate/breakdown.h"
#include "ranks/rank_times.h"
#include "ranks/stragglers.h"

namespace dlview::ranks {

// What makes a rank slower than the median of its peers: means over the iterations, in ns, that add
// up to the difference of own work.
struct Why {
  // By category; other kernels without exposed communication.
  std::array<double, aggregate::kCategoryCount> parts_ns{};
  std::array<double, aggregate::kCategoryCount> usual_ns{};  // of the median peer, likewise
  double exposed_transfer_ns = 0;  // exposed communication but for the exposed wait
  double difference_ns = 0;        // of own work

  // 1.06: kernels with and without Tensor Cores take as much longer, and explain half of the
  // difference or more, as with lower clocks. nullopt = they do not, or there is one kind only.
  std::optional<double> factor_of_kernels() const;
};
// Both are over the stretch in which the stragglers are slow, if there is one.
Why why_slower(const RankTimes& times, const Stragglers& found, std::size_t rank);
// The same of the straggler of each iteration that has one of these, which ascend: means over such
// iterations.
Why why_slower(const RankTimes& times, const Stragglers& found,
               const std::vector<std::size_t>& ranks);

}  // namespace dlview::ranks
