// What an iteration is called: by its running number, and by that of the range it comes from where
// these differ.
#pragma once

#include <cstdint>
#include <string>

#include "aggregate/iterations.h"

namespace dlview::ui {

// "Iteration 3", "Iteration 3 · Step 30".
std::string iteration_name(const aggregate::Iterations& iterations, int64_t iteration);
// "3", "3 · Step 30".
std::string iteration_number(const aggregate::Iterations& iterations, int64_t iteration);

}  // namespace dlview::ui
