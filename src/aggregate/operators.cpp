#include "aggregate/operators.h"

#include <unordered_map>

#include "aggregate/host_events.h"
#include "base/stop_point.h"
#include "profile/eligible_ops.h"

namespace dlview::aggregate {
namespace {

using profile::EventForest;
using profile::HostEventKind;
using profile::kNoRow;
using profile::Profile;
using profile::Row;

// Of the events of each place.
struct PlaceTimes {
  std::vector<int64_t> host_self_ns, call_self_ns, gpu_self_ns, tensor_core_self_ns;
  std::vector<int64_t> gpu_total_ns, tensor_core_total_ns;
};

PlaceTimes times_of_places(const Profile& profile, const Aggregation& aggregation,
                           const EventForest& events) {
  const std::size_t size = events.size();
  const HostTimeOfRange range(aggregation);
  PlaceTimes times{.host_self_ns = std::vector<int64_t>(size),
                   .call_self_ns = std::vector<int64_t>(size),
                   .gpu_self_ns = std::vector<int64_t>(size),
                   .tensor_core_self_ns = std::vector<int64_t>(size),
                   .gpu_total_ns = {},
                   .tensor_core_total_ns = {}};
  for (std::size_t place = 0; place < size; ++place) {
    const int64_t duration_ns = events[place].stop_ns - events[place].start_ns;
    times.host_self_ns[place] += duration_ns;
    if (events.parent(place) != kNoRow) times.host_self_ns[events.parent(place)] -= duration_ns;
  }
  std::vector<HostMoment> moments;
  std::vector<int64_t> durations_ns;
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  for (std::size_t row = 0; row < calls.size(); ++row) {
    if (row % kEventsBetweenStops == 0) base::stop_point();
    if (calls.end_ns[row] < calls.start_ns[row] || !range.contains(calls.start_ns[row])) continue;
    moments.push_back({calls.thread[row], calls.start_ns[row]});
    durations_ns.push_back(calls.end_ns[row] - calls.start_ns[row]);
  }
  std::vector<Row> places = open_at(events, moments);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != kNoRow) times.call_self_ns[places[i]] += durations_ns[i];
  }
  const std::vector<LaunchedActivity> activity =
      launched_activity(profile, aggregation, TraceThreadIds(profile));
  moments.clear();
  for (const LaunchedActivity& each : activity) moments.push_back(each.call);
  places = open_at(events, moments);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNoRow) continue;
    times.gpu_self_ns[places[i]] += activity[i].gpu_ns;
    if (activity[i].uses_tensor_cores) times.tensor_core_self_ns[places[i]] += activity[i].gpu_ns;
  }
  times.gpu_total_ns = times.gpu_self_ns;
  times.tensor_core_total_ns = times.tensor_core_self_ns;
  add_to_events_around(events, times.gpu_total_ns);
  add_to_events_around(events, times.tensor_core_total_ns);
  return times;
}

}  // namespace

std::vector<Operator> add_up_operators(const Profile& profile, const Aggregation& aggregation,
                                       OperatorsBy by) {
  const EventForest events = forest_of_events(profile, is_op_or_annotation);
  std::vector<Operator> result;
  if (events.size() == 0) return result;
  const profile::TraceNvtx& table = profile.trace->nvtx;
  std::unordered_map<uint64_t, uint32_t> known;  // by name and shapes
  std::vector<uint32_t> keys(events.size());
  for (std::size_t place = 0; place < events.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const Row row = events[place].row;
    const bool has_shapes = by == OperatorsBy::name_and_shapes && row < table.input_shapes.size();
    const profile::StringId name = table.text[row];
    const profile::StringId shapes = has_shapes ? table.input_shapes[row] : profile::kNoText;
    const auto [entry, is_new] =
        known.try_emplace(uint64_t{shapes} << 32U | name, static_cast<uint32_t>(result.size()));
    if (is_new) {
      result.push_back({.name = name,
                        .input_shapes = shapes,
                        .is_op = false,
                        .is_eligible = profile::is_eligible_op_type(profile.text(name)),
                        .times = {}});
    }
    keys[place] = entry->second;
    result[entry->second].is_op |= table.event_kind[row] == HostEventKind::op;
  }
  const PlaceTimes times = times_of_places(profile, aggregation, events);
  const std::vector<bool> is_outermost = outermost_of_key(events, keys, result.size());
  const HostTimeOfRange range(aggregation);
  for (std::size_t place = 0; place < events.size(); ++place) {
    OperatorTimes& sum = result[keys[place]].times;
    if (range.contains(events[place].start_ns)) {
      ++sum.calls;
      sum.host_self_ns += times.host_self_ns[place];
      if (is_outermost[place]) sum.host_total_ns += events[place].stop_ns - events[place].start_ns;
    }
    sum.call_self_ns += times.call_self_ns[place];
    sum.gpu_self_ns += times.gpu_self_ns[place];
    sum.tensor_core_self_ns += times.tensor_core_self_ns[place];
    if (!is_outermost[place]) continue;
    sum.gpu_total_ns += times.gpu_total_ns[place];
    sum.tensor_core_total_ns += times.tensor_core_total_ns[place];
  }
  std::erase_if(result, [](const Operator& each) { return each.times.is_empty(); });
  return result;
}

}  // namespace dlview::aggregate
