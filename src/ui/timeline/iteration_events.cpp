#include "ui/timeline/iteration_events.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;

bool shows_anything(const Line& line, const Events& source, const base::Interval& time) {
  const std::size_t first = line.first_visible(time.start_ns, source);
  return first < line.size() && source.start_ns(line[first]) < time.stop_ns;
}

// Up to the last one that shows anything: boxes lie below those that hold them.
std::size_t count_lines(const Lane& lane, const Events& source,
                        const std::vector<base::Interval>& times) {
  std::size_t count = lane.lines.size();
  const auto is_empty = [&](const Line& line) {
    return std::ranges::none_of(
        times, [&](const base::Interval& time) { return shows_anything(line, source, time); });
  };
  while (count > 0 && is_empty(lane.lines[count - 1])) --count;
  return count;
}

}  // namespace

IterationEvents::IterationEvents(const Profile& profile, const aggregate::Iteration& iteration)
    : iteration_(iteration),
      time_{iteration.start_ns, iteration.stop_ns},
      reach_{iteration.start_ns, iteration.stop_ns} {
  const auto reach = [&](const profile::Column<int64_t>& starts,
                         const profile::Column<Row>& first_row) {
    const Row last = first_row[iteration.last_instance];
    for (Row row = first_row[iteration.first_instance]; row < last; ++row) {
      reach_.start_ns = std::min(reach_.start_ns, starts[row]);
      reach_.stop_ns = std::max(reach_.stop_ns, starts[row]);
    }
  };
  const auto work_until = [&](const profile::Column<int64_t>& stops,
                              const profile::Column<Row>& first_row) {
    const Row last = first_row[iteration.last_instance];
    for (Row row = first_row[iteration.first_instance]; row < last; ++row) {
      time_.stop_ns = std::max(time_.stop_ns, stops[row]);
    }
  };
  const profile::OpInstances& instances = profile.instances;
  reach(profile.kernels.gpu_start_ns, instances.first_kernel);
  reach(profile.kernels.api_start_ns, instances.first_kernel);
  reach(profile.memory_ops.gpu_start_ns, instances.first_memory_op);
  reach(profile.memory_ops.api_start_ns, instances.first_memory_op);
  reach(profile.syncs.api_start_ns, instances.first_sync);
  reach(profile.api_calls.api_start_ns, instances.first_api_call);
  work_until(profile.kernels.gpu_stop_ns, instances.first_kernel);
  work_until(profile.memory_ops.gpu_stop_ns, instances.first_memory_op);
  const auto rows_of = [this](EventKind kind) -> Rows& {
    return rows_[static_cast<std::size_t>(kind)];
  };
  const auto rows = [&](const profile::Column<Row>& first) {
    return Rows{first[iteration.first_instance], first[iteration.last_instance],
                first[instances.size()]};
  };
  rows_of(EventKind::op) = {iteration.first_instance, iteration.last_instance,
                            static_cast<Row>(instances.size())};
  rows_of(EventKind::kernel) = rows_of(EventKind::launch) = rows(instances.first_kernel);
  rows_of(EventKind::memory_op) = rows_of(EventKind::memory_call) = rows(instances.first_memory_op);
  rows_of(EventKind::sync) = rows(instances.first_sync);
  rows_of(EventKind::api_call) = rows(instances.first_api_call);
}

// Rows of the tables follow those of their op instances.
bool IterationEvents::contains(const Events& source, EventRef event) const {
  const Rows& rows = rows_[static_cast<std::size_t>(event.kind)];
  if (event.row < rows.of_none) return event.row >= rows.first && event.row < rows.behind;
  const int64_t start_ns = source.start_ns(event);
  const base::Interval on_host = iteration_.host_time();
  return start_ns >= on_host.start_ns && start_ns <= on_host.stop_ns;
}

LineCounts count_lines(const Lanes& lanes, const std::vector<base::Interval>& times) {
  LineCounts counts;
  for (const LaneGroup& group : lanes.groups) {
    std::vector<std::size_t>& of_group = counts.emplace_back();
    for (const Lane& lane : group.lanes) {
      of_group.push_back(count_lines(lane, lanes.events, times));
    }
    const bool is_shown =
        std::ranges::any_of(of_group, [](std::size_t count) { return count > 0; });
    for (std::size_t lane = 0; lane < group.lanes.size(); ++lane) {
      if (group.lanes[lane].kind == LaneKind::busy) of_group[lane] = is_shown ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace dlview::ui::timeline
