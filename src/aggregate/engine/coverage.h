// Coverage: the busy time of a device before a time, for nested sets of activities. Each set
// contains the one before, so the exclusive time of a category is the difference of two. No set is
// stored as intervals, and one pass over events in order of time fills all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "aggregate/breakdown.h"
#include "aggregate/communication.h"

namespace dlview::aggregate {

enum class Level : uint8_t {
  tensor_core_kernels,
  kernels,          // and all others
  gpu,              // and memory operations
  gpu_data_loader,  // or the host loads data
  gpu_io,           // or the host reads or writes (io_intervals)
  gpu_host,         // or the host runs any op
  communication,    // not nested: communication kernels
  computation,      // and those that do not
};
inline constexpr std::size_t kLevelCount = 8;

// A set of levels: those that an event counts in.
using Levels = uint8_t;
constexpr Levels level_bit(Level level) {
  return static_cast<Levels>(1U << static_cast<unsigned>(level));
}
// The nested levels from this one on.
constexpr Levels from_level(Level level) {
  return static_cast<Levels>(0x3fU & (0x3fU << static_cast<unsigned>(level)));
}
inline constexpr Levels kHostLevels =
    level_bit(Level::gpu_data_loader) | level_bit(Level::gpu_io) | level_bit(Level::gpu_host);

struct Coverage {
  std::array<int64_t, kLevelCount> ns{};
  bool operator==(const Coverage&) const = default;

  int64_t operator[](Level level) const { return ns[static_cast<std::size_t>(level)]; }
  Coverage& operator+=(const Coverage& more) {
    for (std::size_t l = 0; l < kLevelCount; ++l) ns[l] += more.ns[l];
    return *this;
  }
};

// Returns the breakdown between two times from their coverages. It has no Other and no I/O of
// stored aggregations. A span that ends before it begins is empty.
Breakdown breakdown_between(const Coverage& start, const Coverage& stop);
CommunicationTime communication_between(const Coverage& start, const Coverage& stop);

// Sums events in order of their start.
class Sweep {
 public:
  void add(Levels levels, int64_t start_ns, int64_t stop_ns) {
    if (stop_ns <= start_ns) return;
    for (; levels != 0; levels &= static_cast<Levels>(levels - 1)) {
      const auto l = static_cast<std::size_t>(std::countr_zero(levels));
      covered_ns_[l] += std::max<int64_t>(stop_ns - std::max(start_ns, reached_ns_[l]), 0);
      reached_ns_[l] = std::max(reached_ns_[l], stop_ns);
    }
  }
  // Up to this time; every event that starts before it has been added, and no other.
  Coverage before(int64_t time_ns) const {
    Coverage result;
    for (std::size_t l = 0; l < kLevelCount; ++l) {
      result.ns[l] = covered_ns_[l] - (std::max(reached_ns_[l], time_ns) - time_ns);
    }
    return result;
  }
  // Returns the total of everything added.
  Coverage total() const { return {covered_ns_}; }
  int64_t reached_ns(Level level) const { return reached_ns_[static_cast<std::size_t>(level)]; }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
  std::array<int64_t, kLevelCount> covered_ns_{};
  std::array<int64_t, kLevelCount> reached_ns_{kNever, kNever, kNever, kNever,
                                               kNever, kNever, kNever, kNever};
};

}  // namespace dlview::aggregate
