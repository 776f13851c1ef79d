// Limits: for each op, kernel, op and shape, or group of the range, how much work it does, how
// fast, against which roof, what limits it and what it can save at most.
//
//   time         sum of kernel durations
//   FLOP, bytes  counted by Nsight Compute where the row's kernels are measured, else from shapes
//   busy         counted by Nsight Compute; of ops and kernels else the mean of GPU metrics
//   roof time    sum over calls with known work of max(FLOP / peak, bytes / peak bandwidth)
//   can save     the time of these calls minus their roof time: an upper bound
// A row whose FLOP come from both origins has the weaker one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/limits/counter_facts.h"
#include "aggregate/limits/counter_join.h"
#include "aggregate/limits/instance_work.h"
#include "aggregate/limits/peaks.h"
#include "aggregate/limits/verdicts.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class LimitsBy : uint8_t { op, kernel, shape, group };
std::string_view to_text(LimitsBy by);

// A sum of FLOP or bytes.
struct WorkSum {
  std::optional<double> value;  // nullopt = unknown
  Origin origin = Origin::none;
  bool exact = false;        // else a lower bound or an approximation
  bool may_be_high = false;  // an estimate that is not a lower bound
  // Before the number: "≥ " of a lower bound, "≈ " of another estimate, "" of what is counted.
  std::string_view sign() const;
  bool operator==(const WorkSum&) const = default;
};

struct LimitRow {
  // What it is: exactly one of op (also by shape), kernel and group is set.
  profile::OpIndex op;                          // kNoRow = by kernel or group
  profile::StringId kernel = profile::kNoText;  // name of the kernels
  profile::Row group = profile::kNoRow;         // in GroupTree::groups
  std::string_view name;  // lives as long as the index; with its id if other ops have it, too
  profile::StringId shapes = 0;  // by shape; 0 = not recorded
  // Of most of its FLOP; without FLOP, of most of its time. nullopt = unknown.
  std::optional<MathType> type;
  // Whose peaks apply; nullopt = several GPUs with different peaks.
  std::optional<profile::DeviceIndex> device;

  int64_t calls = 0;  // of ops; launches by kernel
  int64_t kernels = 0;
  int64_t time_ns = 0;
  int64_t known_ns = 0;     // the part whose work is known
  int64_t measured_ns = 0;  // the part that Nsight Compute measured
  int64_t tensor_core_ns = 0;
  WorkSum flops, bytes;  // of the known part
  // Rates of the known part, per second; nullopt = unknown.
  std::optional<double> intensity, flops_per_second, bytes_per_second;
  const Peak* peak_flops = nullptr;  // null = unknown; they live as long as the LimitIndex
  const Peak* peak_bandwidth = nullptr;
  // Its FLOP are of several number formats: `math` is of the peak of each, not of peak_flops.
  bool mixes_types = false;
  double math_ns = 0;  // that its FLOP take at the peaks of their number formats
  Share math, memory;  // achieved / peak
  // SM and DRAM throughput, weighted by time. Sampled: SampleMeans::math(), a lower bound, and
  // dram().
  Share busy_math, busy_memory;
  // DRAM throughput is not measured: counted bytes over the time of the profile, an upper bound.
  bool derives_busy_memory = false;
  int64_t samples = 0, sampled_ns = 0;  // of sampled shares, and the part of the time that has them
  std::optional<double> roof_ns, roof_percent, save_ns;
  bool roof_is_math = false;

  Limit by_flops = Limit::unknown, by_busy = Limit::unknown, by_intensity = Limit::unknown;
  SpeedOfLight by_ncu = SpeedOfLight::unknown;
  bool flops_near = false, busy_near = false;  // by_flops, by_busy: near to their threshold
  std::string_view memory_level;               // "L2": the busiest; empty = unknown
  // In works() of the index; of the row's largest call. nullptr = none.
  const OpWork* work = nullptr;
  // Measured launches behind it, a set of the join, or the launch itself where no kernels are
  // recorded; kNoSet = none, or several.
  uint32_t counter_set = CounterJoin::kNoSet;
  std::string_view note;  // why something is unknown or above 100%; may be empty

  // The verdict shown first: counted FLOP/s, else busy counters or samples, else estimated FLOP/s.
  bool shows_flops() const;  // by_flops, else by_busy
  Limit limit() const;
  Origin origin() const;  // of that verdict's inputs
  bool is_near() const;
};

// One row of the table limiter_summary.
struct LimitSummary {
  Limit limit = Limit::unknown;
  Origin origin = Origin::none;
  int64_t rows = 0, kernels = 0, time_ns = 0;
  bool operator==(const LimitSummary&) const = default;
};

// Without counters and shapes every limit is unknown: what is missing, and the next step. Sentences
// without a period.
inline constexpr std::string_view kNoWorkRecorded = "No input shapes and no counters recorded";
inline constexpr std::string_view kRecordWork =
    "Record shapes (PyTorch: record_shapes=True; nsys: --pytorch=autograd-shapes-nvtx) or add "
    "--ncu "
    "FILE";

struct LimitOptions {
  LimitThresholds thresholds;
  std::shared_ptr<const UserPeaks> peaks;  // of the user; null = none
  bool operator==(const LimitOptions&) const = default;
};

// All that limits need of a profile, whatever the range. Immutable; built in the background.
class LimitIndex {
 public:
  // The profile outlives it. O(events + kernels) on all cores.
  explicit LimitIndex(const profile::Profile& profile, const LimitOptions& options = {});
  ~LimitIndex();

  // Rows with time in the range, those that can save most first, then by time. Without filters the
  // cost depends on the number of groups, not of kernels; with filters on the range's kernels.
  std::vector<LimitRow> rows(const Aggregation& aggregation, LimitsBy by) const;
  // Twin of rows() that reads each kernel of the range; for tests.
  std::vector<LimitRow> rows_one_by_one(const Aggregation& aggregation, LimitsBy by) const;

  const WorkIndex& work() const;
  const CounterJoin& join() const;                      // empty without counters
  std::span<const CounterFacts> counter_facts() const;  // by launch of the counters
  const GpuPeaks& peaks(profile::DeviceIndex device) const;
  const LimitThresholds& thresholds() const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

// What the range computes of what its GPUs could in its time, each FLOP at the peak of its number
// format. Unknown work counts as none, so both are lower bounds unless an estimate may be too high.
struct FlopUtilization {
  // MFU, without ops that recompute the forward pass, and HFU, with them; nullopt = no FLOP known.
  std::optional<double> model_percent, hardware_percent;
  bool may_be_high = false;
  std::string_view sign() const { return may_be_high ? "≈ " : "≥ "; }
};
// `ops`: rows by op or by shape.
FlopUtilization flop_utilization(const profile::Profile& profile, const Aggregation& aggregation,
                                 std::span<const LimitRow> ops);

// By class and origin of the verdict, unknown last.
std::vector<LimitSummary> summarize(std::span<const LimitRow> rows);

}  // namespace dlview::aggregate
