// The times of iterations on the GPU, by spec.md 92 and 93 taken word by word.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/iterations.h"

namespace dlview::aggregate::reference {

// Of iterations as the host splits them. `process_id`: whose kernels count; not given: all.
Iterations times_on_gpu(const profile::Profile& profile, const Cut& cut,
                        std::optional<int64_t> process_id, const Iterations& by_host);

}  // namespace dlview::aggregate::reference
