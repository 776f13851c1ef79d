// The times of iterations on the GPU, by spec.md 92 and 93 taken word by word.
#pragma once

#include <cstdint>
#include <optional>

#include "aggregate/iterations.h"

namespace dlview::aggregate::reference {

// Converts iterations of a split by the host. `process_id`: count its kernels only; nullopt: all.
Iterations times_on_gpu(const profile::Profile& profile, std::optional<int64_t> process_id,
                        const Iterations& by_host);

}  // namespace dlview::aggregate::reference
