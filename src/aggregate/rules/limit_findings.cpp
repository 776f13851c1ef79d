#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/limits/headroom.h"
#include "aggregate/limits/limit_advice.h"
#include "aggregate/rules/detectors.h"
#include "aggregate/rules/worst_places.h"
#include "base/units.h"
#include "profile/launch_attributes.h"
#include "profile/launch_sizes.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;

struct LimitDetector {
  AdviceKind kind;
  std::string_view detector, what, basis, threshold;  // the last beside that of savings
};
constexpr std::array<LimitDetector, 5> kLimitDetectors{
    {{AdviceKind::tensor_cores, "fp32_gemm_headroom", "FP32 GEMMs and convolutions on CUDA cores",
      "time beyond that on Tensor Cores", ""},
     {AdviceKind::aligned_sizes, "unaligned_sizes", "GEMMs and convolutions with unaligned sizes",
      "time beyond that at aligned sizes", ""},
     {AdviceKind::tail_waves, "tail_waves", "GEMMs that do not fill the GPU",
      "idle part of the waves", "last_wave"},
     {AdviceKind::fuse, "unfused_elementwise", "Chains of unfused elementwise kernels",
      "all but the longest kernel of each chain", ""},
     {AdviceKind::occupancy, "low_occupancy", "Kernels with low occupancy", "time of these kernels",
      "occupancy"}}};

// What a detector found in the range.
struct FoundLimits {
  PerIteration saved_ns;
  FindingFigures figures;
  WorstPlaces places;
};

class LimitReporter {
 public:
  LimitReporter(const LimitIndex& index, std::size_t most_places, FindingReport& report)
      : index_(index), profile_(report.profile()), view_(report.view()), report_(report) {
    for (std::size_t i = 0; i < kLimitDetectors.size(); ++i) {
      found_.push_back({view_.zeros(), {}, WorstPlaces(most_places)});
    }
  }

  void report() {
    const AdviceOptions options{report_.thresholds().occupancy, report_.thresholds().last_wave};
    advice_ = limit_advice(profile_, view_.aggregation(), index_, options,
                           [this](const AdvicePlace& place) { add(place); });
    for (std::size_t i = 0; i < kLimitDetectors.size(); ++i) {
      const std::string_view lack = what_is_lacking(kLimitDetectors[i].kind);
      if (lack.empty()) {
        report_one(kLimitDetectors[i], found_[i]);
      } else {
        report_.check({.detector = kLimitDetectors[i].detector, .not_checked = lack});
      }
    }
  }

 private:
  void add(const AdvicePlace& place) {
    const auto detector = std::ranges::find(kLimitDetectors, place.kind, &LimitDetector::kind);
    if (detector == kLimitDetectors.end()) return;
    FoundLimits& found = found_[static_cast<std::size_t>(detector - kLimitDetectors.begin())];
    const InstanceIndex instance = profile_.kernels.instance[place.first_kernel];
    const int64_t iteration = view_.iteration_of(instance);
    view_.add(found.saved_ns, iteration, place.save_ns);
    found.figures.count += place.kernels;
    found.figures.total_ns += place.time_ns;
    found.places.add(profile_,
                     {.iteration = iteration,
                      .start_ns = place.start_ns,
                      .duration_ns = place.stop_ns - place.start_ns,
                      .stake_ns = place.save_ns,
                      .instance = instance,
                      .device = profile_.device_of_kernel(place.first_kernel)},
                     profile_.launches.thread[profile_.kernels.launch[place.first_kernel]]);
  }

  // "input shapes not recorded"; empty = the file has what the detector needs.
  std::string_view what_is_lacking(AdviceKind kind) const {
    if (profile_.kernels.size() == 0) return "GPU kernels not recorded";
    const auto& works = index_.work().works();
    const bool has_work = std::ranges::any_of(
        works, [](const OpWork& work) { return work.kind != WorkKind::unknown; });
    switch (kind) {
      case AdviceKind::tensor_cores:
      case AdviceKind::aligned_sizes:
        return has_work ? "" : "input shapes not recorded";
      case AdviceKind::tail_waves:
        return has_any_size() ? "" : "grids not recorded";
      case AdviceKind::occupancy:
        return has_any_residency() ? "" : "registers not recorded";
      default:
        return has_work || has_any_size() ? "" : "input shapes and grids not recorded";
    }
  }

  bool has_any_size() const {
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      if (profile::has_launch_size(profile_, kernel)) return true;
    }
    return false;
  }
  bool has_any_residency() const {
    const bool is_measured = std::ranges::any_of(
        index_.counter_facts(),
        [](const CounterFacts& facts) { return facts.theoretical_occupancy_percent.has_value(); });
    if (is_measured) return true;
    for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
      if (profile::launch_attributes(profile_, kernel).registers_per_thread) return true;
    }
    return false;
  }

  void report_one(const LimitDetector& detector, FoundLimits& found) {
    for (int64_t& ns : found.saved_ns) ns /= view_.used_gpus();
    Finding* finding = report_.saves(detector.detector, found.saved_ns, detector.basis);
    if (finding == nullptr) return;
    if (!detector.threshold.empty()) finding->thresholds.push_back(detector.threshold);
    if (detector.kind == AdviceKind::tensor_cores) finding->fact = Fact::tensor_cores;
    found.places.tell_most(*finding);
    finding->places = found.places.take();
    found.figures.range_percent = view_.percent(found.figures.total_ns / view_.used_gpus());
    finding->figures = found.figures;
    finding->advice.problem =
        fmt::format("{}: {}", detector.what, amount_text(view_, found.saved_ns));
    std::string_view evidence, text;
    for (const LimitAdvice& advice : advice_) {  // largest savings first
      if (advice.kind != detector.kind) continue;
      text = advice.advice;
      evidence = advice.evidence;
      if (advice.op == finding->op) break;
    }
    finding->advice.recommendation =
        fmt::format("{}{} kernels. {}{}{}", where_text(profile_, *finding),
                    base::format_count(found.figures.count), evidence, evidence.empty() ? "" : ". ",
                    text.empty() ? default_text(detector.kind) : text);
  }

  // Where no single op is large enough for advice of its own.
  std::string_view default_text(AdviceKind kind) const {
    switch (kind) {
      case AdviceKind::tensor_cores:
        return tensor_core_advice(profile_);
      case AdviceKind::aligned_sizes:
        return "Pad sizes to a multiple of 8 (FP16, BF16) or 16 (FP8, INT8)";
      case AdviceKind::tail_waves:
        return "Use a larger batch, merge GEMMs, or let split-K fill the GPU";
      case AdviceKind::fuse:
        return "Fuse them: torch.compile, XLA, or one kernel by hand";
      default:
        return "Use fewer registers or less shared memory, or larger blocks";
    }
  }

  const LimitIndex& index_;
  const Profile& profile_;
  const RangeView& view_;
  FindingReport& report_;
  std::vector<FoundLimits> found_;
  std::vector<LimitAdvice> advice_;
};

}  // namespace

void report_limits(const LimitIndex& index, std::size_t most_places, FindingReport& report) {
  LimitReporter(index, most_places, report).report();
}

}  // namespace dlview::aggregate
