#include "ui/chart/differences.h"

#include <cstdlib>

#include "base/units.h"

namespace dlview::ui {

std::string format_difference(int64_t difference_ns) {
  if (difference_ns == 0) return "0";
  return (difference_ns < 0 ? "−" : "+") + base::format_duration(std::abs(difference_ns));
}

}  // namespace dlview::ui
