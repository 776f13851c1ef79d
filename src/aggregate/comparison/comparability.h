// Comparability: what speaks against reading the difference of two runs as the effect of a change
// to the program (spec.md, compare.comparability).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/comparison/run_pair.h"
#include "aggregate/comparison/statistics.h"

namespace dlview::aggregate {

enum class Comparability : uint8_t {
  comparable,
  with_care,       // numbers are judged; read the reasons
  not_comparable,  // numbers are shown and not judged
};
std::string_view to_text(Comparability comparability);  // "with care"

struct Reason {
  Comparability level = Comparability::with_care;
  std::string_view id;  // "gpu", "match_rate"
  std::string text;     // "GPU differs: A100 before, H100 after"
  bool operator==(const Reason&) const = default;
};

// All kernels changed by one factor, as at other clocks: `share` of the time of kernels with equal
// name and grid lies within 1% and two standard errors of it.
struct UniformChange {
  double factor = 1;
  double error = 0;         // standard error of the factor, if the noise of all kernels is shared
  double share = 0;         // of the time of compared kernels before, that changed by the factor
  double kernel_share = 0;  // the same of all kernels, on the side where it is less
  int64_t kernels = 0;      // distinct (name, grid)
};
// Of kernels with five launches on each side or more, whose ratio of medians has a standard error
// of 1% or less. nullopt: they did not change by more than 1% and two standard errors, or not
// alike, or there are fewer than three, or those that changed alike make less than half of the
// kernel time of a side: most kernels are new or changed otherwise. Communication, which waits for
// others, does not count. Costs the kernels of the ranges.
std::optional<UniformChange> uniform_change(const RunPair& runs, const RangePair& ranges);

struct ComparabilityReport {
  std::vector<Reason> reasons;  // the most severe first
  bool is_same_capture = false;
  std::optional<UniformChange> uniform;
  Comparability level() const;
};

// Costs the kernels of the ranges.
ComparabilityReport check_comparability(const RunPair& runs, const RangePair& ranges,
                                        const Waterfall& waterfall, const RunFloor& floor = {});

// Whether both profiles hold the same events at the same times.
bool is_same_capture(const profile::Profile& a, const profile::Profile& b);

}  // namespace dlview::aggregate
