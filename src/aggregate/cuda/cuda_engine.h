// The CUDA engine: the Thrust engine on the first GPU. A build without a CUDA compiler has a
// cuda_device() that says so and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "aggregate/engine/engine.h"
#include "base/result.h"

namespace dlview::aggregate {

struct CudaDevice {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int64_t free_bytes = 0, total_bytes = 0;
};
// The GPU that the engine runs on. The Error says why there is none: no driver, no device, a build
// without CUDA. Asks the driver each time.
base::Result<CudaDevice> cuda_device();

// Only when cuda_device() has one. Throws like every engine, also when the GPU's memory does not
// suffice.
std::unique_ptr<Engine> make_cuda_engine(const profile::Profile& profile,
                                         std::shared_ptr<const ProfileIndex> index);

}  // namespace dlview::aggregate
