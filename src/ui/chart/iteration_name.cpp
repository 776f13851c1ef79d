#include "ui/chart/iteration_name.h"

#include "base/units.h"

namespace dlview::ui {

std::string iteration_number(const aggregate::Iterations& iterations, int64_t iteration) {
  const std::string number = base::format_count(iteration);
  const std::string label = aggregate::range_label(iterations, iteration);
  return label.empty() ? number : number + " · " + label;
}

std::string iteration_name(const aggregate::Iterations& iterations, int64_t iteration) {
  return "Iteration " + iteration_number(iterations, iteration);
}

}  // namespace dlview::ui
