// `--timeunit`: the reports' times in another unit than ns.
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/table.h"

namespace dlview::report::nsys {

struct TimeUnit {
  std::string_view symbol;  // "ms"
  int64_t ns = 1;
  int decimals = 0;  // that tell a ns
};
inline constexpr TimeUnit kNanoseconds{"ns", 1, 0};

// "ms", "msec" or "milliseconds", and likewise for the other units; another name is an Error that
// lists the symbols.
base::Result<TimeUnit> parse_time_unit(std::string_view name);

// The table with its times as texts of that unit, to the ns, and the unit in their titles. Reals
// are rounded to the ns, halves away from zero.
Table in_time_unit(Table table, const TimeUnit& unit);

}  // namespace dlview::report::nsys
