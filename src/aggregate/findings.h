// Findings: the advice of the expert systems as the window shows it, with the potential savings,
// and with what dlview notices beyond DLProf's detectors. Reports keep to Aggregation::advice.
//
// Under filters they are those of the whole range (spec.md 26).
#pragma once

#include <string_view>
#include <vector>

#include "aggregate/advice.h"
#include "aggregate/finding.h"
#include "aggregate/limits/limits.h"
#include "aggregate/rules/rule_index.h"
#include "aggregate/tensor_core_uses.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct FoundFindings {
  // Largest potential savings first, then those without any; equal ones in the detectors' order.
  // First of all that no kernel ran. Findings of one fact are one, with the others inside.
  std::vector<Finding> findings;
  std::vector<Check> checks;  // one per detector that ran, in their order
  bool operator==(const FoundFindings&) const = default;
};

// With the indexes, which are the profile's, detectors look at events and at limits, too.
FoundFindings find_findings(const profile::Profile& profile, const Aggregation& aggregation,
                            const AdviceThresholds& thresholds = {},
                            const RuleIndex* rules = nullptr,
                            std::size_t most_places = kWorstPlaces,
                            const LimitIndex* limits = nullptr);

// The finding of that detector, or the part of one; nullptr = there is none.
const Finding* find_finding(const std::vector<Finding>& findings, std::string_view detector);

// Returns the eligible ops of the range without a Tensor Core kernel, largest GPU time first.
// Leaves out those of `unknown` use; null = all kernels that the rules do not know count as
// without.
std::vector<const OpAggregate*> ops_without_tensor_cores(const profile::Profile& profile,
                                                         const Aggregation& aggregation,
                                                         const UnknownTensorCoreUse* unknown);

}  // namespace dlview::aggregate
