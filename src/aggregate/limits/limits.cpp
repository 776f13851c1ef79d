#include "aggregate/limits/limits.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <climits>
#include <fmt/format.h>

#include "aggregate/find_op.h"
#include "aggregate/limits/gpu_samples.h"
#include "aggregate/limits/limit_sums.h"
#include "aggregate/limits/work_cells.h"
#include "aggregate/range_sums.h"
#include "profile/communication.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::OpIndex;
using profile::Row;
using profile::StringId;

void sort_by_savings(std::vector<LimitRow>& rows) {
  std::ranges::stable_sort(rows, [](const LimitRow& a, const LimitRow& b) {
    if (a.save_ns.has_value() != b.save_ns.has_value()) return a.save_ns.has_value();
    if (a.save_ns && *a.save_ns != *b.save_ns) return *a.save_ns > *b.save_ns;
    return a.time_ns > b.time_ns;
  });
}

}  // namespace

struct LimitIndex::Data {
  // Means of a set of measured launches.
  struct SetFacts {
    Work work;
    BusyFacts busy;
    std::optional<MathType> type;
  };

  const profile::Profile* profile;
  LimitOptions options;
  WorkIndex work;
  std::vector<GpuPeaks> peaks;  // by device
  bool are_gpus_alike = true;
  std::vector<Row> device_of_group;  // kNoRow = several unlike ones
  // nullopt = unknown, or the group communicates.
  std::vector<std::optional<MathType>> type_of_group;
  std::vector<CounterFacts> facts;
  CounterJoin join;
  std::vector<SetFacts> sets;  // by set of the join
  std::optional<WorkCounter> counter;
  std::optional<GpuSamples> samples;         // nullopt = no GPU metrics
  std::map<OpIndex, std::string> own_names;  // of ops whose name others have, too

  Data(const profile::Profile& of, const LimitOptions& with)
      : profile(&of), options(with), work(*profile) {
    for (DeviceIndex device{0}; device < profile->devices.size(); ++device) {
      peaks.push_back(peaks_of(properties_of(*profile, device), options.peaks.get()));
      are_gpus_alike &= peaks.back() == peaks.front();
    }
    describe_groups();
    name_ops();
    if (has_gpu_metrics(*profile)) samples.emplace(*profile);
    if (profile->counters) join_launches();
    counter.emplace(*profile, work, join);
  }

  void join_launches() {
    facts = facts_of(*profile->counters, options.thresholds);
    join = join_counters(*profile, *profile->counters, facts);
    for (uint32_t set = 0; set < join.set_count(); ++set) {
      sets.push_back(facts_of_set(join.launches_of(set)));
    }
  }

  // A row of a summary stands for all its invocations.
  SetFacts facts_of_set(std::span<const Row> launches) const {
    const auto mean = [&](std::optional<double> CounterFacts::*member) -> std::optional<double> {
      double sum = 0, count = 0;
      for (const Row launch : launches) {
        const std::optional<double>& value = facts[launch].*member;
        const auto weight = static_cast<double>(profile->counters->launches[launch].invocations);
        if (!value) continue;
        sum += *value * weight;
        count += weight;
      }
      return count > 0 ? std::optional(sum / count) : std::nullopt;
    };
    SetFacts set;
    set.work = {mean(&CounterFacts::flops), mean(&CounterFacts::dram_bytes), true, Origin::counted,
                Origin::counted};
    set.busy = {mean(&CounterFacts::compute_percent), mean(&CounterFacts::memory_percent),
                mean(&CounterFacts::dram_percent),    mean(&CounterFacts::l2_percent),
                mean(&CounterFacts::l1_percent),      mean(&CounterFacts::waves)};
    for (const Row launch : launches) {
      if (!set.type) set.type = facts[launch].type;
    }
    return set;
  }

  // Ops of one name have their ids behind it: "relu/relu (RELU_2)".
  void name_ops() {
    std::unordered_map<StringId, OpIndex> first_of_name;
    const auto add = [this](OpIndex op) {
      own_names.try_emplace(op, fmt::format("{} ({})", profile->text(profile->ops.name[op]),
                                            profile->text(profile->ops.id[op])));
    };
    OpIndex last;
    for (const WorkGroup& group : work.groups()) {
      if (group.op == last) continue;
      last = group.op;
      const auto place = first_of_name.try_emplace(profile->ops.name[last], last);
      if (place.second) continue;
      add(place.first->second);
      add(last);
    }
  }
  std::string_view name_of(OpIndex op) const {
    const auto own = own_names.find(op);
    return own == own_names.end() ? profile->text(profile->ops.name[op])
                                  : std::string_view(own->second);
  }

  bool has_counters_alone() const {
    return profile->kernels.size() == 0 && profile->counters != nullptr;
  }
  void describe_groups() {
    constexpr Row kUnseen = kNoRow - 1;
    device_of_group.assign(work.groups().size(), kUnseen);
    for (KernelIndex kernel{0}; kernel < profile->kernels.size(); ++kernel) {
      Row& device = device_of_group[work.group_of_kernel()[kernel]];
      const Row its{profile->device_of_kernel(kernel)};
      if (device == kUnseen) {
        device = its;
      } else if (device != its && !are_gpus_alike) {
        device = kNoRow;
      }
    }
    std::ranges::replace(device_of_group, kUnseen, kNoRow);
    for (const WorkGroup& group : work.groups()) {
      const bool communicates = group.kernel != kNoText &&
                                profile::communication_of(profile->text(group.kernel)).has_value();
      type_of_group.push_back(communicates ? std::nullopt
                                           : math_type(group.data_type, group.uses_tensor_cores));
    }
  }

  const GpuPeaks* peaks_of_group(std::size_t group) const {
    if (peaks.empty()) return nullptr;
    if (are_gpus_alike) return &peaks.front();
    const Row device = device_of_group[group];
    return device == kNoRow ? nullptr : &peaks[device];
  }

  // Counted work if all kernels of the calls have it, or nothing is known from shapes.
  void add_group(LimitSums& sums, std::size_t group, const GroupCell& cell,
                 std::span<const MeasuredCell> of_sets) const {
    const OpWork& estimate = work.works()[work.groups()[group].work];
    const GpuPeaks* gpu = peaks_of_group(group);
    sums.add_time(cell.kernels, cell.kernel_ns, device_of_group[group], type_of_group[group]);
    sums.add_formula(estimate, cell.kernel_ns);
    int64_t with_work = 0, with_bytes = 0;
    double bytes = 0;
    for (const MeasuredCell& its : of_sets) {
      const SetFacts& set = sets[its.set];
      sums.add_busy(set.busy, set.work.bytes, its.set, its.kernels, its.kernel_ns, gpu);
      if (set.work.flops && set.work.bytes) with_work += its.kernels;
      if (!set.work.bytes) continue;
      with_bytes += its.kernels;
      bytes += *set.work.bytes * static_cast<double>(its.kernels);
    }
    const bool has_estimate = estimate.flops || estimate.bytes;
    if (with_work > 0 && (with_work == cell.kernels || !has_estimate)) {
      for (const MeasuredCell& its : of_sets) add_counted(sums, group, its, gpu);
      return;
    }
    if (!has_estimate || cell.calls == 0) return;
    const auto number = [](const std::optional<int64_t>& value) {
      return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    Work each{number(estimate.flops),
              number(estimate.bytes),
              estimate.flops_exact && estimate.bytes_exact,
              Origin::estimated,
              Origin::estimated,
              number(estimate.flops_least),
              number(estimate.bytes_least)};
    if (with_bytes == cell.kernels && cell.partial_ns == 0) {
      each.bytes = bytes / static_cast<double>(cell.calls);
      each.bytes_origin = Origin::counted;
      each.bytes_least.reset();
    }
    sums.add_work(each, cell.calls, cell.kernel_ns - cell.partial_ns, type_of_group[group], gpu);
  }

  void add_counted(LimitSums& sums, std::size_t group, const MeasuredCell& cell,
                   const GpuPeaks* gpu) const {
    const SetFacts& set = sets[cell.set];
    if (!set.work.flops || !set.work.bytes) return;
    sums.add_work(set.work, cell.kernels, cell.kernel_ns,
                  set.type ? set.type : type_of_group[group], gpu);
  }

  LimitRow row_of(const LimitSums& sums) const {
    return sums.row(peaks, are_gpus_alike, options.thresholds);
  }

  std::vector<LimitRow> rows_by_op(const Aggregation& aggregation, const WorkCells& cells) const {
    std::vector<LimitRow> rows;
    const auto of_sets = cells.measured_by_group();
    const std::vector<WorkGroup>& groups = work.groups();
    for (std::size_t i = 0; i < groups.size();) {
      const OpIndex op = groups[i].op;
      LimitSums sums;
      for (; i < groups.size() && groups[i].op == op; ++i) {
        if (cells.groups[i].kernels > 0) add_group(sums, i, cells.groups[i], of_sets[i]);
      }
      if (sums.time_ns() == 0) continue;
      if (const OpAggregate* its = find_op(aggregation, op)) {
        sums.add_calls(its->times.count());
        sums.add_tensor_core_time(its->tensor_core_gpu_ns);
      }
      LimitRow& row = rows.emplace_back(row_of(sums));
      row.op = op;
      row.name = name_of(op);
    }
    return rows;
  }

  std::vector<LimitRow> rows_by_shape(const WorkCells& cells) const {
    std::vector<LimitRow> rows;
    const auto of_sets = cells.measured_by_group();
    const std::vector<WorkGroup>& groups = work.groups();
    for (std::size_t i = 0; i < groups.size();) {
      const OpIndex op = groups[i].op;
      std::unordered_map<std::string_view, std::size_t> places;
      std::vector<std::pair<StringId, LimitSums>> of_op;
      for (; i < groups.size() && groups[i].op == op; ++i) {
        if (cells.groups[i].kernels == 0) continue;
        const auto place =
            places.try_emplace(shapes_text(*profile, groups[i].shapes), of_op.size());
        if (place.second) of_op.emplace_back(groups[i].shapes, LimitSums());
        LimitSums& sums = of_op[place.first->second].second;
        add_group(sums, i, cells.groups[i], of_sets[i]);
        sums.add_calls(cells.groups[i].calls);
        if (groups[i].uses_tensor_cores) sums.add_tensor_core_time(cells.groups[i].kernel_ns);
      }
      for (const auto& [shapes, sums] : of_op) {
        if (sums.time_ns() == 0) continue;
        LimitRow& row = rows.emplace_back(row_of(sums));
        row.op = op;
        row.name = name_of(op);
        row.shapes = shapes;
      }
    }
    return rows;
  }

  std::vector<LimitRow> rows_by_group(const Aggregation& aggregation,
                                      const WorkCells& cells) const {
    const GroupTree& tree = *aggregation.group_tree;
    std::vector<LimitSums> sums(tree.groups.size());
    const auto of_sets = cells.measured_by_group();
    const auto for_each_above = [&tree](OpIndex op, const auto& use) {
      for (Row group = tree.group_of_op[op]; group != kNoRow; group = tree.groups[group].parent) {
        use(group);
      }
    };
    for (std::size_t i = 0; i < cells.groups.size(); ++i) {
      if (cells.groups[i].kernels == 0) continue;
      for_each_above(work.groups()[i].op,
                     [&](Row group) { add_group(sums[group], i, cells.groups[i], of_sets[i]); });
    }
    for (const OpAggregate& op : aggregation.ops) {
      for_each_above(op.op, [&](Row group) {
        sums[group].add_calls(op.times.count());
        sums[group].add_tensor_core_time(op.tensor_core_gpu_ns);
      });
    }
    std::vector<LimitRow> rows;
    for (Row group = 0; group < sums.size(); ++group) {
      if (sums[group].time_ns() == 0) continue;
      LimitRow& row = rows.emplace_back(row_of(sums[group]));
      row.group = group;
      row.name = group_name(*profile, tree.groups[group]);
    }
    return rows;
  }

  // A call with several kernels does not say which of them does the work: these are known by what
  // is measured of them alone.
  std::vector<LimitRow> rows_by_kernel(const Aggregation& aggregation,
                                       const WorkCells& cells) const {
    std::unordered_map<StringId, LimitSums> of_kernels;
    const auto of_sets = cells.measured_by_group();
    for (std::size_t i = 0; i < cells.groups.size(); ++i) {
      if (cells.groups[i].kernels == 0) continue;
      if (work.groups()[i].kernel != kNoText) {
        add_group(of_kernels[work.groups()[i].kernel], i, cells.groups[i], of_sets[i]);
        continue;
      }
      const GpuPeaks* gpu = peaks_of_group(i);
      for (const MeasuredCell& cell : of_sets[i]) {
        const SetFacts& set = sets[cell.set];
        LimitSums& sums = of_kernels[counter->name_of_set(cell.set)];
        sums.add_time(0, 0, device_of_group[i], std::nullopt);
        sums.add_busy(set.busy, set.work.bytes, cell.set, cell.kernels, cell.kernel_ns, gpu);
        add_counted(sums, i, cell, gpu);
      }
    }
    struct OfName {
      int64_t launches = 0, ns = 0, tensor_core_ns = 0;
    };
    std::map<StringId, OfName> names;
    for (const KernelAggregate& kernel : aggregation.kernels) {
      OfName& of_name = names[kernel.name];
      of_name.launches += kernel.gpu.count;
      of_name.ns += kernel.gpu.sum;
      if (kernel.uses_tensor_cores) of_name.tensor_core_ns += kernel.gpu.sum;
    }
    std::vector<LimitRow> rows;
    for (const auto& [name, of_name] : names) {
      if (of_name.ns == 0) continue;
      LimitSums& sums = of_kernels[name];
      sums.set_kernels(of_name.launches, of_name.ns);
      sums.add_calls(of_name.launches);
      sums.add_tensor_core_time(of_name.tensor_core_ns);
      LimitRow& row = rows.emplace_back(row_of(sums));
      row.kernel = name;
      row.name = profile->text(name);
    }
    return rows;
  }

  // Nsight Compute files alone: their launches by kernel, grid, block and GPU. Several files of one
  // run measure the same launches: the n-th of each is one.
  std::vector<LimitRow> rows_of_counters() const {
    const profile::KernelCounters& counters = *profile->counters;
    using Key = std::tuple<std::string_view, std::array<int32_t, 6>, Row>;
    struct OfKey {
      std::string_view kernel;
      std::vector<std::vector<Row>> of_files;  // launches
    };
    std::map<Key, std::size_t> places;
    std::vector<OfKey> of_keys;
    for (Row row = 0; row < counters.launches.size(); ++row) {
      const profile::CounterLaunch& launch = counters.launches[row];
      const profile::Dim3 grid = launch.grid.value_or(profile::Dim3()),
                          block = launch.block.value_or(profile::Dim3());
      const std::string_view kernel = counters.text(launch.kernel);
      const auto place = places.try_emplace(Key{kernel,
                                                {grid.x, grid.y, grid.z, block.x, block.y, block.z},
                                                device_of_launch(launch)},
                                            of_keys.size());
      if (place.second) of_keys.push_back({kernel, {}});
      auto& of_files = of_keys[place.first->second].of_files;
      if (of_files.empty() || counters.launches[of_files.back().back()].file != launch.file) {
        of_files.emplace_back();
      }
      of_files.back().push_back(row);
    }
    std::vector<LimitRow> rows;
    for (const auto& [kernel, of_files] : of_keys) {
      LimitSums sums;
      const auto& longest = *std::ranges::max_element(of_files, {}, &std::vector<Row>::size);
      for (std::size_t i = 0; i < longest.size(); ++i) {
        std::vector<Row> same;
        for (const std::vector<Row>& launches : of_files) {
          if (i < launches.size()) same.push_back(launches[i]);
        }
        add_launch(sums, longest[i], same);
      }
      if (sums.time_ns() == 0) continue;
      rows.push_back(row_of(sums));
      rows.back().name = kernel;
    }
    return rows;
  }

  // kNoRow = none of its number and compute capability.
  Row device_of_launch(const profile::CounterLaunch& launch) const {
    for (Row row = 0; row < profile->devices.size(); ++row) {
      const profile::Device& device = profile->devices[DeviceIndex(row)];
      const bool is_alike =
          !launch.cc_major || (*launch.cc_major == device.compute_capability_major &&
                               launch.cc_minor.value_or(0) == device.compute_capability_minor);
      if (is_alike && device.device_id == launch.device.value_or(0)) return row;
    }
    return kNoRow;
  }

  // `same`: launches of several files that are this one.
  void add_launch(LimitSums& sums, Row row, std::span<const Row> same) const {
    constexpr double kMostNs = 1e18;
    const profile::CounterLaunch& launch = profile->counters->launches[row];
    const SetFacts set = facts_of_set(same);
    double duration_ns = 0;
    for (const Row launch_of_file : same) {
      if (duration_ns == 0) duration_ns = facts[launch_of_file].duration_ns.value_or(0);
    }
    const double time_ns = duration_ns * static_cast<double>(launch.invocations);
    if (!(time_ns >= 0 && time_ns <= kMostNs)) return;
    const auto ns = static_cast<int64_t>(time_ns);
    const Row device = device_of_launch(launch);
    const GpuPeaks* gpu = device == kNoRow ? nullptr : &peaks[device];
    sums.add_calls(launch.invocations);
    sums.add_time(launch.invocations, ns, device, set.type);
    sums.add_busy(set.busy, set.work.bytes, row, launch.invocations, ns, gpu);
    sums.add_work(set.work, launch.invocations, ns, set.type, gpu);
  }

  // Where Nsight Compute measured nothing.
  void add_samples(std::vector<LimitRow>& rows, const Aggregation& aggregation, LimitsBy by) const {
    if (!samples || (by != LimitsBy::op && by != LimitsBy::kernel)) return;
    const auto place_of = [by](OpIndex op, StringId kernel) {
      return by == LimitsBy::op ? Row{op} : Row{kernel};
    };
    std::unordered_map<Row, LimitRow*> places;
    for (LimitRow& row : rows) {
      if (row.measured_ns == 0) places[place_of(row.op, row.kernel)] = &row;
    }
    const auto sampled =
        by == LimitsBy::op ? samples->by_op(aggregation) : samples->by_kernel(aggregation);
    for (const SampledRow& its : sampled) {
      const auto found = places.find(place_of(its.op, its.kernel));
      if (found != places.end() && its.samples.is_shown()) add_samples(*found->second, its);
    }
  }
  void add_samples(LimitRow& row, const SampledRow& its) const {
    const auto share = [](const std::optional<double>& percent) {
      return percent ? Share{percent, Origin::sampled} : Share{};
    };
    row.samples = its.samples.samples;
    row.sampled_ns = its.sampled_ns;
    row.busy_math = share(its.samples.math());
    row.busy_memory = share(its.samples.dram());
    // A part of the launches does not speak for all.
    if (2 * its.sampled_ns < row.time_ns) return;
    row.by_busy = its.samples.limit(options.thresholds);
    row.busy_near = row.by_busy != Limit::unknown &&
                    is_near(row.busy_math, row.busy_memory, options.thresholds);
  }

  std::vector<LimitRow> rows(const Aggregation& aggregation, LimitsBy by,
                             const WorkCells& cells) const {
    std::vector<LimitRow> found;
    switch (by) {
      case LimitsBy::op:
        found = rows_by_op(aggregation, cells);
        break;
      case LimitsBy::shape:
        found = rows_by_shape(cells);
        break;
      case LimitsBy::group:
        found = rows_by_group(aggregation, cells);
        break;
      case LimitsBy::kernel:
        found = rows_by_kernel(aggregation, cells);
        break;
    }
    add_samples(found, aggregation, by);
    sort_by_savings(found);
    return found;
  }
};

LimitIndex::LimitIndex(const profile::Profile& profile, const LimitOptions& options)
    : data_(std::make_unique<const Data>(profile, options)) {}

LimitIndex::~LimitIndex() = default;

std::vector<LimitRow> LimitIndex::rows(const Aggregation& aggregation, LimitsBy by) const {
  if (data_->has_counters_alone()) {
    std::vector<LimitRow> rows = data_->rows_of_counters();
    sort_by_savings(rows);
    return rows;
  }
  return data_->rows(aggregation, by, data_->counter->count(aggregation));
}

std::vector<LimitRow> LimitIndex::rows_one_by_one(const Aggregation& aggregation,
                                                  LimitsBy by) const {
  if (aggregation.selection.filters.empty()) {
    return data_->rows(aggregation, by, data_->counter->count_one_by_one(aggregation));
  }
  return rows(aggregation, by);
}

const WorkIndex& LimitIndex::work() const {
  return data_->work;
}
const CounterJoin& LimitIndex::join() const {
  return data_->join;
}
std::span<const CounterFacts> LimitIndex::counter_facts() const {
  return data_->facts;
}
const GpuPeaks& LimitIndex::peaks(profile::DeviceIndex device) const {
  return data_->peaks[device];
}
const LimitThresholds& LimitIndex::thresholds() const {
  return data_->options.thresholds;
}

std::string_view to_text(LimitsBy by) {
  switch (by) {
    case LimitsBy::kernel:
      return "kernel";
    case LimitsBy::shape:
      return "shape";
    case LimitsBy::group:
      return "group";
    case LimitsBy::op:
      break;
  }
  return "op";
}

FlopUtilization flop_utilization(const profile::Profile& profile, const Aggregation& aggregation,
                                 std::span<const LimitRow> ops) {
  FlopUtilization found;
  double model_ns = 0, hardware_ns = 0;
  for (const LimitRow& row : ops) {
    if (row.math_ns <= 0) continue;
    hardware_ns += row.math_ns;
    found.may_be_high |= row.flops.may_be_high;
    const bool recomputes = row.op != kNoRow && profile::is_recomputed(profile, row.op);
    if (!recomputes) model_ns += row.math_ns;
  }
  const double available_ns =
      static_cast<double>(aggregation.range_ns) * static_cast<double>(profile.devices.size());
  if (hardware_ns <= 0 || available_ns <= 0) return found;
  found.model_percent = 100 * model_ns / available_ns;
  found.hardware_percent = 100 * hardware_ns / available_ns;
  return found;
}

std::vector<LimitSummary> summarize(std::span<const LimitRow> rows) {
  std::map<std::pair<int, int>, LimitSummary> sums;  // unknown last
  for (const LimitRow& row : rows) {
    const Limit limit = row.limit();
    const Origin origin = limit == Limit::unknown ? Origin::none : row.origin();
    const int order = limit == Limit::unknown ? INT_MAX : static_cast<int>(limit);
    LimitSummary& sum = sums[{order, -static_cast<int>(origin)}];
    sum.limit = limit;
    sum.origin = origin;
    ++sum.rows;
    sum.kernels += row.kernels;
    sum.time_ns += row.time_ns;
  }
  std::vector<LimitSummary> result;
  for (const auto& entry : sums) result.push_back(entry.second);
  return result;
}

}  // namespace dlview::aggregate
