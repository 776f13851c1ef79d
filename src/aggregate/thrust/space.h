// Where the Thrust engine's columns live and who works on them. Its algorithms are written once:
// the GPU runs them in CudaSpace, the tests in HostSpace on any machine.
#pragma once

#include <string_view>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>

#ifdef __CUDACC__
#include <thrust/device_vector.h>
#define DLVIEW_DEVICE __host__ __device__
#else
#define DLVIEW_DEVICE
#endif

namespace dlview::aggregate {

struct HostSpace {
  template <typename T>
  using Vector = thrust::host_vector<T>;
  static auto policy() { return thrust::host; }
  static constexpr std::string_view kName = "thrust";
};

#ifdef __CUDACC__
struct CudaSpace {
  template <typename T>
  using Vector = thrust::device_vector<T>;
  static auto policy() { return thrust::device; }
  static constexpr std::string_view kName = "cuda";
};
#endif

}  // namespace dlview::aggregate
