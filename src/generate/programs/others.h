// Synthetic programs without iterations, and one that serves requests.
#pragma once

#include <cstdint>

#include "generate/programs/training.h"

namespace dlview::generate::programs {

// One forward pass through layers that have ranges: "layer 0", "layer 1", ...
Program play_one_pass(uint64_t seed, int64_t layers);
// Parameters go to the GPU one by one, each in a range "copy_parameter"; then one forward pass.
Program play_loading(uint64_t seed, int64_t parameters);
// A library tries algorithms, each in a range "tactic 17" and with a kernel of its own.
Program play_tuning(uint64_t seed, int64_t tactics);
// Kernels of all kinds and lengths without a pattern, and without ranges.
Program play_mixture(uint64_t seed, int64_t kernels);
// Requests arrive at irregular times, each in a range "request".
Program play_server(uint64_t seed, int64_t requests);

}  // namespace dlview::generate::programs
