#include "timeline/iteration_events.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "aggregate/step_names.h"

namespace dlview::timeline {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
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

// The rows of the instance in the table that the event is of.
std::pair<Row, Row> rows_of(const Profile& profile, EventKind kind, InstanceIndex instance) {
  const profile::OpInstances& instances = profile.instances;
  const auto rows = [instance](const profile::Column<Row>& first) {
    return std::pair(first[instance], first[instance + 1]);
  };
  if (kind == EventKind::kernel || kind == EventKind::launch) return rows(instances.first_kernel);
  if (kind == EventKind::memory_op || kind == EventKind::memory_call) {
    return rows(instances.first_memory_op);
  }
  return kind == EventKind::sync ? rows(instances.first_sync) : rows(instances.first_api_call);
}

// An instance may work on several GPUs.
DeviceIndex device_of(const Profile& profile, EventRef event) {
  if (event.kind == EventKind::kernel) return profile.device_of_kernel(KernelIndex(event.row));
  if (event.kind == EventKind::memory_op) return profile.memory_ops.device[event.row];
  return {};
}

// In order of start; of equal starts from top to bottom.
using Found = std::tuple<int64_t, std::size_t, std::size_t>;  // start, line, place

// The events of this kind and name, of no op, that begin in the iteration, on one lane.
std::vector<Found> alike(const Lane& lane, const Events& source, EventRef like,
                         const aggregate::Iteration& iteration) {
  std::vector<Found> found;
  const uint64_t key = source.name_key(like);
  const base::Interval on_host = iteration.host_time();
  for (std::size_t i = 0; i < lane.lines.size(); ++i) {
    const Line& line = lane.lines[i];
    for (std::size_t at = line.first_from(on_host.start_ns, source); at < line.size(); ++at) {
      const EventRef event = line[at];
      const int64_t start_ns = source.start_ns(event);
      if (start_ns > on_host.stop_ns) break;
      if (event.kind == like.kind && source.name_key(event) == key &&
          instance_of(source.profile(), event) == instance_of(source.profile(), like)) {
        found.emplace_back(start_ns, i, at);
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

constexpr std::size_t kBetweenLooks = 4096;  // at the progress

bool is_of(const profile::Profile& profile, EventRef event, const Subject& subject) {
  if (subject.kind == Subject::Kind::kernel) {
    const EventKind kind = work_of(event).kind;
    return kind == EventKind::kernel && profile.kernels.name[event.row] == subject.id;
  }
  const InstanceIndex instance = instance_of(profile, event);
  return instance != kNoRow && profile.instances.op[instance] == subject.id;
}

void add_places(const Line& line, const Events& source, const IterationEvents& iteration,
                const Subject& subject, const base::Progress& progress,
                std::vector<uint32_t>& places) {
  std::size_t at = line.first_from(iteration.reach().start_ns, source);
  for (; at < line.size(); ++at) {
    if (at % kBetweenLooks == 0 && progress.canceled()) return;
    const EventRef event = line[at];
    if (source.start_ns(event) > iteration.reach().stop_ns) return;
    if (is_of(source.profile(), event, subject) && iteration.contains(source, event)) {
      places.push_back(static_cast<uint32_t>(at));
    }
  }
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
  const auto rows_of = [this](EventKind kind) -> std::optional<Rows>& {
    return rows_[static_cast<std::size_t>(kind)];
  };
  const auto rows = [&](const profile::Column<Row>& first) {
    return Rows{first[iteration.first_instance], first[iteration.last_instance]};
  };
  rows_of(EventKind::op) = {iteration.first_instance, iteration.last_instance};
  rows_of(EventKind::kernel) = rows_of(EventKind::launch) = rows(instances.first_kernel);
  rows_of(EventKind::memory_op) = rows_of(EventKind::memory_call) = rows(instances.first_memory_op);
  rows_of(EventKind::sync) = rows(instances.first_sync);
  rows_of(EventKind::api_call) = rows(instances.first_api_call);
  find_busy(profile);
}

void IterationEvents::find_busy(const Profile& profile) {
  std::vector<std::vector<base::Interval>> times(profile.devices.size());
  const auto add = [&](EventKind kind, const profile::Column<int64_t>& starts,
                       const profile::Column<int64_t>& stops, const auto& device_of_row) {
    const Rows& rows = *rows_[static_cast<std::size_t>(kind)];
    for (Row row = rows.first; row < rows.behind; ++row) {
      const DeviceIndex device = device_of_row(row);
      if (device < times.size()) times[device].push_back({starts[row], stops[row]});
    }
  };
  add(EventKind::kernel, profile.kernels.gpu_start_ns, profile.kernels.gpu_stop_ns,
      [&](Row row) { return profile.device_of_kernel(KernelIndex(row)); });
  add(EventKind::memory_op, profile.memory_ops.gpu_start_ns, profile.memory_ops.gpu_stop_ns,
      [&](Row row) { return profile.memory_ops.device[row]; });
  for (auto& of_device : times) {
    busy_.push_back(base::IntervalSet::union_of(std::move(of_device)));
  }
}

const base::IntervalSet& IterationEvents::busy(DeviceIndex device) const {
  static const base::IntervalSet kNone;
  return device < busy_.size() ? busy_[device] : kNone;
}

// Rows of the tables follow those of their op instances.
bool IterationEvents::contains(const Events& source, EventRef event) const {
  const std::optional<Rows>& rows = rows_[static_cast<std::size_t>(event.kind)];
  if (rows) return event.row >= rows->first && event.row < rows->behind;
  const int64_t start_ns = source.start_ns(event);
  const base::Interval on_host = iteration_.host_time();
  return start_ns >= on_host.start_ns && start_ns <= on_host.stop_ns;
}

std::optional<Place> lane_of_iterations(const Lanes& lanes,
                                        const aggregate::Iterations& iterations) {
  constexpr int64_t kParts = 100;
  const std::vector<aggregate::KeyRange>& ranges = iterations.ranges;
  if (ranges.empty()) return std::nullopt;
  const auto is_close = [](int64_t a, int64_t b, const aggregate::Iteration& iteration) {
    return std::abs(a - b) <= iteration.duration_ns() / kParts;
  };
  const auto is_shown = [&](const Line& line) {
    if (line.size() != ranges.size()) return false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (!aggregate::is_profiler_step(lanes.events.full_text(line[at]))) return false;
      const base::Interval step = lanes.events.time(line[at]);
      const aggregate::Iteration& iteration = iterations.rows[at];
      if (step != base::Interval{ranges[at].start_ns, ranges[at].stop_ns} ||
          !is_close(step.start_ns, iteration.start_ns, iteration) ||
          !is_close(step.stop_ns, iteration.stop_ns, iteration)) {
        return false;
      }
    }
    return true;
  };
  for (std::size_t group = 0; group < lanes.groups.size(); ++group) {
    const std::vector<Lane>& all = lanes.groups[group].lanes;
    for (std::size_t lane = 0; lane < all.size(); ++lane) {
      if (all[lane].kind != LaneKind::ranges || all[lane].lines.size() != 1) continue;
      if (is_shown(all[lane].lines.front())) return Place{group, lane, 0, 0};
    }
  }
  return std::nullopt;
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

EventPairs::EventPairs(std::shared_ptr<const Lanes> lanes, const aggregate::Iteration& one,
                       const aggregate::Iteration& other)
    : lanes_(std::move(lanes)), iterations_{one, other} {
  for (std::size_t side = 0; side < 2; ++side) {
    const InstanceIndex first = iterations_[side].first_instance;
    const InstanceIndex last = iterations_[side].last_instance;
    sorted_[side].reserve(last - first);
    for (InstanceIndex i = first; i < last; ++i) sorted_[side].push_back(occurrence_of(i));
    std::ranges::sort(sorted_[side]);
  }
}

EventPairs::Occurrence EventPairs::occurrence_of(InstanceIndex instance) const {
  const Profile& profile = lanes_->events.profile();
  return {profile.instances.op[instance],
          profile.threads[profile.instances.thread[instance]].process_id, instance};
}

std::span<const EventPairs::Occurrence> EventPairs::occurrences(std::size_t side,
                                                                const Occurrence& like) const {
  const auto key = [](const Occurrence& occurrence) {
    return std::pair(occurrence.op, occurrence.process);
  };
  const std::vector<Occurrence>& sorted = sorted_[side];
  return {std::ranges::lower_bound(sorted, key(like), {}, key),
          std::ranges::upper_bound(sorted, key(like), {}, key)};
}

InstanceIndex EventPairs::partner_of_instance(InstanceIndex instance, std::size_t side) const {
  const Occurrence occurrence = occurrence_of(instance);
  const auto own = occurrences(side, occurrence), other = occurrences(1 - side, occurrence);
  const auto at = std::ranges::lower_bound(own, occurrence);
  if (at == own.end() || *at != occurrence) return {};
  const auto number = static_cast<std::size_t>(at - own.begin());
  return number < other.size() ? other[number].instance : InstanceIndex();
}

// Those of its kind and name, on its GPU; of the rows that tell of one call the first, in order of
// the calls.
std::vector<Row> EventPairs::rows_like(EventRef event, InstanceIndex instance) const {
  const Events& source = lanes_->events;
  const Profile& profile = source.profile();
  const uint64_t key = source.name_key(event);
  const DeviceIndex device = device_of(profile, event);
  std::vector<Row> rows;
  const auto [first, last] = rows_of(profile, event.kind, instance);
  for (Row row = first; row < last; ++row) {
    const EventRef candidate{event.kind, row};
    if (source.name_key(candidate) == key && device_of(profile, candidate) == device) {
      rows.push_back(row);
    }
  }
  if (!is_call(event.kind)) return rows;
  const auto call = [&](Row row) {
    const base::Interval time = source.time({event.kind, row});
    return std::pair(time.start_ns, time.stop_ns);
  };
  if (!std::ranges::is_sorted(rows, {}, call)) std::ranges::stable_sort(rows, {}, call);
  const auto is_same = [&call](Row kept, Row next) { return call(kept) == call(next); };
  rows.erase(std::unique(rows.begin(), rows.end(), is_same), rows.end());
  return rows;
}

// The occurrence of its name on its GPU.
std::optional<EventRef> EventPairs::in_instance(EventRef event, InstanceIndex own,
                                                InstanceIndex other) const {
  const Events& source = lanes_->events;
  const std::vector<Row> rows = rows_like(event, own), others = rows_like(event, other);
  const auto at = std::ranges::find_if(rows, [&](Row row) {
    return is_call(event.kind) ? source.time({event.kind, row}) == source.time(event)
                               : row == event.row;
  });
  const auto number = static_cast<std::size_t>(at - rows.begin());
  if (number >= others.size()) return std::nullopt;
  return EventRef{event.kind, others[number]};
}

std::optional<Place> EventPairs::in_lane(const Place& place, std::size_t side) const {
  const Lane& lane = lanes_->groups[place.group].lanes[place.lane];
  const EventRef event = event_at(*lanes_, place);
  const std::vector<Found> own = alike(lane, lanes_->events, event, iterations_[side]);
  const auto at =
      std::ranges::find(own, Found{lanes_->events.start_ns(event), place.line, place.at});
  const auto number = static_cast<std::size_t>(at - own.begin());
  if (at == own.end()) return std::nullopt;
  const std::vector<Found> other = alike(lane, lanes_->events, event, iterations_[1 - side]);
  if (number >= other.size()) return std::nullopt;
  return Place{place.group, place.lane, std::get<1>(other[number]), std::get<2>(other[number])};
}

std::optional<Place> EventPairs::partner(const Place& place, std::size_t side) const {
  const EventRef event = event_at(*lanes_, place);
  const InstanceIndex instance = instance_of(lanes_->events.profile(), event);
  if (instance == kNoRow) return in_lane(place, side);
  const InstanceIndex other = partner_of_instance(instance, side);
  if (other == kNoRow) return std::nullopt;
  if (event.kind == EventKind::op) return find_place(*lanes_, {EventKind::op, other});
  const std::optional<EventRef> found = in_instance(event, instance, other);
  return found ? find_place(*lanes_, *found) : std::nullopt;
}

std::size_t EventPairs::looks_for_partner(const Place& place, std::size_t side) const {
  const EventRef event = event_at(*lanes_, place);
  const Profile& profile = lanes_->events.profile();
  const InstanceIndex instance = instance_of(profile, event);
  std::size_t looks = 0;
  if (instance == kNoRow) {
    for (const Line& line : lanes_->groups[place.group].lanes[place.lane].lines) {
      for (const aggregate::Iteration& iteration : iterations_) {
        const base::Interval on_host = iteration.host_time();
        looks += line.first_from(on_host.stop_ns + 1, lanes_->events) -
                 line.first_from(on_host.start_ns, lanes_->events);
      }
    }
    return looks;
  }
  const InstanceIndex other = partner_of_instance(instance, side);
  if (other == kNoRow || event.kind == EventKind::op) return looks;
  for (const InstanceIndex of : {instance, other}) {
    const auto [first, last] = rows_of(profile, event.kind, of);
    looks += last - first;
  }
  return looks;
}

SubjectEvents::SubjectEvents(const Lanes& lanes, const std::vector<IterationEvents>& iterations,
                             const Subject& subject, const base::Progress& progress) {
  for (const LaneGroup& group : lanes.groups) {
    auto& of_group = places_.emplace_back();
    for (const Lane& lane : group.lanes) {
      auto& of_lane = of_group.emplace_back();
      for (const Line& line : lane.lines) {
        std::vector<uint32_t>& places = of_lane.emplace_back();
        for (const IterationEvents& iteration : iterations) {
          add_places(line, lanes.events, iteration, subject, progress, places);
        }
        std::ranges::sort(places);
      }
    }
  }
}

bool SubjectEvents::any_in(const Place& line, std::size_t first, std::size_t behind) const {
  const std::vector<uint32_t>& places = places_[line.group][line.lane][line.line];
  const auto at = std::ranges::lower_bound(places, first);
  return at != places.end() && *at < behind;
}

}  // namespace dlview::timeline
