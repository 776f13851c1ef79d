// Findings: the advice of the expert systems as the window shows it, with the time at stake, and
// with what dlview notices beyond DLProf's detectors. Reports keep to Aggregation::advice.
//
// Under filters they are those of the whole range (decisions.md 26).
#pragma once

#include <vector>

#include "aggregate/advice.h"
#include "aggregate/finding.h"
#include "aggregate/rules/rule_index.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The worst places of a finding that the window lists.
inline constexpr std::size_t kWorstPlaces = 3;

// Largest stake first, then those without one; equal ones in the detectors' order. The rules of
// nsys join where there is an index, which is the profile's.
std::vector<Finding> find_findings(const profile::Profile& profile, const Aggregation& aggregation,
                                   const AdviceThresholds& thresholds = {},
                                   const RuleIndex* rules = nullptr,
                                   std::size_t most_places = kWorstPlaces);

// Eligible ops of the range of which no kernel uses Tensor Cores, largest GPU time first.
std::vector<const OpAggregate*> ops_without_tensor_cores(const profile::Profile& profile,
                                                         const Aggregation& aggregation);

}  // namespace dlview::aggregate
