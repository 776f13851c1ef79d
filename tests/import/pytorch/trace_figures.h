// Opens a trace and compares it with its figures: each must be equal to the ns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "aggregate/memory_use.h"
#include "aggregate/modules.h"
#include "aggregate/operators.h"
#include "base/intervals.h"
#include "import/capture/call_index.h"
#include "import/pytorch/trace_columns.h"
#include "import/pytorch/trace_ops.h"
#include "import/pytorch/trace_reader.h"
#include "import/pytorch/trace_texts.h"
#include "import/test_database.h"
#include "profile/communication.h"
#include "profile/nesting.h"
#include "profile/recorded_work.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {

using Json = nlohmann::json;

// Events and their time.
struct Sum {
  int64_t count = 0, ns = 0;
  void add(int64_t time_ns) {
    ++count;
    ns += time_ns;
  }
  bool operator==(const Sum&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Sum& sum) {
    return out << sum.count << " events, " << sum.ns << " ns";
  }
};

inline int64_t number(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found == row.end() || found->is_null() ? 0 : found->get<int64_t>();
}

// An event on a GPU.
struct GpuEventRow {
  profile::Row instance = 0, device = 0;
  int64_t start_ns = 0, stop_ns = 0;
  bool is_kernel = false, communicates = false;
  int64_t ns() const { return stop_ns - start_ns; }
};

inline std::vector<GpuEventRow> gpu_events(const profile::Profile& profile) {
  std::vector<GpuEventRow> events;
  const std::vector<uint8_t> communicates = profile::communication_kernels(profile);
  for (profile::Row i = 0; i < profile.kernels.size(); ++i) {
    events.push_back({profile.kernels.instance[i],
                      profile.device_of_kernel(profile::KernelIndex(i)),
                      profile.kernels.gpu_start_ns[i], profile.kernels.gpu_stop_ns[i], true,
                      !communicates.empty() && communicates[i] != 0});
  }
  for (profile::Row i = 0; i < profile.memory_ops.size(); ++i) {
    events.push_back({profile.memory_ops.instance[i], profile.memory_ops.device[i],
                      profile.memory_ops.gpu_start_ns[i], profile.memory_ops.gpu_stop_ns[i]});
  }
  return events;
}

class TraceFigures : public ::testing::Test {
 protected:
  // Opens a trace that must have these figures.
  void open(const std::filesystem::path& path, Json expected) {
    base::Result<profile::Profile> opened = testing::open_for_test(path);
    ASSERT_TRUE(opened.ok()) << testing::error_of(opened);
    profile_ = *std::move(opened);
    path_ = path;
    expected_ = std::move(expected);
    gpu_events_ = gpu_events(profile_);
  }
  void check();

  bool has_no_launch(profile::Row instance) const {
    return name_of_op(instance).starts_with("unassociated_no_launch");
  }
  std::string_view name_of_op(profile::Row instance) const {
    return profile_.text(profile_.ops.name[profile_.instances.op[instance]]);
  }
  void expect_unions(const Json& devices, int64_t start_ns, int64_t stop_ns) const;
  void check_kernels();
  void check_memory_operations();
  void check_busy_time();
  void check_attribution();
  void check_ops();
  void check_operators_and_modules();
  void check_steps();
  void check_split();
  void check_events();
  void check_links(TraceEvents& events, profile::ProfileBuilder& builder);
  void check_host_events(const TraceEvents& events, const profile::ProfileBuilder& builder);
  void check_collectives();
  void check_allocations();

  profile::Profile profile_;
  std::filesystem::path path_;
  Json expected_;
  std::vector<GpuEventRow> gpu_events_;
  bool recomputes_ = false;     // in the backward pass
  bool has_categories_ = true;  // else expect.py knows no host events, and so no collectives
};

inline void TraceFigures::expect_unions(const Json& devices, int64_t start_ns,
                                        int64_t stop_ns) const {
  for (const auto& [name, figures] : devices.items()) {
    std::vector<base::Interval> kernels, all, talk, others;
    for (const GpuEventRow& event : gpu_events_) {
      const profile::Device& device = profile_.devices[std::size_t{event.device}];
      if (std::to_string(device.device_id) != name) continue;
      const base::Interval time{event.start_ns, event.stop_ns};
      all.push_back(time);
      if (!event.is_kernel) continue;
      kernels.push_back(time);
      (event.communicates ? talk : others).push_back(time);
    }
    const auto covered = [&](const base::IntervalSet& set) {
      return set.covered_ns(start_ns, stop_ns);
    };
    const auto talking = base::IntervalSet::union_of(talk);
    EXPECT_EQ(covered(base::IntervalSet::union_of(kernels)), number(figures, "kernel_union_ns"));
    EXPECT_EQ(covered(base::IntervalSet::union_of(all)), number(figures, "busy_union_ns"));
    EXPECT_EQ(covered(talking), number(figures, "communication_union_ns"));
    EXPECT_EQ(covered(talking.without(base::IntervalSet::union_of(others))),
              number(figures, "exposed_communication_ns"));
  }
}

inline void TraceFigures::check_kernels() {
  std::map<std::string, Sum> expected, found;
  for (const auto& [name, row] : expected_["kernels"].items()) {
    expected[name] = {number(row, "count"), number(row, "total_ns")};
  }
  for (profile::Row i = 0; i < profile_.kernels.size(); ++i) {
    found[std::string(profile_.text(profile_.kernels.long_name[i]))].add(
        profile_.kernels.gpu_stop_ns[i] - profile_.kernels.gpu_start_ns[i]);
  }
  EXPECT_EQ(found, expected);
}

inline void TraceFigures::check_memory_operations() {
  using Key = std::tuple<bool, profile::CopyKind, profile::MemoryKind, profile::MemoryKind>;
  struct Moved : Sum {
    int64_t bytes = 0;
    bool operator==(const Moved&) const = default;
  };
  std::map<Key, Moved> expected, found;
  const auto expect = [&](const char* table, bool is_copy) {
    for (const auto& [name, row] : expected_[table].items()) {
      const MemoryKinds kinds = memory_kinds_of(name);
      Moved& moved = is_copy ? expected[{true, kinds.copy, kinds.source, kinds.target}]
                             : expected[{false, {}, {}, kinds.target}];
      moved.count += number(row, "count");
      moved.ns += number(row, "total_ns");
      moved.bytes += number(row, "bytes");
    }
  };
  expect("memcpys", true);
  expect("memsets", false);
  for (profile::Row i = 0; i < profile_.memory_ops.size(); ++i) {
    const auto row = static_cast<profile::Row>(profile_.memory_ops.source_id[i] - 1);
    const profile::Trace& trace = *profile_.trace;
    const bool is_copy = profile_.memory_ops.kind[i] == profile::MemoryOpKind::memcpy;
    Moved& moved = is_copy ? found[{true, profile_.memory_ops.copy_kind[i],
                                    trace.memcpys.src_kind[row], trace.memcpys.dst_kind[row]}]
                           : found[{false, {}, {}, trace.memsets.memory_kind[row]}];
    moved.add(profile_.memory_ops.gpu_stop_ns[i] - profile_.memory_ops.gpu_start_ns[i]);
    moved.bytes += profile_.memory_ops.bytes[i];
  }
  EXPECT_TRUE(found == expected);
}

inline void TraceFigures::check_busy_time() {
  EXPECT_EQ(profile_.trace->duration_ns, number(expected_, "span_ns"));
  // Where no GPU worked, the devices are those of the header.
  if (number(expected_["attribution"], "events") > 0) {
    EXPECT_EQ(profile_.devices.size(), expected_["devices"].size());
  }
  expect_unions(expected_["devices"], INT64_MIN / 2, INT64_MAX / 2);
}

inline void TraceFigures::check_attribution() {
  const Json& expected = expected_["attribution"];
  Sum all, no_launch, no_op;
  for (const GpuEventRow& event : gpu_events_) {
    all.add(event.ns());
    if (has_no_launch(event.instance)) {
      no_launch.add(event.ns());
    } else if (profile_.is_unassociated(profile_.instances.op[event.instance])) {
      no_op.add(event.ns());
    }
  }
  EXPECT_EQ(all, (Sum{number(expected, "events"), number(expected, "total_ns")}));
  EXPECT_EQ(no_launch,
            (Sum{number(expected, "no_launch_events"), number(expected, "no_launch_ns")}));
  EXPECT_EQ(no_op, (Sum{number(expected, "no_op_events"), number(expected, "no_op_ns")}));
}

// Calls, host time and GPU time of an op.
struct OpFigures {
  int64_t calls = 0, host_ns = 0;
  Sum gpu;
  bool operator==(const OpFigures&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const OpFigures& op) {
    return out << op.calls << " calls, " << op.host_ns << " ns, GPU: " << op.gpu;
  }
};

inline void TraceFigures::check_ops() {
  std::map<std::string, OpFigures> expected, found;
  // expect.py calls an op backward if it, or an event around it, has a Fwd thread id above 0 or is
  // an evaluation. In 2021, torch::autograd::AccumulateGrad has neither, so the script calls it
  // forward. dlview calls it backward, because only the autograd engine runs it (formats.md).
  const std::string accumulation = "torch::autograd::AccumulateGrad|";
  for (const auto& [name, row] : expected_["outer_ops"].items()) {
    const std::string key = name == accumulation + "forward" ? accumulation + "backward" : name;
    expected[key] = {number(row, "calls"),
                     number(row, "host_ns"),
                     {number(row, "gpu_events"), number(row, "gpu_ns")}};
  }
  const auto key_of = [&](profile::Row instance) -> std::string {
    const profile::OpIndex op = profile_.instances.op[instance];
    if (profile_.ops.tensor_core_support[op] == profile::TensorCoreSupport::unknown) {
      return "|outside";
    }
    std::string name(profile::last_name(profile_, name_of_op(instance)));
    const std::string_view again = " (recompute)";
    if (name.ends_with(again)) {
      return name.substr(0, name.size() - again.size()) + "|recompute";
    }
    const bool is_backward = profile_.text(profile_.ops.direction[op]) == "bprop";
    return name + (is_backward ? "|backward" : "|forward");
  };
  for (profile::Row i = 0; i < profile_.instances.size(); ++i) {
    const std::string key = key_of(i);
    if (key == "|outside") continue;
    ++found[key].calls;
    found[key].host_ns += profile_.instances.cpu_stop_ns[i] - profile_.instances.cpu_start_ns[i];
  }
  for (const GpuEventRow& event : gpu_events_) {
    if (!has_no_launch(event.instance)) found[key_of(event.instance)].gpu.add(event.ns());
  }
  if (recomputes_) {
    // An instance for each stretch between the recomputations in a call.
    for (auto& [key, figures] : found) {
      if (key.ends_with("|backward")) figures.calls = std::min(figures.calls, expected[key].calls);
    }
  }
  EXPECT_EQ(found, expected);
}

// By name: the values of these keys, in their order.
template <std::size_t count>
using Figures = std::map<std::string, std::array<int64_t, count>>;

template <std::size_t count>
Figures<count> figures_of(const Json& rows, const std::array<const char*, count>& keys) {
  Figures<count> figures;
  for (const auto& [name, row] : rows.items()) {
    for (std::size_t i = 0; i < count; ++i) figures[name][i] = number(row, keys[i]);
  }
  return figures;
}

inline void TraceFigures::check_operators_and_modules() {
  const auto profile = std::make_shared<const profile::Profile>(profile_);
  const aggregate::Aggregation whole =
      aggregate::make_cpu_aggregator(profile)->aggregate({.cut = {}, .range = {0, 0}});
  Figures<6> ops;
  for (const aggregate::Operator& each : aggregate::add_up_operators(*profile, whole)) {
    const aggregate::OperatorTimes& times = each.times;
    ops[std::string(profile->text(each.name))] = {times.calls,        times.host_total_ns,
                                                  times.host_self_ns, times.call_self_ns,
                                                  times.gpu_total_ns, times.gpu_self_ns};
  }
  Figures<6> expected_ops = figures_of<6>(
      expected_["ops"],
      {"calls", "host_total_ns", "host_self_ns", "call_self_ns", "gpu_total_ns", "gpu_self_ns"});
  // expect.py leaves out the calls of other runtimes than CUDA and HIP.
  const bool has_others = std::ranges::any_of(profile_.trace->api_calls.name, [&](auto id) {
    const std::string_view call = profile_.text(id);
    return !call.starts_with("cu") && !call.starts_with("hip");
  });
  if (has_others) {
    for (auto& [name, figures] : ops) figures[3] = expected_ops[name][3];
  }
  EXPECT_EQ(ops, expected_ops);
  Figures<4> modules;
  for (const aggregate::ModuleSum& sum : aggregate::add_up_modules(*profile, whole).by_name) {
    modules["nn.Module: " + std::string(sum.name)] = {sum.times.calls, sum.times.host_total_ns,
                                                      sum.times.gpu_forward_ns,
                                                      sum.times.gpu_backward_ns};
  }
  EXPECT_EQ(modules, figures_of<4>(expected_["modules"], {"calls", "host_total_ns",
                                                          "gpu_forward_ns", "gpu_backward_ns"}));
}

inline void TraceFigures::check_steps() {
  const Json& expected = expected_["steps"];
  if (expected[0]["name"].is_null()) {
    const bool has_step = std::ranges::any_of(profile_.user_ranges.name, [&](auto name) {
      return profile_.text(name) == "ProfilerStep";
    });
    EXPECT_FALSE(has_step);
    return;
  }
  const aggregate::Iterations found =
      aggregate::cut_iterations(profile_, {.key_op = "ProfilerStep"});
  ASSERT_EQ(found.rows.size(), expected.size());
  ASSERT_EQ(found.ranges.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& step = expected[i];
    const aggregate::Iteration& row = found.rows[i];
    const int64_t start_ns = number(step, "start_ns"), window_ns = number(step, "window_ns");
    EXPECT_EQ("ProfilerStep#" + std::to_string(found.ranges[i].number),
              step["name"].get<std::string>());
    EXPECT_EQ(found.ranges[i].duration_ns(), number(step, "range_ns"));
    EXPECT_EQ(row.start_ns, start_ns);
    const bool is_last = i + 1 == expected.size();
    EXPECT_EQ((is_last ? row.stop_ns : found.rows[i + 1].start_ns) - row.start_ns, window_ns);
    Sum kernels, memory;
    for (const GpuEventRow& event : gpu_events_) {
      const bool is_inside = row.first_instance <= profile::InstanceIndex(event.instance) &&
                             profile::InstanceIndex(event.instance) < row.last_instance;
      if (!is_inside || has_no_launch(event.instance)) continue;
      (event.is_kernel ? kernels : memory).add(event.ns());
    }
    const Json& launched = step["launched"];
    EXPECT_EQ(kernels, (Sum{number(launched, "kernels"), number(launched, "kernels_ns")}));
    EXPECT_EQ(memory, (Sum{number(launched, "memory"), number(launched, "memory_ns")}));
    expect_unions(step["devices"], start_ns, start_ns + window_ns);
  }
}

inline void TraceFigures::check_split() {
  if (expected_["steps"].size() < 3) return;  // fewer do not split the run
  const aggregate::Cut cut = aggregate::default_cut(aggregate::KeyRanking(profile_));
  EXPECT_EQ(cut.key_op, "ProfilerStep");
}

inline void TraceFigures::check_links(TraceEvents& events, profile::ProfileBuilder& builder) {
  QualityLog quality;
  const ArrangedTrace arranged = arrange_trace(events, builder, quality);
  constexpr capture::TableNames kNames{"", "", "", "", "", "", "", ""};
  const capture::LeftOutRows left_out;
  TraceOps ops(events, arranged.trace, arranged.threads, builder, {kNames, left_out, quality});
  const capture::NvtxRanges ranges = ops.read_ranges();
  ops.find_spans(ranges);
  EXPECT_EQ(ops.backward_ops(), number(expected_["links"], "backward_ops"));
  EXPECT_EQ(ops.linked_backward_ops(), number(expected_["links"], "linked"));
}

inline void TraceFigures::check_host_events(const TraceEvents& events,
                                            const profile::ProfileBuilder& builder) {
  using Calls = std::map<std::string, int64_t>;
  Calls ops, modules, expected_ops, expected_modules;
  for (const auto& [name, row] : expected_["ops"].items()) {
    expected_ops[name] = number(row, "calls");
  }
  for (const auto& [name, row] : expected_["modules"].items()) {
    expected_modules[name] = number(row, "calls");
  }
  for (const HostEvent& event : events.host) {
    if (event.kind != HostEvent::Kind::other) ++ops[std::string(builder.text(event.name))];
  }
  for (const PythonFrame& frame : events.modules) {
    ++modules[std::string(builder.text(frame.name))];
  }
  EXPECT_EQ(ops, expected_ops);
  EXPECT_EQ(modules, expected_modules);
}

// Calls, elements in and out, and GPU activities of a collective.
struct CollectiveFigures {
  std::array<int64_t, 3> counts{};
  Sum gpu;
  bool operator==(const CollectiveFigures&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const CollectiveFigures& figures) {
    return out << ::testing::PrintToString(figures.counts) << ", GPU: " << figures.gpu;
  }
};

inline void TraceFigures::check_collectives() {
  if (!has_categories_) return;
  std::map<std::string, CollectiveFigures> expected, found;
  for (const auto& [key, row] : expected_["collectives"].items()) {
    expected[key] = {
        {number(row, "calls"), number(row, "in_elements"), number(row, "out_elements")},
        {number(row, "gpu_events"), number(row, "gpu_ns")}};
  }
  const profile::TraceCollectives& table = profile_.trace->collectives;
  const auto text = [&](profile::StringId id) {
    return id == profile::kNoText ? std::string() : std::string(profile_.text(id));
  };
  const auto figures_of = [&](profile::Row row) -> CollectiveFigures& {
    // What dlview reads from the annotation inside is no argument.
    const bool has_arguments = table.group_size[row] != profile::kNoValue;
    return found[text(table.name[row]) + (has_arguments ? "|" + text(table.data_type[row]) + "|" +
                                                              std::to_string(table.group_size[row])
                                                        : "||")];
  };
  for (profile::Row row = 0; row < table.size(); ++row) {
    if (table.is_recorded[row] == 0) continue;
    CollectiveFigures& figures = figures_of(row);
    ++figures.counts[0];
    if (table.group_size[row] == profile::kNoValue) continue;
    figures.counts[1] += table.in_elements[row];
    figures.counts[2] += table.out_elements[row];
  }
  const auto add = [&](const profile::RecordedWork& work) {
    if (work.table.collective.empty()) return;
    const profile::Row row = work.table.collective[work.row];
    if (row == profile::kNoRow || table.is_recorded[row] == 0) return;
    figures_of(row).gpu.add(work.table.end_ns[work.row] - work.table.start_ns[work.row]);
  };
  for (profile::Row i = 0; i < profile_.kernels.size(); ++i) {
    add(profile::recorded_kernel(profile_, profile::KernelIndex(i)));
  }
  for (profile::Row i = 0; i < profile_.memory_ops.size(); ++i) {
    add(profile::recorded_memory_op(profile_, profile::MemoryOpIndex(i)));
  }
  EXPECT_EQ(found, expected);
}

inline void TraceFigures::check_allocations() {
  const std::array<const char*, 7> keys{"events",      "allocations",    "allocated_bytes", "frees",
                                        "freed_bytes", "peak_allocated", "peak_reserved"};
  std::map<std::string, std::array<int64_t, 7>> expected, found;
  for (const auto& [device, figures] : expected_["memory"].items()) {
    std::array<int64_t, 7>& of_device = expected[device];
    for (std::size_t i = 0; i < keys.size(); ++i) of_device[i] = number(figures, keys[i]);
  }
  const profile::TraceAllocations& table = profile_.trace->allocations;
  EXPECT_TRUE(std::ranges::is_sorted(table.time_ns));
  for (const aggregate::MemoryCurve& curve : aggregate::memory_curves(profile_)) {
    auto& row =
        found[std::to_string(curve.device().type) + ":" + std::to_string(curve.device().number)];
    int64_t sum = 0, largest_sum = 0;
    for (const profile::Row event : curve.events()) {
      const bool is_freed = table.bytes[event] <= 0;
      ++row[0];
      ++row[is_freed ? 3 : 1];
      row[is_freed ? 4 : 2] += std::abs(table.bytes[event]);
      sum += table.bytes[event];
      largest_sum = std::max(largest_sum, sum);
    }
    // From the first event on; what was there before it no event has.
    const base::Interval time{table.time_ns[curve.events().front()], INT64_MAX};
    const aggregate::MemoryCurve::Use most = curve.most(time);
    EXPECT_EQ(curve.peak(time).use.allocated, most.allocated);
    row[6] = most.reserved;
    // expect.py has no peak where there are no totals. dlview adds up the events.
    if (curve.has_totals()) {
      row[5] = most.allocated;
    } else {
      EXPECT_EQ(most.allocated, largest_sum);
    }
  }
  EXPECT_EQ(found, expected);
}

inline void TraceFigures::check_events() {
  base::Progress progress;
  const base::Result<ByteSource> source = ByteSource::open(path_, progress);
  ASSERT_TRUE(source.ok());
  profile::ProfileBuilder builder;
  QualityLog quality;
  base::Result<TraceEvents> events = read_trace_events(*source, builder, quality, progress);
  ASSERT_TRUE(events.ok());
  check_host_events(*events, builder);
  check_links(*events, builder);
}

inline void TraceFigures::check() {
  check_kernels();
  check_memory_operations();
  check_busy_time();
  check_attribution();
  check_ops();
  check_operators_and_modules();
  check_steps();
  check_split();
  check_collectives();
  check_allocations();
  check_events();
}

}  // namespace dlview::import::pytorch
