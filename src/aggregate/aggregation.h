// Aggregation: all numbers of one Selection. Immutable; every panel, table and report reads the
// same one. Sums are int64; a double appears only in functions that end in a division.
//
// Three totals have different definitions, and names that say which one they are:
//   sum        durations summed; overlaps count twice (kernel panel)
//   union      covered time of one instance or device; overlaps count once (an op's GPU time)
//   exclusive  each instant belongs to one category only (resource breakdown)
//
// Filters (aggregate/filter.h) apply to all numbers except the iterations, the range and wall time,
// host categories of the breakdown (obeys_filters()), and DLProf's findings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/breakdown.h"
#include "aggregate/communication.h"
#include "aggregate/group_tree.h"
#include "aggregate/iterations.h"
#include "aggregate/selection.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Kernel counts and sum of kernel durations; `tensor_core_*` is the part that uses them.
struct KernelTotals {
  int64_t count = 0, tensor_core_count = 0;
  int64_t gpu_ns = 0, tensor_core_gpu_ns = 0;
  KernelTotals& operator+=(const KernelTotals& more) {
    count += more.count;
    tensor_core_count += more.tensor_core_count;
    gpu_ns += more.gpu_ns;
    tensor_core_gpu_ns += more.tensor_core_gpu_ns;
    return *this;
  }
  bool operator==(const KernelTotals&) const = default;
};

// Facts about one iteration, in the range or not.
struct IterationFacts {
  Breakdown device_sum;  // summed over all devices, unrounded: device_count * duration in total
  Breakdown per_device;  // floor(device_sum / device_count); Other = duration - the rest
  KernelTotals kernels;  // of the instances of the iteration
  CommunicationTime communication_device_sum, communication_per_device;  // floor, likewise
  bool operator==(const IterationFacts&) const = default;
};

// All iterations of a split. Shared by every Aggregation with that split.
struct IterationTable {
  Iterations iterations;
  std::vector<IterationFacts> facts;  // one per iteration
  int64_t device_count = 0;
  Outside outside;                    // whatever the filters
  std::vector<uint32_t> by_duration;  // iteration numbers, shortest first; ties by number
  bool has_communication = false;     // any kernel of the run communicates, whatever the filters
  bool operator==(const IterationTable&) const = default;
};

// An op with at least one instance in the range.
struct OpAggregate {
  profile::OpIndex op{0};
  TimeStats times;               // over its instances; times.count() = calls
  Stats kernel_api, kernel_gpu;  // over its single kernels; kernel_gpu.count = kernel calls
  int64_t tensor_core_kernels = 0;
  int64_t tensor_core_gpu_ns = 0;  // sum
  bool uses_tensor_cores() const { return tensor_core_kernels > 0; }
  bool operator==(const OpAggregate&) const = default;
};

struct OpTypeAggregate {
  profile::StringId type = 0;
  int64_t op_count = 0;
  TimeStats times;  // over all instances of all ops of the type
  bool operator==(const OpTypeAggregate&) const = default;
};

// A group with at least one instance in the range.
struct GroupAggregate {
  profile::Row group = 0;  // in GroupTree::groups
  int64_t instance_count = 0;
  int64_t eligible_ops = 0, tensor_core_ops = 0;  // ops below, with an instance in the range
  TimeStats times;  // one value per iteration in which the group has an instance: its sum there
  bool operator==(const GroupAggregate&) const = default;
};

// One (op, kernel name) pair.
struct KernelAggregate {
  profile::OpIndex op{0};
  profile::StringId name = 0;
  Stats gpu, api;
  bool uses_tensor_cores = false;  // any of its kernels
  bool operator==(const KernelAggregate&) const = default;
};

// One row of DLProf's category_summary.
struct CategorySummary {
  int64_t cpu_ns = 0, gpu_ns = 0, overhead_ns = 0, idle_ns = 0;
  int64_t count = 0;  // ops, or distinct kernel names, or distinct API names: never launches
  bool operator==(const CategorySummary&) const = default;
};

struct DeviceAggregate {
  profile::DeviceIndex device{0};
  bool is_kept = true;          // by the filters on GPUs
  int64_t kernel_union_ns = 0;  // time in which at least one kernel ran, inside the iterations
  // Exclusive, this device alone; sums to range_ns. Stored I/O is a mean over devices: not in here.
  Breakdown breakdown;
  CommunicationTime communication;
  int64_t kernel_count = 0;  // of the instances in the range
  bool operator==(const DeviceAggregate&) const = default;
};

// See aggregate/advice.h for the detectors.
struct Advice {
  std::string detector;  // DLProf's exp_sys_id
  std::string problem, recommendation;
  std::string action, action_arguments;  // DLProf's javascript_function and its arguments
  bool operator==(const Advice&) const = default;
};

struct Aggregation {
  Selection selection;
  std::shared_ptr<const IterationTable> iteration_table;
  std::shared_ptr<const GroupTree> group_tree;

  int64_t range_ns = 0;  // sum of the durations of the range's iterations: 100% everywhere
  int64_t wall_ns = 0;   // last stop - first start

  std::vector<OpAggregate> ops;           // in order of op row
  std::vector<OpTypeAggregate> op_types;  // in byte order of the type's text
  std::vector<GroupAggregate> groups;     // in order of group row
  std::vector<KernelAggregate> kernels;   // in order of (op row, byte order of the name's text)
  std::vector<DeviceAggregate> devices;   // one for each of Profile::devices

  // Exclusive, summed over all devices of the machine; sums to range_ns * device count.
  Breakdown breakdown;
  CommunicationTime communication;  // summed likewise
  // I/O comes from OS runtime calls of an export, or per iteration from a stored aggregation of
  // exactly this range; else it is not recorded (spec.md 9).
  bool io_recorded = false;

  // All ops as one group, as GroupAggregate::times: DLProf's _CompleteModel_.
  TimeStats model_times;

  // Ops partitioned: eligible but not using + using + other = all.
  CategorySummary all_ops, eligible_ops, tensor_core_ops, other_ops;
  // Plain sums; all_kernels does not contain memory.
  CategorySummary all_kernels, tensor_core_kernels, other_kernels, memory;

  int64_t kernel_launches = 0, memory_op_count = 0;
  // Kernel time (sum) of Tensor Core kernels, and of all ops that are eligible or use them.
  int64_t tensor_core_kernel_ns = 0, eligible_kernel_ns = 0;

  // DLProf's findings for the whole range, whatever the filters: for a part of it they would
  // mislead.
  std::vector<Advice> advice;

  // The same range without filters; null if the selection has none.
  std::shared_ptr<const Aggregation> unfiltered;
  const Aggregation& whole() const { return unfiltered ? *unfiltered : *this; }

  bool operator==(const Aggregation&) const;

  // Percentages are 0..100.
  double gpu_utilization() const;       // mean over the devices that match the filters
  double gpu_utilization_used() const;  // mean over devices with a kernel
  double device_utilization(const DeviceAggregate&) const;        // kernels only
  double iteration_gpu_utilization(std::size_t iteration) const;  // memory counts, as DLProf has it
  double tensor_core_efficiency() const;
  double share(Category category) const;           // of range_ns over all devices
  double share(int64_t device_sum_ns) const;       // likewise, of a sum over all devices
  double average_iteration_ns() const;             // wall / iterations
  double iteration_standard_deviation_ns() const;  // population
};

// Durations of the range's iterations in ascending order, for medians and percentiles.
std::vector<int64_t> sorted_durations(const Aggregation& aggregation);

// The value below which `fraction` (0..1) of the sorted values lie: nearest rank. 0 when empty.
int64_t percentile(const std::vector<int64_t>& sorted, double fraction);

}  // namespace dlview::aggregate
