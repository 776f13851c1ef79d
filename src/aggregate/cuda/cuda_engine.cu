#include <cuda_runtime.h>
#include <utility>

#include "aggregate/cuda/cuda_engine.h"
#include "aggregate/thrust/thrust_engine.h"

namespace dlview::aggregate {
namespace {

base::Error no_device(cudaError_t status) {
  return {
      "The CUDA engine cannot be used", cudaGetErrorString(status),
      "Install NVIDIA's driver and look at nvidia-smi; the CPU engine computes the same numbers"};
}

}  // namespace

base::Result<CudaDevice> cuda_device() {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess) {
    return no_device(status);
  }
  if (devices == 0) return no_device(cudaErrorNoDevice);
  cudaDeviceProp properties{};
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaError_t status = cudaSetDevice(0);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, 0);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (status != cudaSuccess) return no_device(status);
  return CudaDevice{properties.name, static_cast<int64_t>(free_bytes),
                    static_cast<int64_t>(total_bytes)};
}

std::unique_ptr<Engine> make_cuda_engine(const profile::Profile& profile,
                                         std::shared_ptr<const ProfileIndex> index) {
  return std::make_unique<ThrustEngine<CudaSpace>>(profile, std::move(index));
}

}  // namespace dlview::aggregate
