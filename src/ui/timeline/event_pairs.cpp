#include "ui/timeline/event_pairs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dlview::ui::timeline {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;

// The rows of the instance in the table that the event is of.
std::pair<Row, Row> rows_of(const Profile& profile, EventKind kind, Row instance) {
  const profile::OpInstances& instances = profile.instances;
  const profile::Column<Row>& first =
      kind == EventKind::kernel || kind == EventKind::launch           ? instances.first_kernel
      : kind == EventKind::memory_op || kind == EventKind::memory_call ? instances.first_memory_op
      : kind == EventKind::sync                                        ? instances.first_sync
                                                                       : instances.first_api_call;
  return {first[instance], first[instance + 1]};
}

// An instance may work on several GPUs.
Row device_of(const Profile& profile, EventRef event) {
  if (event.kind == EventKind::kernel) return profile.device_of_kernel(event.row);
  if (event.kind == EventKind::memory_op) return profile.memory_ops.device[event.row];
  return kNoRow;
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

}  // namespace

EventPairs::EventPairs(std::shared_ptr<const Lanes> lanes, const aggregate::Iteration& one,
                       const aggregate::Iteration& other)
    : lanes_(std::move(lanes)), iterations_{one, other} {
  for (std::size_t side = 0; side < 2; ++side) {
    const Row first = iterations_[side].first_instance, last = iterations_[side].last_instance;
    sorted_[side].reserve(last - first);
    for (Row row = first; row < last; ++row) sorted_[side].push_back(occurrence_of(row));
    std::ranges::sort(sorted_[side]);
  }
}

EventPairs::Occurrence EventPairs::occurrence_of(Row instance) const {
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

std::optional<Row> EventPairs::partner_of_instance(Row instance, std::size_t side) const {
  const Occurrence occurrence = occurrence_of(instance);
  const auto own = occurrences(side, occurrence), other = occurrences(1 - side, occurrence);
  const auto at = std::ranges::lower_bound(own, occurrence);
  if (at == own.end() || *at != occurrence) return std::nullopt;
  const auto number = static_cast<std::size_t>(at - own.begin());
  return number < other.size() ? std::optional(other[number].instance) : std::nullopt;
}

// Those of its kind and name, on its GPU; of the rows that tell of one call the first, in order of
// the calls.
std::vector<Row> EventPairs::rows_like(EventRef event, Row instance) const {
  const Events& source = lanes_->events;
  const Profile& profile = source.profile();
  const uint64_t key = source.name_key(event);
  const Row device = device_of(profile, event);
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
std::optional<EventRef> EventPairs::in_instance(EventRef event, Row own, Row other) const {
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
  const Row instance = instance_of(lanes_->events.profile(), event);
  if (instance == kNoRow) return in_lane(place, side);
  const std::optional<Row> other = partner_of_instance(instance, side);
  if (!other) return std::nullopt;
  if (event.kind == EventKind::op) return find_place(*lanes_, {EventKind::op, *other});
  const std::optional<EventRef> found = in_instance(event, instance, *other);
  return found ? find_place(*lanes_, *found) : std::nullopt;
}

std::size_t EventPairs::looks_for_partner(const Place& place, std::size_t side) const {
  const EventRef event = event_at(*lanes_, place);
  const Profile& profile = lanes_->events.profile();
  const Row instance = instance_of(profile, event);
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
  const std::optional<Row> other = partner_of_instance(instance, side);
  if (!other || event.kind == EventKind::op) return looks;
  for (const Row of : {instance, *other}) {
    const auto [first, last] = rows_of(profile, event.kind, of);
    looks += last - first;
  }
  return looks;
}

}  // namespace dlview::ui::timeline
