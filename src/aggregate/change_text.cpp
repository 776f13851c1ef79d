#include "aggregate/change_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kNamedShare = 5;  // a fifth
constexpr double kLeastPercent = 1;

std::string signed_text(int64_t ns) {
  return fmt::format("{}{}", ns < 0 ? "−" : "+", base::format_duration(std::abs(ns)));
}

// ": GPU idle +1.13 ms, kernels +0.3 ms"; empty where no part differs as the whole does.
std::string parts_text(int64_t whole_ns, const PartDifferences& parts) {
  std::array<std::pair<int64_t, std::string_view>, 4> all{
      {{parts.idle, "GPU idle"},
       {parts.communication, "exposed communication"},
       {parts.kernels, "kernels"},
       {parts.memory, "memory operations"}}};
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto& part) { return std::abs(part.first); });
  std::string text;
  for (const auto& [ns, name] : all) {
    if (kNamedShare * std::abs(ns) < std::abs(whole_ns) || ns == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", name, signed_text(ns));
  }
  return text;
}

}  // namespace

std::string change_text(const profile::Profile& profile, const IterationComparison& comparison) {
  const int64_t difference_ns = comparison.duration_ns - comparison.baseline_duration_ns;
  std::string text = fmt::format("Iteration {} ", comparison.iteration);
  if (difference_ns == 0) {
    return text + fmt::format("takes as long as iteration {}.", comparison.baseline);
  }
  text += fmt::format("is {} {} than iteration {}", base::format_duration(std::abs(difference_ns)),
                      difference_ns < 0 ? "shorter" : "longer", comparison.baseline);
  const bool has_gpu_activity = profile.kernels.size() + profile.memory_ops.size() > 0;
  const std::string parts =
      has_gpu_activity ? parts_text(difference_ns, part_differences(comparison)) : "";
  if (!parts.empty() || comparison.ops.empty()) return text + parts + ".";
  const OpDifference& op = comparison.ops.front();
  return text + fmt::format(": {} {}.",
                            op.is_idle() ? "GPU idle" : profile.text(profile.ops.name[op.op]),
                            signed_text(op.difference_ns()));
}

std::string change_text(const RunComparison& comparison) {
  const double difference = comparison.iteration_ns.difference();
  if (100 * std::abs(difference) < kLeastPercent * comparison.iteration_ns.before) {
    return comparison.is_split ? "Iterations take as long as before."
                               : "The run takes as long as before.";
  }
  const auto difference_ns = std::llround(difference);
  const std::string text = fmt::format(
      "{} {} {}", comparison.is_split ? "Iterations are" : "The run is",
      base::format_duration(std::abs(difference)), difference < 0 ? "shorter" : "longer");
  const std::string parts =
      comparison.has_gpu_activity ? parts_text(difference_ns, part_differences(comparison)) : "";
  if (!parts.empty() || comparison.ops.empty()) return text + parts + ".";
  const OpChange& op = comparison.ops.front();
  return text + fmt::format(": {} {}.", op.name, signed_text(std::llround(op.ns.difference())));
}

}  // namespace dlview::aggregate
