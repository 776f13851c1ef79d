// The iterations of a profile for a split: start and stop of each, and its op instances (spec.md 1,
// 2, 4, 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/key_ops.h"
#include "aggregate/selection.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// A span of time and its op instances, rows [first_instance, last_instance). Its duration is
// stop - start; the ns between one stop and the next start (stop + 1) belongs to neither.
struct Iteration {
  int64_t start_ns = 0, stop_ns = 0;
  profile::InstanceIndex first_instance{0}, last_instance{0};
  // Only if split by the GPU: the time on the host, both ends included, in which its instances
  // begin.
  std::optional<base::Interval> host = {};
  int64_t duration_ns() const { return stop_ns - start_ns; }
  // The time of host activity: its op instances and the calls between them.
  base::Interval host_time() const { return host.value_or(base::Interval{start_ns, stop_ns}); }
  bool operator==(const Iteration&) const = default;
};

// The NVTX range that marks an iteration.
struct KeyRange {
  int64_t start_ns = 0, stop_ns = 0;
  int64_t number = profile::kNoValue;  // that it counts with: 30 of "Step 30"
  // Only if split by the GPU: from the first to the last kernel launched in it, if there is one.
  std::optional<base::Interval> on_gpu = {};
  int64_t duration_ns() const { return stop_ns - start_ns; }
  bool operator==(const KeyRange&) const = default;
};

struct Iterations {
  std::vector<Iteration> rows;  // numbered from 0, in order of time; never empty
  // Instances of the key op, or ranges, that mark iterations; 0 = the run could not be split.
  int64_t key_instances = 0;
  // Only for a split by ranges: their name, "Step", and one of them per row; else empty.
  std::string range_name;
  std::vector<KeyRange> ranges;
  // The source of the rows' times; host also if the GPU was requested but no kernel counts.
  SplitBy split_by = SplitBy::host;
  bool operator==(const Iterations&) const = default;
};

// Instances [first, last) of a range.
struct InstanceSpan {
  profile::InstanceIndex first{0}, last{0};
};
InstanceSpan instances_of(const Iterations& iterations, const IterationRange& range);

// Returns whether the numbers in the names of the ranges differ from those of the iterations.
bool count_otherwise(const Iterations& iterations);
// "Step 30", as the range of that iteration calls itself; "" where it does not count, or where all
// count as the iterations do.
std::string range_label(const Iterations& iterations, int64_t iteration);
// "Step 0–430"; likewise.
std::string range_label(const Iterations& iterations, const IterationRange& range);

// The threads on which the key runs, as one of them can be the clock; in order of process and
// thread.
struct KeyThread {
  profile::Thread thread;
  int64_t instances = 0;
  bool operator==(const KeyThread&) const = default;
};
std::vector<KeyThread> threads_of_key(const profile::Profile& profile, std::string_view key);

// Returns how to record a PyTorch trace again that has exactly one ProfilerStep#N: prof.step() was
// called, but a single step cannot split the run. "" for all other profiles.
std::string_view advice_on_one_step(const profile::Profile& profile);

// The parts before the first iteration and after the last. An event is in the part of its instance.
struct OutsidePart {
  int64_t duration_ns = 0;             // from the start of the run, or to its end
  int64_t kernels = 0, kernel_ns = 0;  // launches, and a sum
  bool operator==(const OutsidePart&) const = default;
};
struct Outside {
  OutsidePart before, after;
  int64_t kernels = 0, kernel_ns = 0;  // of the whole run
  bool operator==(const Outside&) const = default;
};
Outside find_outside(const profile::Profile& profile, const Iterations& iterations);

class BoundaryKernels;
// A split by the GPU looks at every kernel twice, and once where `known` comes from the same
// profile; what it looks for is left there.
Iterations cut_iterations(const profile::Profile& profile, const Cut& cut,
                          std::optional<BoundaryKernels>* known = nullptr);

// Returns the default of a split: by the host or by the GPU (spec.md 94). Takes several passes over
// all kernels if much of their time is in other iterations.
SplitBy default_split(const profile::Profile& profile, const Cut& cut);

// Returns the split with which a file opens: the list of its first stored aggregation; for an
// Nsight Systems export the best marker; or one iteration.
Cut default_cut(const KeyRanking& ranking);
// The range with which a file opens under default_cut(): the stored one, or all.
Selection default_selection(const KeyRanking& ranking);

// Returns the rule that gives a stored aggregation's iteration list: start or end if a split at its
// key op gives the list to the ns, else stored.
Cut recognize_cut(const profile::Profile& profile, std::size_t stored_index);

// Returns the stored aggregation with the I/O time of exactly this range of these iterations;
// nullptr = I/O is not recorded (spec.md 9).
const profile::StoredAggregation* find_stored_io(const profile::Profile& profile,
                                                 const Iterations& iterations,
                                                 const IterationRange& range);

// Iteration numbers, shortest first; ties by number.
std::vector<uint32_t> order_by_duration(const Iterations& iterations);

// The nearest range that lies inside [0, iteration_count); first <= last.
IterationRange clamp_range(IterationRange range, int64_t iteration_count);

}  // namespace dlview::aggregate
