// Findings: the advice of the expert systems as the window shows it, with the time at stake, and
// with what dlview notices beyond DLProf's detectors. Reports keep to Aggregation::advice.
//
// Under filters they are those of the whole range (decisions.md 26).
//
// The time at stake is an upper bound: all the time that the finding speaks of, as if it could be
// had for nothing. Per iteration, and per GPU that ran a kernel, since these work side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/advice.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct Finding {
  Advice advice;
  std::optional<int64_t> stake_ns;  // per iteration; nothing where no time can be named
  std::string stake_basis;          // "kernel time of the 12 ops"; empty without a stake
  bool operator==(const Finding&) const = default;
};

// Largest stake first, then those without one; equal ones in the detectors' order.
std::vector<Finding> find_findings(const profile::Profile& profile, const Aggregation& aggregation,
                                   const AdviceThresholds& thresholds = {});

// Eligible ops of the range of which no kernel uses Tensor Cores, largest GPU time first.
std::vector<const OpAggregate*> ops_without_tensor_cores(const profile::Profile& profile,
                                                         const Aggregation& aggregation);

}  // namespace dlview::aggregate
