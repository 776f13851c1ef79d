// The reference on a sketch.
#pragma once

#include <string>
#include <utility>

#include "aggregate/reference/reference.h"
#include "support/sketch.h"

namespace dlview::aggregate {

inline Cut at_start(std::string key) {
  return {CutKind::start, std::move(key), 0};
}

inline Aggregation aggregate(testing::Sketch& sketch, const Cut& cut = {},
                             IterationRange range = {0, 1'000'000}) {
  return make_reference_aggregator(sketch.finish())->aggregate({cut, range});
}

}  // namespace dlview::aggregate
