#include "aggregate/modules.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aggregate/host_events.h"
#include "base/number_distinct.h"
#include "base/stop_point.h"
#include "profile/python_frames.h"

namespace dlview::aggregate {
namespace {

using profile::EventForest;
using profile::HostEventKind;
using profile::kNoRow;
using profile::Profile;
using profile::Row;
using profile::StringId;
using std::string_view;

class ModuleSums {
 public:
  ModuleSums(const Profile& profile, const Aggregation& aggregation)
      : profile_(profile),
        aggregation_(aggregation),
        modules_(forest_of_events(
            profile, [](HostEventKind kind) { return kind == HostEventKind::module; })),
        times_(modules_.size()) {}

  Modules finish() {
    if (modules_.size() == 0) return {};
    add_host_times();
    add_ops();
    add_gpu_times();
    add_to_modules_around();
    Modules result;
    add_nodes(result);
    leave_out_empty(result.nodes);
    result.by_name = sums_by([this](std::size_t place) { return name_of_module(frame(place)); });
    result.by_class = sums_by(
        [this](std::size_t place) { return class_of_module(name_of_module(frame(place))); });
    return result;
  }

 private:
  StringId name_of(std::size_t place) const {
    return profile_.trace->nvtx.text[modules_[place].row];
  }
  string_view frame(std::size_t place) const { return profile_.text(name_of(place)); }

  void add_host_times();
  void add_ops();
  void add_gpu_times();
  // The module in which the forward op begins of what runs at each moment in the backward pass;
  // `is_backward` tells which do.
  std::vector<Row> modules_of_forward_ops(std::span<const HostMoment> moments,
                                          std::vector<bool>& is_backward) const;
  void add_to_modules_around();
  void add(ModuleTimes& sum, std::size_t place, bool is_outermost) const;
  void add_nodes(Modules& result) const;
  template <typename NameOf>
  std::vector<ModuleSum> sums_by(const NameOf& name_of) const;

  const Profile& profile_;
  const Aggregation& aggregation_;
  const EventForest modules_;
  std::vector<ModuleTimes> times_;  // by place: of that occurrence
};

void ModuleSums::add_host_times() {
  const HostTimeOfRange range(aggregation_);
  for (std::size_t place = 0; place < modules_.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const EventForest::Event& event = modules_[place];
    const int64_t duration_ns = event.stop_ns - event.start_ns;
    if (range.contains(event.start_ns)) {
      times_[place].calls = 1;
      times_[place].host_total_ns = duration_ns;
      times_[place].host_self_ns += duration_ns;
    }
    const Row parent = modules_.parent(place);
    if (parent != kNoRow && range.contains(modules_[parent].start_ns)) {
      times_[parent].host_self_ns -= duration_ns;
    }
  }
}

void ModuleSums::add_ops() {
  const TraceThreadIds threads(profile_);
  const HostTimeOfRange range(aggregation_);
  const profile::OpInstances& instances = profile_.instances;
  std::vector<bool> counts(profile_.ops.size());
  for (profile::OpIndex op{0}; op < profile_.ops.size(); ++op) {
    counts[op] = profile_.ops.tensor_core_support[op] != profile::TensorCoreSupport::unknown &&
                 !profile_.is_unassociated(op) &&
                 profile_.text(profile_.ops.direction[op]) != "bprop";
  }
  std::vector<HostMoment> moments;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (i % kEventsBetweenStops == 0) base::stop_point();
    if (!counts[instances.op[i]] || !range.contains(instances.cpu_start_ns[i])) continue;
    moments.push_back({threads.of(instances.thread[i]), instances.cpu_start_ns[i]});
  }
  for (const Row place : open_at(modules_, moments)) {
    if (place != kNoRow) ++times_[place].ops;
  }
}

std::vector<Row> ModuleSums::modules_of_forward_ops(std::span<const HostMoment> moments,
                                                    std::vector<bool>& is_backward) const {
  const profile::TraceNvtx& events = profile_.trace->nvtx;
  const EventForest host = forest_of_events(profile_, is_op_or_annotation);
  std::vector<Row> backward(host.size(), kNoRow);  // the outermost one at or around a place; a row
  for (std::size_t place = 0; place < host.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const Row row = host[place].row, parent = host.parent(place);
    if (parent != kNoRow) backward[place] = backward[parent];
    const bool is_one = row < events.forward.size() && events.forward[row] != kNoRow;
    if (backward[place] == kNoRow && is_one) backward[place] = row;
  }
  const std::vector<Row> places = open_at(host, moments);
  is_backward.assign(moments.size(), false);
  std::vector<std::size_t> askers;
  std::vector<HostMoment> starts;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const Row row = places[i] == kNoRow ? kNoRow : backward[places[i]];
    if (row == kNoRow) continue;
    is_backward[i] = true;
    const Row forward = events.forward[row];
    if (forward == row) continue;  // not in the trace
    askers.push_back(i);
    starts.push_back({events.thread[forward], events.start_ns[forward]});
  }
  std::vector<Row> result(moments.size(), kNoRow);
  const std::vector<Row> found = open_at(modules_, starts);
  for (std::size_t i = 0; i < askers.size(); ++i) result[askers[i]] = found[i];
  return result;
}

void ModuleSums::add_gpu_times() {
  const std::vector<LaunchedActivity> activity =
      launched_activity(profile_, aggregation_, TraceThreadIds(profile_));
  std::vector<HostMoment> moments;
  moments.reserve(activity.size());
  for (const LaunchedActivity& each : activity) moments.push_back(each.call);
  std::vector<bool> is_backward;
  const std::vector<Row> of_forward_op = modules_of_forward_ops(moments, is_backward);
  const std::vector<Row> of_call = open_at(modules_, moments);
  for (std::size_t i = 0; i < activity.size(); ++i) {
    const Row place = is_backward[i] ? of_forward_op[i] : of_call[i];
    if (place == kNoRow) continue;
    ModuleTimes& times = times_[place];
    (is_backward[i] ? times.gpu_backward_ns : times.gpu_forward_ns) += activity[i].gpu_ns;
    times.gpu_self_ns += activity[i].gpu_ns;
  }
}

void ModuleSums::add_to_modules_around() {
  for (std::size_t place = modules_.size(); place-- > 0;) {
    if (modules_.parent(place) == kNoRow) continue;
    ModuleTimes& around = times_[modules_.parent(place)];
    around.ops += times_[place].ops;
    around.gpu_forward_ns += times_[place].gpu_forward_ns;
    around.gpu_backward_ns += times_[place].gpu_backward_ns;
  }
}

// Totals of an occurrence in another one of the sum are part of that one's.
void ModuleSums::add(ModuleTimes& sum, std::size_t place, bool is_outermost) const {
  const ModuleTimes& times = times_[place];
  sum.calls += times.calls;
  sum.host_self_ns += times.host_self_ns;
  sum.gpu_self_ns += times.gpu_self_ns;
  if (!is_outermost) return;
  sum.ops += times.ops;
  sum.host_total_ns += times.host_total_ns;
  sum.gpu_forward_ns += times.gpu_forward_ns;
  sum.gpu_backward_ns += times.gpu_backward_ns;
}

void ModuleSums::add_nodes(Modules& result) const {
  std::unordered_map<uint64_t, Row> known;  // by parent node and name
  std::vector<Row> node_of(modules_.size());
  for (std::size_t place = 0; place < modules_.size(); ++place) {
    if (place % kEventsBetweenStops == 0) base::stop_point();
    const Row around = modules_.parent(place);
    const Row parent = around == kNoRow ? kNoRow : node_of[around];
    if (parent != kNoRow && result.nodes[parent].depth + 1 == kMostModuleLevels) {
      node_of[place] = parent;
      add(result.nodes[parent].times, place, false);
      continue;
    }
    const auto next = static_cast<Row>(result.nodes.size());
    const auto [node, is_new] = known.try_emplace(uint64_t{parent} << 32U | name_of(place), next);
    if (is_new) {
      const int64_t depth = parent == kNoRow ? 0 : result.nodes[parent].depth + 1;
      result.nodes.push_back({name_of(place), parent, depth, {}});
    }
    node_of[place] = node->second;
    add(result.nodes[node->second].times, place, true);
  }
}

template <typename NameOf>
std::vector<ModuleSum> ModuleSums::sums_by(const NameOf& name_of) const {
  base::KeyNumbers<string_view, std::hash<string_view>> numbers;
  std::vector<uint32_t> keys(modules_.size());
  std::vector<ModuleSum> sums;
  for (std::size_t place = 0; place < modules_.size(); ++place) {
    const string_view name = name_of(place);
    keys[place] = numbers.find(name);
    if (keys[place] == sums.size()) sums.push_back({name, {}});
  }
  const std::vector<bool> is_outermost = outermost_of_key(modules_, keys, sums.size());
  for (std::size_t place = 0; place < modules_.size(); ++place) {
    add(sums[keys[place]].times, place, is_outermost[place]);
  }
  std::erase_if(sums, [](const ModuleSum& sum) { return sum.times.is_empty(); });
  return sums;
}

}  // namespace

string_view name_of_module(string_view frame) {
  if (frame.starts_with(profile::kModulePrefix)) frame.remove_prefix(profile::kModulePrefix.size());
  return frame;
}

string_view class_of_module(string_view name) {
  const std::size_t line = name.rfind('_');
  if (line == string_view::npos || line == 0 || line + 1 == name.size()) return name;
  const string_view number = name.substr(line + 1);
  const bool is_number =
      std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_number ? name.substr(0, line) : name;
}

bool has_modules(const Profile& profile) {
  return profile.trace &&
         std::ranges::find(profile.trace->nvtx.event_kind, HostEventKind::module) !=
             profile.trace->nvtx.event_kind.end();
}

Modules add_up_modules(const Profile& profile, const Aggregation& aggregation) {
  return ModuleSums(profile, aggregation).finish();
}

}  // namespace dlview::aggregate
