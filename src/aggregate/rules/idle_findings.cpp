#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "aggregate/gaps/gap_text.h"
#include "aggregate/rules/detectors.h"
#include "aggregate/rules/rules.h"
#include "aggregate/rules/worst_places.h"
#include "base/intervals.h"
#include "base/units.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

constexpr std::string_view kNoGpuActivity = "neither a kernel nor a memory operation runs";
constexpr std::size_t kGapsLookedAt = 100;  // for what the host did meanwhile

int64_t sum_of(const PerIteration& ns) {
  int64_t sum_ns = 0;
  for (const int64_t each : ns) sum_ns += each;
  return sum_ns;
}

class IdleReporter {
 public:
  IdleReporter(const RuleIndex* index, std::size_t most_places, FindingReport& report)
      : index_(index),
        most_places_(most_places),
        profile_(report.profile()),
        view_(report.view()),
        aggregation_(view_.aggregation()),
        thresholds_(report.thresholds()),
        report_(report) {}

  void report() {
    report_idle();
    if (index_ == nullptr || index_->gpus().empty()) return;
    report_gaps();
    report_slices();
  }

 private:
  void report_idle() {
    const PerIteration idle = idle_ns(view_, index_);
    const int64_t busy_ns = aggregation_.range_ns - sum_of(idle);
    const double busy = view_.percent(busy_ns);
    const bool has_kernels = view_.has_kernels();
    const bool is_hardly_used = !has_kernels || busy < thresholds_.hardly_used;
    report_.check({"gpu_hardly_used", busy, "hardly_used", is_hardly_used});
    Finding* finding =
        report_.saves("gpu_idle", idle, fmt::format("time in which {}", kNoGpuActivity));
    if (is_hardly_used) {
      if (finding == nullptr) finding = &report_.add("", "", "");
      describe_hardly_used(busy_ns, busy, has_kernels, *finding);
    } else if (finding != nullptr) {
      finding->advice.problem = fmt::format("GPU idle for {}", amount_text(view_, idle));
      finding->advice.recommendation =
          "Check what the host does in the idle gaps: data loading, synchronization, Python "
          "between launches";
    }
    if (finding == nullptr) return;
    finding->fact = Fact::gpu_idle;
    if (index_ != nullptr && has_kernels) add_gaps(*finding);
  }

  void describe_hardly_used(int64_t busy_ns, double busy, bool has_kernels,
                            Finding& finding) const {
    finding.advice.detector = "gpu_hardly_used";
    finding.thresholds = {"hardly_used"};
    const profile::NotRecorded* lack = profile::find_lack(profile_, profile::Evidence::gpu_work);
    if (lack != nullptr) {
      finding.advice.problem = "No GPU activity in this profile";
      finding.advice.recommendation = fmt::format(
          "Nothing ran on a GPU, or it was not recorded. To record it: {}", lack->remedy);
      finding.thresholds.clear();  // nothing was measured
      finding.stake_ns.reset();
      finding.stake_basis.clear();
      finding.savings.reset();
      return;
    }
    finding.advice.problem =
        has_kernels
            ? fmt::format("The GPU is hardly used: {} of GPU activity in {} ({})",
                          base::format_duration(busy_ns),
                          base::format_duration(aggregation_.range_ns), base::format_percent(busy))
            : fmt::format("No kernel ran in {}", base::format_duration(aggregation_.range_ns));
    finding.advice.recommendation =
        "Faster kernels would not help. Check that the model and its inputs are on the "
        "GPU, and that the capture covers the part that uses it rather than start-up or "
        "compilation";
  }

  // The time before the first GPU activity of the range; nothing if none starts in it.
  std::optional<FindingPlace> time_before_work() const {
    std::optional<FindingPlace> before;
    for (const GpuWorkTimes& gpu : index_->gpus()) {
      const auto first = gpu.first_after(view_.start_ns());
      if (!first || first->start_ns >= view_.stop_ns()) continue;
      const int64_t duration_ns = first->start_ns - view_.start_ns();
      if (duration_ns <= 0) return std::nullopt;  // a GPU is busy where the range begins
      if (before && before->duration_ns <= duration_ns) continue;
      before = FindingPlace{.iteration = view_.iteration_at(view_.start_ns()),
                            .start_ns = view_.start_ns(),
                            .duration_ns = duration_ns,
                            .stake_ns = duration_ns,
                            .instance = first->instance,
                            .device = gpu.device()};
    }
    if (!before) return std::nullopt;
    before->host = index_->idle_gaps().host_time(
        before->device, before->start_ns, before->start_ns + before->duration_ns, before->instance);
    // Launched before the range: what the host did then is not in it.
    if (before->host->cause == GapCause::queued) return std::nullopt;
    return before;
  }

  // "In the 2.83 s before the first GPU activity, the host spent 74.7% of the time in cudaMalloc".
  std::string host_before_work(const FindingPlace& before) const {
    const double percent =
        100 * static_cast<double>(before.host->cause_ns) / static_cast<double>(before.duration_ns);
    return fmt::format("In the {} before the first GPU activity, the host spent {} of the time {}",
                       base::format_duration(before.duration_ns), base::format_percent(percent),
                       place_of_host(profile_, *before.host));
  }

  // What the host did, from the longest gaps, and before them where that took longer.
  void add_gaps(Finding& finding) {
    WorstPlaces places(kGapsLookedAt);
    for (const IdleGap& gap : index_->idle_gaps().longest(aggregation_, kGapsLookedAt)) {
      FindingPlace place{.iteration = gap.iteration,
                         .start_ns = gap.start_ns,
                         .duration_ns = gap.duration_ns(),
                         .stake_ns = gap.duration_ns(),
                         .instance = gap.host.instance,
                         .device = gap.device,
                         .host = gap.host};
      places.add(profile_, place, gap.host.thread);
    }
    places.tell_most(finding);
    std::vector<FindingPlace> longest = places.take();
    const std::string host = host_in_gaps(profile_, longest);
    if (!host.empty()) {
      finding.advice.recommendation =
          finding.advice.detector == "gpu_idle"
              ? host
              : fmt::format("{}. {}", host, finding.advice.recommendation);
    }
    int64_t gaps_ns = 0;
    for (const FindingPlace& gap : longest) gaps_ns += gap.duration_ns;
    if (const auto before = time_before_work(); before && before->duration_ns > gaps_ns) {
      finding.advice.recommendation =
          fmt::format("{}. {}", host_before_work(*before), finding.advice.recommendation);
      longest.insert(longest.begin(), *before);
    }
    longest.resize(std::min(longest.size(), most_places_));
    finding.places = std::move(longest);
  }

  void report_gaps() {
    const auto median = static_cast<double>(percentile(sorted_durations(aggregation_), 0.5));
    const auto longer_ns = static_cast<int64_t>(median * thresholds_.gap / 100);
    PerIteration gaps_ns = view_.zeros();
    FindingFigures figures;
    WorstPlaces places(std::max(most_places_, kWorstPlaces));
    for (const GpuWorkTimes& gpu : index_->gpus()) {
      const auto add = [&](const GpuWorkTimes::Gap& gap) {
        const int64_t iteration = view_.iteration_of_gap(gap.start_ns, gap.stop_ns);
        view_.add(gaps_ns, iteration, gap.duration_ns());
        ++figures.count;
        figures.total_ns += gap.duration_ns();
        places.add({.iteration = iteration,
                    .start_ns = gap.start_ns,
                    .duration_ns = gap.duration_ns(),
                    .stake_ns = gap.duration_ns(),
                    .instance = gap.instance,
                    .device = gpu.device()});
      };
      gpu.for_each_longer(gpu.gaps_in(view_.gaps_from_ns(), view_.stop_ns()), longer_ns, add);
    }
    for (int64_t& ns : gaps_ns) ns /= std::ssize(index_->gpus());
    Finding* finding = report_.saves("gpu_gaps", gaps_ns, "long idle gaps of a GPU");
    if (finding == nullptr) return;
    std::vector<FindingPlace> longest = places.take();
    for (FindingPlace& place : longest) {
      place.host = index_->idle_gaps().host_time(
          place.device, place.start_ns, place.start_ns + place.duration_ns, place.instance);
    }
    const std::string host =
        host_in_gaps(profile_, std::span(longest).first(std::min(longest.size(), kWorstPlaces)));
    longest.resize(std::min(longest.size(), most_places_));
    figures.range_percent = view_.percent(figures.total_ns / std::ssize(index_->gpus()));
    finding->fact = Fact::gpu_idle;
    finding->figures = figures;
    finding->thresholds = {"gap", "saving"};
    finding->advice.problem =
        fmt::format("{} idle {} longer than {}: {}", base::format_count(figures.count),
                    figures.count == 1 ? "gap" : "gaps", base::format_duration(longer_ns),
                    amount_text(view_, gaps_ns));
    finding->advice.recommendation =
        host.empty() ? "Check what the host does before the GPU activity that ends a gap: data "
                       "loading, synchronization, Python between launches"
                     : host;
    finding->places = std::move(longest);
  }

  // Where a slice begins; slice kRangeSlices is the end of the range.
  int64_t slice_start(int64_t slice) const {
    const int64_t length = view_.stop_ns() - view_.start_ns();
    return view_.start_ns() + length / kRangeSlices * slice +
           length % kRangeSlices * slice / kRangeSlices;
  }

  // Calls use(first slice, slice behind the last, covered ns) for each run of slices in which the
  // GPU is busy for less than the threshold.
  template <typename Use>
  void for_each_idle_run(const GpuWorkTimes& gpu, const Use& use) const {
    int64_t first = 0, covered_ns = 0;
    for (int64_t slice = 0; slice <= kRangeSlices; ++slice) {
      bool is_idle = false;
      int64_t slice_ns = 0;
      if (slice < kRangeSlices) {
        const int64_t from = slice_start(slice), to = slice_start(slice + 1);
        slice_ns = gpu.busy().covered_ns(from, to);
        is_idle =
            100 * static_cast<double>(slice_ns) < thresholds_.busy * static_cast<double>(to - from);
      }
      if (is_idle) {
        covered_ns += slice_ns;
        continue;
      }
      if (first < slice) use(first, slice, covered_ns);
      first = slice + 1;
      covered_ns = 0;
    }
  }

  void report_slices() {
    FindingFigures figures;
    WorstPlaces places(most_places_);
    PerIteration idle = view_.zeros();
    for (const GpuWorkTimes& gpu : index_->gpus()) {
      for_each_idle_run(gpu, [&](int64_t first, int64_t end, int64_t covered_ns) {
        const int64_t start = slice_start(first), length = slice_start(end) - start;
        const int64_t iteration = view_.iteration_at(start);
        figures.count += end - first;
        figures.total_ns += length;
        view_.add(idle, iteration, length - covered_ns);
        places.add(
            {.iteration = iteration,
             .start_ns = start,
             .duration_ns = length,
             .stake_ns = length - covered_ns,
             .device = gpu.device(),
             .busy_percent = 100 * static_cast<double>(covered_ns) / static_cast<double>(length)});
      });
    }
    const int64_t gpus = std::ssize(index_->gpus());
    for (int64_t& ns : idle) ns /= gpus;
    Finding* finding =
        report_.saves("gpu_time_util", idle, "GPU idle in time slices of low utilization");
    if (finding == nullptr) return;
    figures.range_percent = view_.percent(figures.total_ns / gpus);
    finding->fact = Fact::gpu_idle;
    finding->figures = figures;
    finding->places = places.take();
    finding->thresholds = {"busy", "saving"};
    finding->savings.reset();  // a stretch covers many iterations
    finding->advice.problem = fmt::format("GPU busy below {:g}% in {} of {} time slices",
                                          thresholds_.busy, figures.count, kRangeSlices * gpus);
    finding->advice.recommendation =
        "Check what these slices have in common: start-up, data loading, validation, checkpoints, "
        "or launch-bound phases";
  }

  const RuleIndex* index_;
  std::size_t most_places_;
  const Profile& profile_;
  const RangeView& view_;
  const Aggregation& aggregation_;
  const AdviceThresholds& thresholds_;
  FindingReport& report_;
};

}  // namespace

namespace {

// When GPUs that ran no kernel in the range were busy, summed over them.
PerIteration busy_without_kernels_ns(const RangeView& view, const RuleIndex& index) {
  PerIteration result = view.zeros();
  for (const GpuWorkTimes& gpu : index.gpus()) {
    if (!view.is_used(gpu.device())) view.add_covered(result, gpu.busy());
  }
  return result;
}

}  // namespace

PerIteration idle_ns(const RangeView& view, const RuleIndex* index) {
  const Aggregation& aggregation = view.aggregation();
  const PerIteration elsewhere_ns =
      index == nullptr ? view.zeros() : busy_without_kernels_ns(view, *index);
  PerIteration idle = view.zeros();
  for (int64_t i = view.first(); i <= view.last(); ++i) {
    const Breakdown& sum =
        aggregation.iteration_table->facts[static_cast<std::size_t>(i)].device_sum;
    const int64_t busy_ns = sum[Category::tensor_core_kernels] + sum[Category::other_kernels] +
                            sum[Category::memory] -
                            elsewhere_ns[static_cast<std::size_t>(i - view.first())];
    const int64_t of_gpus_ns = view.used_gpus() * view.iteration(i).duration_ns();
    view.add(idle, i, std::max<int64_t>(0, of_gpus_ns - busy_ns) / view.used_gpus());
  }
  return idle;
}

void report_idle_gpus(const RuleIndex* index, std::size_t most_places, FindingReport& report) {
  IdleReporter(index, most_places, report).report();
}

}  // namespace dlview::aggregate
