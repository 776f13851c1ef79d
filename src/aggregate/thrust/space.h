// Where the Thrust engine's columns live and who works on them. Its algorithms are written once:
// the GPU runs them in CudaSpace, the tests in HostSpace on any machine.
#pragma once

#include <cstddef>
#include <string_view>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#include <new>
#include <thrust/device_malloc_allocator.h>
#include <thrust/device_vector.h>
#define DLVIEW_DEVICE __host__ __device__
#else
#define DLVIEW_DEVICE
#endif

namespace dlview::aggregate {

// A Vector constructed from a size alone is uninitialized: write every element before reading it.
// (Host vectors are zeroed.)
struct HostSpace {
  template <typename T>
  using Vector = thrust::host_vector<T>;
  static auto policy() { return thrust::host; }
  static constexpr std::string_view kName = "thrust";
};

#ifdef __CUDACC__
// Stream-ordered allocation from the device's pool: temporary buffers block on neither the driver
// nor the GPU.
template <typename T>
class PoolAllocator : public thrust::device_malloc_allocator<T> {
 public:
  using pointer = typename thrust::device_malloc_allocator<T>::pointer;
  template <typename U>
  struct rebind {
    using other = PoolAllocator<U>;
  };
  PoolAllocator() = default;
  template <typename U>
  DLVIEW_DEVICE explicit(false) PoolAllocator(const PoolAllocator<U>&) {}

  pointer allocate(std::size_t count) {
    void* memory = nullptr;
    if (cudaMallocAsync(&memory, count * sizeof(T), cudaStreamLegacy) != cudaSuccess) {
      cudaGetLastError();  // clears the error, which bad_alloc reports
      throw std::bad_alloc();
    }
    return pointer(static_cast<T*>(memory));
  }
  // Fails harmlessly when the process exits: the driver has already freed the memory.
  void deallocate(pointer memory, std::size_t) noexcept {
    if (cudaFreeAsync(memory.get(), cudaStreamLegacy) != cudaSuccess) cudaGetLastError();
  }
  DLVIEW_DEVICE void construct(T*) const {}
};

struct CudaSpace {
  template <typename T>
  using Vector = thrust::device_vector<T, PoolAllocator<T>>;
  // Everything runs on one stream; only copies to the host synchronize.
  static auto policy() {
    static PoolAllocator<char> pool;
    return thrust::cuda::par_nosync(pool);
  }
  static constexpr std::string_view kName = "cuda";
};
#endif

}  // namespace dlview::aggregate
