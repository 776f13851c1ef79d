// Merges findings that cover the same time, and ranks them.
#pragma once

#include <vector>

#include "aggregate/finding.h"

namespace dlview::aggregate {

// The finding that holds the others is the general one of their fact, else that with the largest
// stake. Ranks as FoundFindings has it. Where the GPU is hardly used, advice on kernels goes.
std::vector<Finding> merge_findings(std::vector<Finding> findings);

}  // namespace dlview::aggregate
