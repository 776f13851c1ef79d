// A table of synthetic kernels with the columns name, start, duration and uses_tc, as long as
// wanted.
#pragma once

#include <cstddef>

#include "report/table.h"

namespace dlview::bench {

// What it refers to is made once for each length, and stays.
report::Table kernel_table(std::size_t rows);

}  // namespace dlview::bench
