// Steps of axes.
#pragma once

#include <cmath>

namespace dlview::ui {

// The smallest 1, 2 or 5 times a power of ten that is at least `value`, which is above 0.
inline double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace dlview::ui
