// A profile of sketched events of a PyTorch trace, and its aggregations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "import/pytorch/event_sketch.h"

namespace dlview::testing {

class SketchedRun {
 public:
  // `marker` splits the run; empty = one iteration.
  explicit SketchedRun(EventSketch&& sketch, std::string marker = "")
      : profile_(std::make_shared<const profile::Profile>(std::move(sketch).finish())),
        aggregator_(aggregate::make_cpu_aggregator(profile_)),
        cut_{.key_op = std::move(marker)} {}

  const profile::Profile& profile() const { return *profile_; }
  int64_t iteration_count() const {
    return static_cast<int64_t>(aggregate::cut_iterations(*profile_, cut_).rows.size());
  }
  aggregate::Aggregation whole(std::vector<aggregate::Filter> filters = {}) const {
    return range({0, iteration_count() - 1}, std::move(filters));
  }
  aggregate::Aggregation range(aggregate::IterationRange range,
                               std::vector<aggregate::Filter> filters = {}) const {
    return aggregator_->aggregate({cut_, range, std::move(filters)});
  }

 private:
  std::shared_ptr<const profile::Profile> profile_;
  std::unique_ptr<aggregate::Aggregator> aggregator_;
  aggregate::Cut cut_;
};

}  // namespace dlview::testing
