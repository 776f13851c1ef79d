// What a range and its filters count of the work groups of an index: calls, kernels and times, and
// those of the kernels that Nsight Compute measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/limits/counter_join.h"
#include "aggregate/limits/instance_work.h"
#include "aggregate/row_filter.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Instances of the range of an aggregation.
InstanceSpan instances_of(const Aggregation& aggregation);

// What a range counts of a work group.
struct GroupCell {
  int64_t calls = 0;  // with all their kernels
  int64_t kernels = 0, kernel_ns = 0;
  int64_t partial_ns = 0;  // of kernels whose call lost others to the filters
};

// What it counts of the measured kernels of a work group.
struct MeasuredCell {
  uint32_t group = 0, set = 0;
  int64_t kernels = 0, kernel_ns = 0;
};

// All of them.
struct WorkCells {
  std::vector<GroupCell> groups;       // by work group
  std::vector<MeasuredCell> measured;  // in order of group

  // By work group.
  std::vector<std::span<const MeasuredCell>> measured_by_group() const;
};

class WorkCounter {
 public:
  // They outlive it.
  WorkCounter(const profile::Profile& profile, const WorkIndex& work, const CounterJoin& join);

  // Without filters the cost depends on the number of groups, not of kernels; with filters on the
  // range's kernels.
  WorkCells count(const Aggregation& aggregation) const;
  // Twin of count() without filters that reads each kernel; for tests.
  WorkCells count_one_by_one(const Aggregation& aggregation) const;
  // The name of the kernels of a set of the join.
  profile::StringId name_of_set(uint32_t set) const { return name_of_set_[set]; }

 private:
  // Kernels that are joined, by work group and set of measured launches, in order of row.
  struct MeasuredKernels {
    struct Run {
      uint32_t group = 0, set = 0;
      std::size_t first = 0;  // in rows and ns_before; the next run follows
    };
    std::vector<Run> runs;
    std::vector<profile::KernelIndex> rows;
    std::vector<int64_t> ns_before;  // one more than rows
  };

  void order_measured();
  int64_t duration(profile::KernelIndex kernel) const;
  WorkCells without_filters(const InstanceSpan& span) const;
  // Kernel by kernel; what the filter counts of them (null = all).
  WorkCells one_by_one(const InstanceSpan& span, const RowFilter* filter) const;

  const profile::Profile& profile_;
  const WorkIndex& work_;
  const CounterJoin& join_;
  MeasuredKernels measured_;
  std::vector<profile::StringId> name_of_set_;
};

}  // namespace dlview::aggregate
