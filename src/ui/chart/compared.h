// Which two iterations stand side by side. Pure.
#pragma once

#include <optional>
#include <string>

#include "ui/model.h"

namespace dlview::ui {

struct ComparedIterations {
  int64_t iteration = 0, baseline = 0;
  bool is_slowest = false, is_typical = false;  // the first one, the other one
  bool operator==(const ComparedIterations&) const = default;
};

// `slowest` of the range. Nothing as long as the typical iteration is not known, and where there is
// only one.
std::optional<ComparedIterations> compared_iterations(const Model& model, int64_t slowest);

// "Slowest of the range: iteration 1 against the typical 52".
std::string describe_compared(const ComparedIterations& compared);

}  // namespace dlview::ui
