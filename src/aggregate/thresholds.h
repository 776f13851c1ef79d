// Thresholds: from where on advice is given. dlview's own, not NVIDIA's (decisions.md 12, 62), and
// editable in the window; DLProf's reports, `verify` and tables for scripts use the defaults.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlview::aggregate {

// All in percent.
struct AdviceThresholds {
  double gpu_utilization = 50;
  double gpu_memory = 50;
  double data_loader = 10;
  double iteration_variation = 50;
  double exposed_communication = 10;
  double work_outside = 10;
  double memory_operations = 20;
  double cuda_core_products = 10;
  double pageable_copies = 1;
  double synchronous_copies = 1;
  double synchronous_memsets = 1;
  double waits = 1;
  double gap = 10;
  double gaps = 1;
  double busy = 50;
  double idle_parts = 10;
  bool operator==(const AdviceThresholds&) const = default;
};

// "Exposed communication above" 10 "% of the range" decides on one finding.
struct Threshold {
  std::string_view id;  // "exposed_communication": in the settings, and of its field
  std::string_view title, unit;
  double AdviceThresholds::*value;
};

// In the order of the page that lists them.
std::span<const Threshold> all_thresholds();
// "Exposed communication above 10 % of the range".
std::string to_text(const Threshold& threshold, const AdviceThresholds& thresholds);
// Those with these ids, apart by " · ".
std::string to_text(std::span<const std::string_view> ids, const AdviceThresholds& thresholds);

// What may be set; a share of the iteration can be more than all of it.
inline constexpr double kLowestThreshold = 0, kHighestThreshold = 1000;

}  // namespace dlview::aggregate
