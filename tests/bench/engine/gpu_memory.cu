// How fast the GPU's own memory is: what bandwidths of the CUDA engine are a share of.

#include <cstdint>
#include <cuda_runtime.h>

#include <benchmark/benchmark.h>

namespace dlview::bench {
namespace {

void gpu_memory_copy(benchmark::State& state) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, kBytes) != cudaSuccess || cudaMalloc(&to, kBytes) != cudaSuccess) {
    state.SkipWithError("no GPU, or less than 2 GiB free");
  } else {
    cudaMemset(from, 1, kBytes);
    for (auto _ : state) {
      cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice);
      cudaDeviceSynchronize();
    }
    // Each byte is read and written.
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(2 * kBytes));
  }
  cudaFree(from);
  cudaFree(to);
}
BENCHMARK(gpu_memory_copy)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlview::bench
