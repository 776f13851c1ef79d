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

// Elements of a Vector that was made with a size alone have no value: all are written before any is
// read. Host vectors have zeros there.
struct HostSpace {
  template <typename T>
  using Vector = thrust::host_vector<T>;
  static auto policy() { return thrust::host; }
  static constexpr std::string_view kName = "thrust";
};

#ifdef __CUDACC__
// Memory from the device's pool, in order of the stream: a question that needs some for the time of
// its answer waits neither for the driver nor for the GPU.
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
      cudaGetLastError();  // it is told here
      throw std::bad_alloc();
    }
    return pointer(static_cast<T*>(memory));
  }
  // Fails where the process ends and the driver has gone, with all of its memory.
  void deallocate(pointer memory, std::size_t) noexcept {
    if (cudaFreeAsync(memory.get(), cudaStreamLegacy) != cudaSuccess) cudaGetLastError();
  }
  DLVIEW_DEVICE void construct(T*) const {}
};

struct CudaSpace {
  template <typename T>
  using Vector = thrust::device_vector<T, PoolAllocator<T>>;
  // All on one stream, and what is copied to the host is waited for.
  static auto policy() {
    static PoolAllocator<char> pool;
    return thrust::cuda::par_nosync(pool);
  }
  static constexpr std::string_view kName = "cuda";
};
#endif

}  // namespace dlview::aggregate
