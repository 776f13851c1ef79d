// Counts what a step does while it is played, into a DemoTruth.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "generate/demo/op_spec.h"
#include "generate/demo_truth.h"
#include "profile/profile.h"

namespace dlview::generate::demo {

class TruthCounter {
 public:
  // `truth` has its changes; null: nothing is counted.
  explicit TruthCounter(DemoTruth* truth) : truth_(truth) {}

  void set_run_level(int64_t ppm) {
    if (truth_ != nullptr) truth_->run_level_ppm = ppm;
  }
  void begin_step(std::string_view kind);
  void kernel(const KernelSpec& spec, profile::Row device, const base::Interval& span,
              int64_t unchanged_ns);
  void finish();

 private:
  struct GpuSpans {
    std::vector<base::Interval> communication, compute;
  };

  DemoTruth* truth_;
  std::map<profile::Row, GpuSpans> spans_;  // of the current step
};

}  // namespace dlview::generate::demo
