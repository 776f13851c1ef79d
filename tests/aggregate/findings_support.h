// Runs whose findings are looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "profile/builder.h"

namespace dlview::aggregate {

struct OpenRun {
  std::shared_ptr<const profile::Profile> profile;
  Aggregation aggregation;

  explicit OpenRun(std::shared_ptr<const profile::Profile> facts, const Selection& selection = {})
      : profile(std::move(facts)),
        aggregation(make_cpu_aggregator(profile)->aggregate(selection)) {}
  std::vector<Finding> findings(const AdviceThresholds& thresholds = {}) const {
    const RuleIndex rules(*profile);
    return find_findings(*profile, aggregation, thresholds, &rules).findings;
  }
  std::vector<Check> checks() const {
    const RuleIndex rules(*profile);
    return find_findings(*profile, aggregation, {}, &rules).checks;
  }
};

inline const Finding* find(const std::vector<Finding>& findings, std::string_view detector) {
  return find_finding(findings, detector);
}

// One thread that launches kernels on a GPU in ops.
class LaunchingRun {
 public:
  LaunchingRun() {
    builder_.add_device({});
    thread_ = builder_.intern_thread({7, 1});
    launch_ = builder_.intern_launch({{}, {}, 0, thread_});
  }
  profile::Row op(std::string_view name) {
    return builder_.add_op({.name = builder_.intern(name)});
  }
  profile::Row instance(profile::Row op, int64_t start_ns, int64_t stop_ns) {
    return builder_.add_instance({.op = op,
                                  .cpu_start_ns = start_ns,
                                  .cpu_stop_ns = stop_ns,
                                  .thread = thread_,
                                  .source_id = ++source_id_});
  }
  void kernel(profile::Row instance, int64_t api_start_ns, int64_t start_ns, int64_t stop_ns) {
    builder_.add_kernel({.instance = instance,
                         .api_start_ns = api_start_ns,
                         .api_stop_ns = api_start_ns + 2,
                         .gpu_start_ns = start_ns,
                         .gpu_stop_ns = stop_ns,
                         .launch = launch_});
  }
  std::shared_ptr<const profile::Profile> finish() {
    return std::make_shared<const profile::Profile>(std::move(builder_).finish());
  }

 private:
  profile::ProfileBuilder builder_;
  profile::Row thread_ = 0, launch_ = 0;
  int64_t source_id_ = 0;
};

}  // namespace dlview::aggregate
