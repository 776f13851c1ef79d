#include "aggregate/rules/rules.h"

#include "aggregate/rules/detectors.h"

namespace dlview::aggregate {

void apply_rules(const RuleIndex* index, std::size_t most_places, FindingReport& report) {
  report_idle_gpus(index, most_places, report);
  if (index == nullptr) return;
  report_blocking_calls(*index, most_places, report);
  report_exposed_work(*index, most_places, report);
  report_launch_gaps(*index, most_places, report);
  report_slow_iterations(*index, report);
}

}  // namespace dlview::aggregate
