#include "aggregate/thresholds.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dlview::aggregate {
namespace {

using T = AdviceThresholds;

constexpr std::array<Threshold, 11> kThresholds{{
    {"saving", "Potential savings of at least", "% of the iteration", &T::saving},
    {"gpu_utilization", "GPU utilization below", "% of the range", &T::gpu_utilization},
    {"gpu_memory", "GPU memory in use below", "% of GPU memory", &T::gpu_memory},
    {"data_loader", "Data loader at least", "% of the range", &T::data_loader},
    {"iteration_variation", "5th to 95th percentile of durations spans more than",
     "% of the median", &T::iteration_variation},
    {"hardly_used", "GPU busy for less than", "% of the range", &T::hardly_used},
    {"work_outside", "Kernels outside all iterations above", "% of the kernels, or of their time",
     &T::work_outside},
    {"gap", "Idle gap longer than", "% of the median iteration", &T::gap},
    {"busy", "GPU busy for less than", "% of a time slice", &T::busy},
    {"occupancy", "Theoretical occupancy below", "% of the warps of an SM", &T::occupancy},
    {"last_wave", "Last wave of blocks fills less than", "% of the SMs", &T::last_wave},
}};

}  // namespace

std::span<const Threshold> all_thresholds() {
  return kThresholds;
}

std::string to_text(const Threshold& threshold, const AdviceThresholds& thresholds) {
  const std::string_view space = threshold.unit.starts_with('%') ? "" : " ";
  return fmt::format("{} {:g}{}{}", threshold.title, thresholds.*threshold.value, space,
                     threshold.unit);
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
