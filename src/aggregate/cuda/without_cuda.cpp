// cuda_engine.h for a build without a CUDA compiler.
#include <stdexcept>

#include "aggregate/cuda/cuda_engine.h"

namespace dlview::aggregate {

base::Result<CudaDevice> cuda_device() {
  return base::Error{
      "The CUDA engine cannot be used", "This dlview was built without CUDA",
      "Build it where nvcc is on the PATH; the CPU engine computes the same numbers"};
}

std::unique_ptr<Engine> make_cuda_engine(const profile::Profile&,
                                         std::shared_ptr<const ProfileIndex>) {
  throw std::runtime_error("this dlview was built without CUDA");
}

}  // namespace dlview::aggregate
