#include "aggregate/aggregator.h"

#include <memory>
#include <utility>

#include "aggregate/advice.h"

namespace dlview::aggregate {

Aggregator::Aggregator(std::shared_ptr<const profile::Profile> profile)
    : profile_(std::move(profile)) {}

Aggregation Aggregator::aggregate(const Selection& selection) {
  const auto count = static_cast<int64_t>(iteration_table(selection.cut)->iterations.rows.size());
  const Selection whole{selection.cut, clamp_range(selection.range, count)};
  if (selection.filters.empty()) return without_filters(whole);
  if (!unfiltered_ || unfiltered_->selection != whole) {
    unfiltered_ = std::make_shared<const Aggregation>(without_filters(whole));
  }
  Aggregation result = compute({whole.cut, whole.range, canonical(selection.filters)});
  result.advice = unfiltered_->advice;
  result.unfiltered = unfiltered_;
  return result;
}

Aggregation Aggregator::without_filters(const Selection& selection) {
  Aggregation result = compute(selection);
  result.advice = advise(*profile_, result);
  return result;
}

}  // namespace dlview::aggregate
