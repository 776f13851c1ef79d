// NumberRange: a condition on a number as a reader types it, ">1ms" or "10..20" (cell_filter.h).
#pragma once

#include <limits>
#include <string_view>

#include "aggregate/metrics.h"
#include "base/result.h"

namespace dlview::report {

// In the unit of the column: ns, percent, bytes, bytes/s. A long double holds every int64 exactly.
struct NumberRange {
  long double low = -std::numeric_limits<long double>::infinity();
  long double high = std::numeric_limits<long double>::infinity();
  bool low_included = true, high_included = true;

  bool contains(long double number) const {
    return (low_included ? number >= low : number > low) &&
           (high_included ? number <= high : number < high);
  }
};

base::Result<NumberRange> parse_number_range(std::string_view text, aggregate::Unit unit);

}  // namespace dlview::report
