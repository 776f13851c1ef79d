#include "ui/chart/range_drag.h"

#include <cmath>

#include "ui/chart/navigation.h"

namespace dlview::ui {

void RangeDrag::begin(Grip grip, bool either, aggregate::IterationRange range, double at) {
  grip_ = grip;
  either_ = either;
  from_ = range;
  begun_at_ = at;
}

aggregate::IterationRange RangeDrag::moved_to(double at, int64_t count) {
  const auto by = static_cast<int64_t>(std::round(at - begun_at_));
  if (either_ && by != 0) {
    grip_ = by < 0 ? Grip::first : Grip::last;
    either_ = false;
  }
  switch (grip_) {
    case Grip::first:
      return with_first(from_, from_.first + by, count);
    case Grip::last:
      return with_last(from_, from_.last + by, count);
    case Grip::whole:
      return shifted(from_, by, count);
    case Grip::none:
      break;
  }
  return from_;
}

}  // namespace dlview::ui
