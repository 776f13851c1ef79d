// Iterations that are not like the others, with a class and the op that made the difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/gaps/idle_gaps.h"

namespace dlview::aggregate {

class RuleIndex;

enum class OutlierClass : uint8_t {
  // By the position in the run, and for iterations with little work.
  warm_up,      // longer than the rest and before the first steady iterations
  start_up,     // iteration 0, up to the first key op, with little work
  little_work,  // hardly any of the kernels, or of the time, of a typical iteration
  ran_ahead,    // hardly any of the time, though not of the kernels: they ran later
  // The largest difference from the typical iteration. GPU idle is divided by host activity.
  checkpoint_or_io,
  data_loader,
  synchronization,
  host_busy,
  gpu_idle,  // the host did nothing that was recorded
  communication,
  memory_operations,
  clocks,          // all kernels take longer, or less long, alike
  more_kernels,    // or fewer
  slower_kernels,  // or faster ones
  other,           // nothing in the file differs
};
std::string_view to_text(OutlierClass kind);  // "warm-up", "checkpoint or I/O", ...

struct Outlier {
  int64_t iteration = 0;
  OutlierClass kind = OutlierClass::other;
  int64_t difference_ns = 0;            // of the duration, against the typical iteration
  int64_t part_difference_ns = 0;       // of the part of the time that gives the class
  Category category = Category::other;  // the one that differs most in the same direction
  profile::OpIndex op{};                // likewise; kNoRow when no op does
  int64_t op_difference_ns = 0;
  // For GPU idle: the host activity in the longest gap of the decisive cause.
  std::optional<HostTime> host = std::nullopt;
  bool operator==(const Outlier&) const = default;
};

struct Outliers {
  int64_t typical = 0;  // the iteration that all are compared with: typical of the steady range
  std::vector<Outlier> rows;  // in order of the iteration
};

// The outlying_iterations() of steady.h. Without an index, which is the profile's, it is unknown
// what the host did in idle gaps.
Outliers find_outliers(const profile::Profile& profile, const IterationTable& table,
                       const RuleIndex* rules = nullptr);

}  // namespace dlview::aggregate
