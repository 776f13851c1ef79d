#include "aggregate/thresholds.h"

#include <array>

#include <fmt/format.h>

namespace dlview::aggregate {
namespace {

using T = AdviceThresholds;

constexpr std::array<Threshold, 14> kThresholds{{
    {"gpu_utilization", "underutilized_gpu_detector", "GPU utilization below", "% of the range",
     &T::gpu_utilization},
    {"gpu_memory", "batch_size_detector", "GPU memory in use below", "% of what the GPU has",
     &T::gpu_memory},
    {"data_loader", "dataloader_detector", "Data loader from", "% of the range on",
     &T::data_loader},
    {"iteration_variation", "iteration_variation_detector", "90% of the durations span more than",
     "% of the median", &T::iteration_variation},
    {"exposed_communication", "exposed_communication_detector", "Exposed communication above",
     "% of the range", &T::exposed_communication},
    {"work_outside", "work_outside_iterations", "Work outside all iterations above",
     "% of the kernels, or of their time", &T::work_outside},
    {"pageable_copies", "cuda_memcpy_async", "Copies of pageable memory above", "% of the range",
     &T::pageable_copies},
    {"synchronous_copies", "cuda_memcpy_sync", "Synchronous copies above", "% of the range",
     &T::synchronous_copies},
    {"synchronous_memsets", "cuda_memset_sync", "Synchronous memsets above", "% of the range",
     &T::synchronous_memsets},
    {"waits", "cuda_api_sync", "Waits for the GPU above", "% of the range", &T::waits},
    {"gap", "gpu_gaps", "A gap is longer than", "% of the median iteration", &T::gap},
    {"gaps", "gpu_gaps", "Gaps above", "% of the range", &T::gaps},
    {"busy", "gpu_time_util", "In a part the GPU is busy for less than", "% of it", &T::busy},
    {"idle_parts", "gpu_time_util", "Such parts above", "% of the range", &T::idle_parts},
}};

}  // namespace

std::span<const Threshold> all_thresholds() {
  return kThresholds;
}

std::string to_text(const Threshold& threshold, const AdviceThresholds& thresholds) {
  return fmt::format("{} {:g} {}", threshold.title, thresholds.*threshold.value, threshold.unit);
}

}  // namespace dlview::aggregate
