// Thresholds: from where on advice is given. dlview's own, not NVIDIA's (spec.md 12, 62), and
// editable in the window; DLProf's reports, `verify` and tables for scripts use the defaults.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlview::aggregate {

// All in percent.
struct AdviceThresholds {
  double saving = 2;
  double gpu_utilization = 50;
  double gpu_memory = 50;
  double data_loader = 10;
  double iteration_variation = 50;
  double hardly_used = 5;
  double work_outside = 10;
  double gap = 10;
  double busy = 50;
  double occupancy = 25;
  double last_wave = 50;
  bool operator==(const AdviceThresholds&) const = default;
};

// "Potential savings of at least" 2 "% of the iteration" decides on most findings.
struct Threshold {
  std::string_view id;  // "saving": in the settings, and of its field
  std::string_view title, unit;
  double AdviceThresholds::*value;
};

// In the order of the page that lists them.
std::span<const Threshold> all_thresholds();
// "Potential savings of at least 2% of the iteration".
std::string to_text(const Threshold& threshold, const AdviceThresholds& thresholds);
// Returns the texts of the thresholds with these ids, separated by " · ".
std::string to_text(std::span<const std::string_view> ids, const AdviceThresholds& thresholds);

// Valid values; a share of the iteration can exceed 100%.
inline constexpr double kLowestThreshold = 0, kHighestThreshold = 1000;

}  // namespace dlview::aggregate
