#include "aggregate/aggregator.h"

#include <utility>

#include "aggregate/advice.h"

namespace dlview::aggregate {

Aggregator::Aggregator(std::shared_ptr<const profile::Profile> profile)
    : profile_(std::move(profile)) {}

Aggregation Aggregator::aggregate(const Selection& selection) {
  const auto count = static_cast<int64_t>(iteration_table(selection.cut)->iterations.rows.size());
  Aggregation result = compute({selection.cut, clamp_range(selection.range, count)});
  result.advice = advise(*profile_, result);
  return result;
}

}  // namespace dlview::aggregate
