// Lanes: which event of each part owns an instant of one GPU, before parts hide each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/engine/event_cells.h"
#include "aggregate/exclusive/parts.h"
#include "base/intervals.h"
#include "base/large_memory.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// [start_ns, stop_ns) belongs to the cell.
struct LaneSegment {
  int64_t start_ns = 0, stop_ns = 0;
  uint32_t cell = 0;
};

// Segments of the host: disjoint, in order of time. Shared by all GPUs.
using HostLane = base::LargeVector<LaneSegment>;

// Returns who owns each instant: the first rank that is active, on one rank the one that began
// first. `spans`: cell and rank of each, in order of start; empty spans own nothing.
struct RankedSpan {
  LaneSegment span;
  uint32_t rank = 0;
};
HostLane owners_by_rank(const std::vector<RankedSpan>& spans);

// The events of one kind on one GPU. A segment is an event's time after the stop of the owner
// before it.
class EventLane {
 public:
  EventLane() = default;
  // `starts_ns`, `stops_ns`, `cells`: by row; they outlive it. `rows`: in any order.
  EventLane(std::span<const int64_t> starts_ns, std::span<const int64_t> stops_ns,
            std::span<const profile::Row> cells, uint32_t first_cell,
            base::LargeVector<profile::Row> rows);

  // Events that take time, in order of start, of equal ones in order of row.
  std::span<const profile::Row> rows() const { return rows_; }
  LaneSegment event(profile::Row row) const {
    return {starts_ns_[row], stops_ns_[row], first_cell_ + cells_[row]};
  }
  std::size_t size() const { return owners_.size(); }
  LaneSegment segment(std::size_t i) const {
    LaneSegment own = event(owners_[i]);
    if (i > 0) own.start_ns = std::max(own.start_ns, stops_ns_[owners_[i - 1]]);
    return own;
  }
  int64_t stop_ns(std::size_t i) const { return stops_ns_[owners_[i]]; }

 private:
  std::span<const int64_t> starts_ns_, stops_ns_;
  std::span<const profile::Row> cells_;
  uint32_t first_cell_ = 0;
  base::LargeVector<profile::Row> rows_, owners_;
};

}  // namespace dlview::aggregate
