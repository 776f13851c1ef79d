// Host activity while GPUs were idle in one iteration and not in another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "aggregate/gaps/idle_gaps.h"
#include "aggregate/iterations.h"
#include "aggregate/rules/rule_index.h"

namespace dlview::aggregate {

class IdleCauses {
 public:
  // Both outlive it.
  IdleCauses(const RuleIndex& rules, const Iterations& iterations)
      : rules_(rules), iterations_(iterations) {}

  // Returns where the host spent the longest gap of the cause that takes most more of the GPUs'
  // idle time in `longer` than in `shorter`. Gaps count with their part in the iteration, if it is
  // more than a hundredth of it. Nothing if no cause takes more. Looks at an iteration once.
  std::optional<HostTime> difference(int64_t longer, int64_t shorter);

 private:
  struct CauseTime {
    int64_t ns = 0;  // of all gaps
    int64_t longest_ns = 0;
    GpuWorkTimes::Gap longest;
    profile::DeviceIndex device{0};  // of the longest
  };
  using Causes = std::map<GapCause, CauseTime>;

  const Causes& causes_of(int64_t number);
  Causes find_causes(int64_t number) const;

  const RuleIndex& rules_;
  const Iterations& iterations_;
  std::map<int64_t, Causes> by_iteration_;
};

}  // namespace dlview::aggregate
