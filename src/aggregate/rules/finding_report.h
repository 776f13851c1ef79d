// FindingReport: takes what detectors measured. Notes each check, and makes a finding of what could
// save enough.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregate/finding.h"
#include "aggregate/rules/range_view.h"
#include "aggregate/thresholds.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class FindingReport {
 public:
  // All must outlive it.
  FindingReport(const profile::Profile& profile, const RangeView& view,
                const AdviceThresholds& thresholds)
      : profile_(profile), view_(view), thresholds_(thresholds) {}

  const profile::Profile& profile() const { return profile_; }
  const RangeView& view() const { return view_; }
  const AdviceThresholds& thresholds() const { return thresholds_; }

  // Returns a new finding if `saved_ns` reaches the threshold of potential savings, else null. It
  // stays valid until the next call.
  Finding* saves(std::string_view detector, const PerIteration& saved_ns, std::string_view basis);
  // As above if only the sum over the range is known.
  Finding* saves(std::string_view detector, int64_t saved_ns, std::string_view basis);
  // A finding of any size.
  Finding& add(std::string_view detector, std::string problem, std::string recommendation);
  void check(const Check& check) { checks_.push_back(check); }

  std::vector<Finding>& findings() { return findings_; }
  std::vector<Check>& checks() { return checks_; }

 private:
  const profile::Profile& profile_;
  const RangeView& view_;
  const AdviceThresholds& thresholds_;
  std::vector<Finding> findings_;
  std::vector<Check> checks_;
};

// Whether amount_text() says " per iteration"; a text says it once.
enum class PerIterationWords : uint8_t { with, without };

// "1.04 ms per iteration (3.4%)"; if one iteration changes the mean, "0.85 ms per iteration (2.8%);
// median 0.17 ms, max 40.1 ms (iteration 31)". If the run is not split, "61.1 ms (3.4%)".
std::string amount_text(const RangeView& view, const PerIteration& ns,
                        PerIterationWords words = PerIterationWords::with);
// "2 times per iteration", "3 times in 59 iterations"; of a run that is not split "118 times".
std::string times_text(const RangeView& view, int64_t count);
// "410 launches per iteration", "3 launches in 59 iterations"; of a run that is not split
// "1 launch".
std::string launches_text(const RangeView& view, int64_t count);
// "Mostly in op aten::item, thread python (4021). "; of an op with less than half "Largest share in
// op aten::item (18.0%)". What is unknown is left out.
std::string where_text(const profile::Profile& profile, const Finding& finding);

}  // namespace dlview::aggregate
