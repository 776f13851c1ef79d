#include "generate/demo/truth_counter.h"

#include <utility>

namespace dlview::generate::demo {

void TruthCounter::begin_step(std::string_view kind) {
  if (truth_ == nullptr) return;
  if (!truth_->steps.empty()) finish();
  DemoTruth::Step& step = truth_->steps.emplace_back();
  step.kind = kind;
  step.changes.resize(truth_->changes.size());
}

void TruthCounter::kernel(const KernelSpec& spec, profile::Row device, const base::Interval& span,
                          int64_t unchanged_ns) {
  if (truth_ == nullptr) return;
  const int64_t ns = span.stop_ns - span.start_ns;
  const auto add = [&](DemoTruth::Sum& sum) {
    ++sum.kernels;
    sum.ns += ns;
    sum.unchanged_ns += unchanged_ns;
  };
  DemoTruth::Step& step = truth_->steps.back();
  add(step.all);
  for (const PlantedFactor& planted : spec.planted) add(step.changes[planted.change]);
  if (spec.communication) step.communication_ns += ns;
  GpuSpans& spans = spans_[device];
  (spec.communication ? spans.communication : spans.compute).push_back(span);
}

// Kernels of a step end before the next one begins on the GPU.
void TruthCounter::finish() {
  if (truth_ == nullptr) return;
  DemoTruth::Step& step = truth_->steps.back();
  for (auto& entry : spans_) {
    const auto compute = base::IntervalSet::union_of(std::move(entry.second.compute));
    step.exposed_communication_ns +=
        base::IntervalSet::union_of(std::move(entry.second.communication))
            .without(compute)
            .total_ns();
  }
  spans_.clear();
}

}  // namespace dlview::generate::demo
