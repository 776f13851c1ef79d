#include <cstdint>
#include <cuda_runtime.h>
#include <utility>

#include "aggregate/cuda/cuda_engine.h"
#include "aggregate/thrust/thrust_engine.h"

namespace dlview::aggregate {
namespace {

base::Error no_device(cudaError_t status) {
  return {
      "The CUDA engine cannot be used", cudaGetErrorString(status),
      "Install the NVIDIA driver and check it with nvidia-smi; the CPU engine computes the same "
      "numbers"};
}

// Freed pool memory that is kept for later queries, at most.
constexpr uint64_t kKeptBytes = uint64_t{1} << 30;

// Sets up the pool of the present device, which PoolAllocator takes its memory from.
cudaError_t set_up_pool(const cudaDeviceProp& properties) {
  if (properties.memoryPoolsSupported == 0) return cudaErrorNotSupported;
  cudaMemPool_t pool = nullptr;
  if (const cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, 0); status != cudaSuccess) {
    return status;
  }
  uint64_t kept_bytes = kKeptBytes;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes);
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
  if (status == cudaSuccess) status = set_up_pool(properties);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (status != cudaSuccess) return no_device(status);
  return CudaDevice{properties.name, static_cast<int64_t>(free_bytes),
                    static_cast<int64_t>(total_bytes)};
}

namespace {

// What an engine had goes back to the system with it: another process may want the GPU's memory.
class TrimmedPool {
 public:
  TrimmedPool() = default;
  TrimmedPool(const TrimmedPool&) = delete;
  TrimmedPool& operator=(const TrimmedPool&) = delete;
  ~TrimmedPool() {
    cudaMemPool_t pool = nullptr;
    cudaStreamSynchronize(cudaStreamLegacy);
    if (cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess) cudaMemPoolTrimTo(pool, 0);
    cudaGetLastError();  // there is nothing to be done about it
  }
};

// The pool is trimmed behind the engine.
class CudaEngine : private TrimmedPool, public ThrustEngine<CudaSpace> {
 public:
  using ThrustEngine::ThrustEngine;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine(const profile::Profile& profile,
                                         std::shared_ptr<const ProfileIndex> index) {
  return std::make_unique<CudaEngine>(profile, std::move(index));
}

}  // namespace dlview::aggregate
