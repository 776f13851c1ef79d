// KeptSweep: how long a device was busy with events that filters keep, for all levels at once and
// without a branch for each. Levels that hold the same events are swept once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "aggregate/cpu/kept.h"
#include "aggregate/engine/coverage.h"

namespace dlview::aggregate::cpu {

// The different ones among the levels of the GPU, numbered.
class KeptLevels {
 public:
  // `levels` by cell, as TimeOrder::levels().
  KeptLevels(const std::vector<Levels>& levels, const Kept& kept);

  std::size_t size() const { return size_; }
  // Bit n: events of the cell count in level number n. 0 = they are left out.
  uint8_t bits_of(std::size_t cell) const { return bits_[cell]; }
  // size() for each cell: all bits where events of it count in that level, else none.
  const uint32_t* masks() const { return masks_.data(); }
  // From times by number.
  Coverage coverage(const int64_t* ns) const;

 private:
  static constexpr uint8_t kNone = 0xff;
  std::vector<uint8_t> bits_;
  std::vector<uint32_t> masks_;
  std::array<uint8_t, kLevelCount> number_{};  // kNone = no event counts in the level
  std::size_t size_ = 0;
};

// Sums events in order of their start, in the first N of the numbered levels.
template <std::size_t N>
class KeptSweep {
 public:
  // No event starts before this.
  explicit KeptSweep(int64_t start_ns) { reached_ns_.fill(start_ns); }

  void add(uint8_t bits, int64_t start_ns, int64_t stop_ns) {
    for (std::size_t n = 0; n < N; ++n) {
      const int64_t end_ns = ((bits >> n) & 1) != 0 ? stop_ns : kNever;
      const int64_t before_ns = reached_ns_[n];
      reached_ns_[n] = std::max(before_ns, end_ns);
      covered_ns_[n] += std::max<int64_t>(reached_ns_[n] - std::max(start_ns, before_ns), 0);
    }
  }
  // Up to this time; every event that starts before it has been added, and no other.
  std::array<int64_t, N> before(int64_t time_ns) const {
    std::array<int64_t, N> result;
    for (std::size_t n = 0; n < N; ++n) {
      result[n] = covered_ns_[n] - (std::max(reached_ns_[n], time_ns) - time_ns);
    }
    return result;
  }
  const std::array<int64_t, N>& total() const { return covered_ns_; }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
  std::array<int64_t, N> covered_ns_{}, reached_ns_;
};

}  // namespace dlview::aggregate::cpu
