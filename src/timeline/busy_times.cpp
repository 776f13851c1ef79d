#include "timeline/busy_times.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace dlview::timeline {

BusyTimes::BusyTimes(std::shared_ptr<const base::IntervalSet> busy) : busy_(std::move(busy)) {
  const std::span<const base::Interval> intervals = busy_->intervals();
  if (intervals.empty()) return;
  blocks_.reserve(intervals.size() / kBlock + 1);
  int64_t total = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i % kBlock == 0) blocks_.push_back({intervals[i].start_ns, total});
    total += intervals[i].stop_ns - intervals[i].start_ns;
  }
  const int64_t first_ns = blocks_.front().start_ns;
  const auto length = static_cast<uint64_t>(blocks_.back().start_ns - first_ns);
  shift_ = std::bit_width(length / blocks_.size());
  cells_.resize((length >> shift_) + 2);
  std::size_t block = 0;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    while (block < blocks_.size() &&
           static_cast<uint64_t>(blocks_[block].start_ns - first_ns) >> shift_ < cell) {
      ++block;
    }
    cells_[cell] = static_cast<uint32_t>(block);
  }
}

// What begins at the time has nothing before it.
std::size_t BusyTimes::blocks_before(int64_t time_ns) const {
  if (blocks_.empty() || time_ns <= blocks_.front().start_ns) return 0;
  const auto since = static_cast<uint64_t>(time_ns - blocks_.front().start_ns);
  const auto cell = static_cast<std::size_t>(since >> shift_);
  if (cell + 1 >= cells_.size()) return blocks_.size();
  const std::span<const Block> near =
      std::span(blocks_).subspan(cells_[cell], cells_[cell + 1] - cells_[cell]);
  const auto behind = std::ranges::lower_bound(near, time_ns, {}, &Block::start_ns);
  return cells_[cell] + static_cast<std::size_t>(behind - near.begin());
}

// `blocks` begin before the time.
int64_t BusyTimes::busy_before_ns(int64_t time_ns, std::size_t blocks) const {
  if (blocks == 0) return 0;
  const std::span<const base::Interval> intervals = busy_->intervals();
  int64_t busy = blocks_[blocks - 1].busy_before_ns;
  const std::size_t last = std::min(intervals.size(), blocks * kBlock);
  for (std::size_t i = (blocks - 1) * kBlock; i < last && intervals[i].start_ns < time_ns; ++i) {
    busy += std::min(intervals[i].stop_ns, time_ns) - intervals[i].start_ns;
  }
  return busy;
}

std::optional<base::Interval> BusyTimes::idle_before(int64_t time_ns) const {
  const std::span<const base::Interval> intervals = busy_->intervals();
  const auto behind = std::ranges::lower_bound(intervals, time_ns, {}, &base::Interval::start_ns);
  if (behind == intervals.begin()) return std::nullopt;
  return base::Interval{std::min((behind - 1)->stop_ns, time_ns), time_ns};
}

std::optional<base::Interval> BusyTimes::gap_at(int64_t time_ns) const {
  const std::span<const base::Interval> intervals = busy_->intervals();
  const auto behind = std::ranges::upper_bound(intervals, time_ns, {}, &base::Interval::start_ns);
  if (behind == intervals.begin() || behind == intervals.end()) return std::nullopt;
  const base::Interval gap{(behind - 1)->stop_ns, behind->start_ns};
  return gap.start_ns <= time_ns ? std::optional(gap) : std::nullopt;
}

// One step after the other for all columns, for each is a walk through memory: so the processor
// takes many of them at once.
std::vector<int64_t> BusyTimes::by_column(const ColumnTimes& columns) const {
  const auto count = static_cast<std::size_t>(columns.columns());
  std::vector<base::Interval> shown(count);
  std::vector<std::size_t> blocks(count);
  for (std::size_t i = 0; i < count; ++i) {
    shown[i] = columns.shown(static_cast<int32_t>(i));
    blocks[i] = blocks_before(shown[i].stop_ns);
  }
  std::vector<int64_t> busy(count);
  for (std::size_t i = 0; i < count; ++i) busy[i] = busy_before_ns(shown[i].stop_ns, blocks[i]);
  // Columns narrower than a ns show the one that they are a part of.
  int64_t before_ns = 0, reached_ns = shown.empty() ? 0 : shown.front().start_ns - 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (shown[i].start_ns != reached_ns) {
      before_ns = busy_before_ns(shown[i].start_ns, blocks_before(shown[i].start_ns));
    }
    reached_ns = shown[i].stop_ns;
    busy[i] -= std::exchange(before_ns, busy[i]);
  }
  return busy;
}

std::vector<ColumnSpan> idle_spans(const std::vector<int64_t>& busy, int32_t least) {
  std::vector<ColumnSpan> spans;
  const auto columns = static_cast<int32_t>(busy.size());
  for (int32_t column = 0; column < columns; ++column) {
    ColumnSpan span{column, column};
    while (span.behind < columns && busy[static_cast<std::size_t>(span.behind)] == 0) ++span.behind;
    if (span.columns() > 0 && span.columns() >= least) spans.push_back(span);
    column = span.behind;
  }
  return spans;
}

}  // namespace dlview::timeline
