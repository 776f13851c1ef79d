// BusyTimes: when a GPU does anything, kernels and memory operations, overlaps counted once, so
// that the busy part of every pixel column is known to the nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "timeline/time_window.h"

namespace dlview::timeline {

class BusyTimes {
 public:
  explicit BusyTimes(std::shared_ptr<const base::IntervalSet> busy);

  // How long nothing has run when work starts at this time; empty where something runs, nothing
  // before the first work.
  std::optional<base::Interval> idle_before(int64_t time_ns) const;
  // That between two pieces of work which holds the time; nothing where something runs, before the
  // first and behind the last.
  std::optional<base::Interval> gap_at(int64_t time_ns) const;
  // Of each column of the window.
  std::vector<int64_t> by_column(const ColumnTimes& columns) const;

 private:
  static constexpr std::size_t kBlock = 8;  // intervals
  struct Block {
    int64_t start_ns = 0, busy_before_ns = 0;
  };
  std::size_t blocks_before(int64_t time_ns) const;
  int64_t busy_before_ns(int64_t time_ns, std::size_t blocks) const;

  std::shared_ptr<const base::IntervalSet> busy_;
  std::vector<Block> blocks_;
  // How many blocks begin before the time of each cell, and before the end of the last one: cells
  // are 2^shift_ ns, and about as many as blocks.
  std::vector<uint32_t> cells_;
  int shift_ = 0;
};

// Columns [first, behind).
struct ColumnSpan {
  int32_t first = 0, behind = 0;
  int32_t columns() const { return behind - first; }
  bool operator==(const ColumnSpan&) const = default;
};

// Of by_column(): the spans of at least so many columns in which nothing runs.
std::vector<ColumnSpan> idle_spans(const std::vector<int64_t>& busy, int32_t least);

}  // namespace dlview::timeline
