// The range that the bounds show: the newest selection, as far as it belongs to the iterations that
// are on screen.
#pragma once

#include "ui/model.h"

namespace dlview::ui {

// Needs an aggregation.
aggregate::IterationRange current_range(const Model& model);

}  // namespace dlview::ui
