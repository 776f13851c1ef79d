#include "aggregate/exclusive/lanes.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/parallel_algorithms.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using profile::Row;

// Turns the spans of each rank into disjoint ones, in order of start.
std::vector<RankedSpan> disjoint_in_ranks(const std::vector<RankedSpan>& spans) {
  uint32_t ranks = 0;
  for (const RankedSpan& ranked : spans) ranks = std::max(ranks, ranked.rank + 1);
  std::vector<int64_t> reached_ns(ranks, std::numeric_limits<int64_t>::min());
  std::vector<RankedSpan> disjoint;
  for (const RankedSpan& ranked : spans) {
    int64_t& reached = reached_ns[ranked.rank];
    RankedSpan own = ranked;
    own.span.start_ns = std::max(own.span.start_ns, reached);
    if (own.span.start_ns >= own.span.stop_ns) continue;
    reached = own.span.stop_ns;
    disjoint.push_back(own);
  }
  std::ranges::stable_sort(disjoint, {},
                           [](const RankedSpan& ranked) { return ranked.span.start_ns; });
  return disjoint;
}

}  // namespace

HostLane owners_by_rank(const std::vector<RankedSpan>& spans) {
  const std::vector<RankedSpan> disjoint = disjoint_in_ranks(spans);
  base::stop_point();
  const auto comes_later = [&](std::size_t a, std::size_t b) {
    return disjoint[a].rank > disjoint[b].rank;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(comes_later)> active(
      comes_later);
  HostLane lane;
  std::size_t next = 0;
  int64_t now_ns = std::numeric_limits<int64_t>::min();
  while (next < disjoint.size() || !active.empty()) {
    if (active.empty()) now_ns = disjoint[next].span.start_ns;
    for (; next < disjoint.size() && disjoint[next].span.start_ns <= now_ns; ++next) {
      active.push(next);
    }
    const LaneSegment& owner = disjoint[active.top()].span;
    if (owner.stop_ns <= now_ns) {
      active.pop();
      continue;
    }
    int64_t until_ns = owner.stop_ns;
    if (next < disjoint.size()) until_ns = std::min(until_ns, disjoint[next].span.start_ns);
    if (!lane.empty() && lane.back().stop_ns == now_ns && lane.back().cell == owner.cell) {
      lane.back().stop_ns = until_ns;
    } else {
      lane.push_back({now_ns, until_ns, owner.cell});
    }
    now_ns = until_ns;
  }
  return lane;
}

EventLane::EventLane(std::span<const int64_t> starts_ns, std::span<const int64_t> stops_ns,
                     std::span<const Row> cells, uint32_t first_cell, base::LargeVector<Row> rows)
    : starts_ns_(starts_ns),
      stops_ns_(stops_ns),
      cells_(cells),
      first_cell_(first_cell),
      rows_(std::move(rows)) {
  std::erase_if(rows_, [&](Row row) { return stops_ns_[row] <= starts_ns_[row]; });
  const auto starts_before = [&](Row a, Row b) {
    return starts_ns_[a] != starts_ns_[b] ? starts_ns_[a] < starts_ns_[b] : a < b;
  };
  if (!std::is_sorted(rows_.begin(), rows_.end(), starts_before)) {
    base::parallel_sort(rows_.begin(), rows_.end(), starts_before);
  }
  int64_t reached_ns = std::numeric_limits<int64_t>::min();
  for (const Row row : rows_) {
    if (stops_ns_[row] <= reached_ns) continue;
    reached_ns = stops_ns_[row];
    owners_.push_back(row);
  }
}

}  // namespace dlview::aggregate
