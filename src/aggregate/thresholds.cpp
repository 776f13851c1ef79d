#include "aggregate/thresholds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dlview::aggregate {
namespace {

using T = AdviceThresholds;

constexpr std::array<Threshold, 16> kThresholds{{
    {"gpu_utilization", "GPU utilization below", "% of the range", &T::gpu_utilization},
    {"gpu_memory", "GPU memory in use below", "% of what the GPU has", &T::gpu_memory},
    {"data_loader", "Data loader at least", "% of the range", &T::data_loader},
    {"iteration_variation", "90% of the durations span more than", "% of the median",
     &T::iteration_variation},
    {"exposed_communication", "Exposed communication above", "% of the range",
     &T::exposed_communication},
    {"work_outside", "Work outside all iterations above", "% of the kernels, or of their time",
     &T::work_outside},
    {"memory_operations", "Memory operations alone above", "% of the range", &T::memory_operations},
    {"cuda_core_products", "Matrix products on CUDA cores above", "% of the kernel time",
     &T::cuda_core_products},
    {"pageable_copies", "Copies of pageable memory cost above", "% of the range",
     &T::pageable_copies},
    {"synchronous_copies", "Synchronous copies cost above", "% of the range",
     &T::synchronous_copies},
    {"synchronous_memsets", "Synchronous memsets cost above", "% of the range",
     &T::synchronous_memsets},
    {"waits", "Waits for the GPU cost above", "% of the range", &T::waits},
    {"gap", "A gap is longer than", "% of the median iteration", &T::gap},
    {"gaps", "Gaps above", "% of the range", &T::gaps},
    {"busy", "In a part the GPU is busy for less than", "% of it", &T::busy},
    {"idle_parts", "Such parts above", "% of the range", &T::idle_parts},
}};

}  // namespace

std::span<const Threshold> all_thresholds() {
  return kThresholds;
}

std::string to_text(const Threshold& threshold, const AdviceThresholds& thresholds) {
  return fmt::format("{} {:g} {}", threshold.title, thresholds.*threshold.value, threshold.unit);
}

std::string to_text(std::span<const std::string_view> ids, const AdviceThresholds& thresholds) {
  std::string texts;
  for (const std::string_view id : ids) {
    const auto found = std::ranges::find(kThresholds, id, &Threshold::id);
    texts += (texts.empty() ? "" : " · ") + to_text(*found, thresholds);
  }
  return texts;
}

}  // namespace dlview::aggregate
