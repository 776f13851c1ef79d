#include "aggregate/operators.h"

#include <unordered_map>
#include <utility>

#include "aggregate/host_events.h"
#include "aggregate/step_names.h"
#include "base/stop_point.h"
#include "profile/eligible_ops.h"

namespace dlview::aggregate {
namespace {

using profile::EventForest;
using profile::HostEventKind;
using profile::kNoRow;
using profile::Profile;
using profile::Row;
using profile::StringId;

// Of the events of each place.
struct PlaceTimes {
  std::vector<int64_t> host_self_ns, call_self_ns, gpu_self_ns, tensor_core_self_ns,
      unknown_use_self_ns;
  std::vector<int64_t> gpu_total_ns, tensor_core_total_ns, unknown_use_total_ns;
};

PlaceTimes times_of_places(const Profile& profile, const Aggregation& aggregation,
                           const EventForest& events) {
  const std::size_t size = events.size();
  const HostTimeOfRange range(aggregation);
  PlaceTimes times{.host_self_ns = std::vector<int64_t>(size),
                   .call_self_ns = std::vector<int64_t>(size),
                   .gpu_self_ns = std::vector<int64_t>(size),
                   .tensor_core_self_ns = std::vector<int64_t>(size),
                   .unknown_use_self_ns = std::vector<int64_t>(size),
                   .gpu_total_ns = {},
                   .tensor_core_total_ns = {},
                   .unknown_use_total_ns = {}};
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
    if (activity[i].is_of_unknown_use) times.unknown_use_self_ns[places[i]] += activity[i].gpu_ns;
  }
  times.gpu_total_ns = times.gpu_self_ns;
  times.tensor_core_total_ns = times.tensor_core_self_ns;
  times.unknown_use_total_ns = times.unknown_use_self_ns;
  add_to_events_around(events, times.gpu_total_ns);
  add_to_events_around(events, times.tensor_core_total_ns);
  add_to_events_around(events, times.unknown_use_total_ns);
  return times;
}

// Events and their times, for sums of any kind over them.
class OperatorSums {
 public:
  OperatorSums(const Profile& profile, const Aggregation& aggregation)
      : profile_(profile),
        range_(aggregation),
        events_(forest_of_events(profile, is_op_or_annotation)),
        times_(times_of_places(profile, aggregation, events_)) {}

  // `detail_of(row)` returns what tells rows of a name apart, and set(operator, detail) stores it.
  template <typename DetailOf, typename Set>
  std::vector<Operator> by_name_and(const DetailOf& detail_of, const Set& set) const;
  std::vector<OperatorNode> tree() const;

 private:
  StringId name_of(std::size_t place) const {
    return profile_.trace->nvtx.text[events_[place].row];
  }
  bool is_op(std::size_t place) const {
    return profile_.trace->nvtx.event_kind[events_[place].row] == HostEventKind::op;
  }
  bool is_eligible(StringId name) const {
    return profile::is_eligible_op_type(profile_.text(name));
  }
  // Totals of an event in another one of the sum are part of that one's.
  void add(OperatorTimes& sum, std::size_t place, bool is_outermost) const;

  const Profile& profile_;
  const HostTimeOfRange range_;
  const EventForest events_;
  const PlaceTimes times_;
};

void OperatorSums::add(OperatorTimes& sum, std::size_t place, bool is_outermost) const {
  const EventForest::Event& event = events_[place];
  if (range_.contains(event.start_ns)) {
    ++sum.calls;
    sum.host_self_ns += times_.host_self_ns[place];
    if (is_outermost) sum.host_total_ns += event.stop_ns - event.start_ns;
  }
  sum.call_self_ns += times_.call_self_ns[place];
  sum.gpu_self_ns += times_.gpu_self_ns[place];
  sum.tensor_core_self_ns += times_.tensor_core_self_ns[place];
  sum.unknown_use_self_ns += times_.unknown_use_self_ns[place];
  if (!is_outermost) return;
  sum.gpu_total_ns += times_.gpu_total_ns[place];
  sum.tensor_core_total_ns += times_.tensor_core_total_ns[place];
  sum.unknown_use_total_ns += times_.unknown_use_total_ns[place];
}

template <typename DetailOf, typename Set>
std::vector<Operator> OperatorSums::by_name_and(const DetailOf& detail_of, const Set& set) const {
  std::vector<Operator> result;
  std::unordered_map<uint64_t, uint32_t> known;  // by name and detail
  std::vector<uint32_t> keys(events_.size());
  for (std::size_t place = 0; place < events_.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const StringId name = name_of(place);
    const uint32_t detail = detail_of(events_[place].row);
    const auto [entry, is_new] =
        known.try_emplace(uint64_t{detail} << 32U | name, static_cast<uint32_t>(result.size()));
    if (is_new) {
      Operator& added = result.emplace_back();
      added.name = name;
      added.is_eligible = is_eligible(name);
      set(added, detail);
    }
    keys[place] = entry->second;
    result[entry->second].is_op |= is_op(place);
  }
  const std::vector<bool> is_outermost = outermost_of_key(events_, keys, result.size());
  for (std::size_t place = 0; place < events_.size(); ++place) {
    add(result[keys[place]].times, place, is_outermost[place]);
  }
  std::erase_if(result, [](const Operator& each) { return each.times.is_empty(); });
  return result;
}

std::vector<OperatorNode> OperatorSums::tree() const {
  std::vector<OperatorNode> nodes;
  std::unordered_map<uint64_t, Row> known;  // by parent node and name
  std::vector<Row> node_of(events_.size(), kNoRow);
  for (std::size_t place = 0; place < events_.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const Row around = events_.parent(place);
    const Row parent = around == kNoRow ? kNoRow : node_of[around];
    const StringId name = name_of(place);
    if (is_profiler_step(profile_.text(name))) {
      node_of[place] = parent;
      continue;
    }
    if (parent != kNoRow && nodes[parent].depth + 1 == kMostOperatorLevels) {
      node_of[place] = parent;
      add(nodes[parent].times, place, false);
      continue;
    }
    const auto [node, is_new] =
        known.try_emplace(uint64_t{parent} << 32U | name, static_cast<Row>(nodes.size()));
    if (is_new) {
      OperatorNode& added = nodes.emplace_back();
      added.name = name;
      added.parent = parent;
      added.depth = parent == kNoRow ? 0 : nodes[parent].depth + 1;
      added.is_eligible = is_eligible(name);
    }
    node_of[place] = node->second;
    nodes[node->second].is_op |= is_op(place);
    add(nodes[node->second].times, place, true);
  }
  leave_out_empty(nodes);
  return nodes;
}

}  // namespace

std::vector<Operator> add_up_operators(const Profile& profile, const Aggregation& aggregation,
                                       OperatorsBy by) {
  if (!profile.trace) return {};
  const auto& shapes = profile.trace->nvtx.input_shapes;
  return OperatorSums(profile, aggregation)
      .by_name_and(
          [&](Row row) {
            const bool has_shapes = by == OperatorsBy::name_and_shapes && row < shapes.size();
            return has_shapes ? shapes[row] : profile::kNoText;
          },
          [](Operator& each, StringId text) { each.input_shapes = text; });
}

std::vector<Operator> add_up_operators(const Profile& profile, const Aggregation& aggregation,
                                       OpStacks& stacks) {
  if (!profile.trace) return {};
  return OperatorSums(profile, aggregation)
      .by_name_and([&](Row row) { return stacks.of(row); },
                   [](Operator& each, uint32_t stack) { each.stack = stack; });
}

std::vector<OperatorNode> add_up_operator_tree(const Profile& profile,
                                               const Aggregation& aggregation) {
  if (!profile.trace) return {};
  return OperatorSums(profile, aggregation).tree();
}

}  // namespace dlview::aggregate
