// Iterations that are not like the others, with a class and the op that made the difference.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

enum class OutlierClass : uint8_t {
  warm_up,           // longer than the rest and before the steady range; at the beginning if none
  start_up,          // iteration 0, up to the first key op, with little work
  little_work,       // hardly any of the kernels, or of the time, of a typical iteration
  ran_ahead,         // hardly any of the time, though not of the kernels: they ran later
  checkpoint_or_io,  // I/O, or an op that writes the model down
  data_loader,
  other,
};
std::string_view to_text(OutlierClass kind);  // "warm-up", "checkpoint or I/O", ...

struct Outlier {
  int64_t iteration = 0;
  OutlierClass kind = OutlierClass::other;
  int64_t difference_ns = 0;            // of the duration, against the typical iteration
  Category category = Category::other;  // the one that differs most in the same direction
  profile::Row op = profile::kNoRow;    // likewise; kNoRow when no op does
  int64_t op_difference_ns = 0;
  bool operator==(const Outlier&) const = default;
};

struct Outliers {
  int64_t typical = 0;  // the iteration that all are compared with: typical of the steady range
  std::vector<Outlier> rows;  // in order of the iteration
};

// An iteration is an outlier when its duration is off the median by more than 25 % and by more than
// five median absolute deviations, so that a noisy run does not consist of outliers.
Outliers find_outliers(const profile::Profile& profile, const IterationTable& table);

}  // namespace dlview::aggregate
