#include "aggregate/rules/launch_gaps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "aggregate/rules/detectors.h"
#include "aggregate/rules/worst_places.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kPause = 4;  // times the median distance, as in period_work.cpp
// Frameworks need up to some tens of microseconds from one launch to the next. Whoever needs longer
// does something else meanwhile.
constexpr int64_t kLongestNs = 100'000;

// The launches of one thread.
class Launches {
 public:
  void add(int64_t time_ns) { times_ns_.push_back(time_ns); }
  void finish() {
    std::ranges::sort(times_ns_);
    times_ns_.erase(std::unique(times_ns_.begin(), times_ns_.end()), times_ns_.end());
    if (times_ns_.size() < 2) return;
    std::vector<int64_t> distances;
    for (std::size_t i = 1; i < times_ns_.size(); ++i) {
      distances.push_back(times_ns_[i] - times_ns_[i - 1]);
    }
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    usual_ns_ = *middle;
  }
  // The launch before if it is no further away than one of many; else nothing.
  std::optional<int64_t> launch_before(int64_t time_ns) const {
    const auto found = std::ranges::lower_bound(times_ns_, time_ns);
    if (found == times_ns_.begin() || time_ns - *std::prev(found) > longest_ns()) {
      return std::nullopt;
    }
    return *std::prev(found);
  }
  int64_t longest_ns() const { return std::min(kPause * usual_ns_, kLongestNs); }

 private:
  std::vector<int64_t> times_ns_;
  int64_t usual_ns_ = 0;
};

}  // namespace

void mark_launch_gaps(const profile::Profile& profile, const GpuEvents& process,
                      const base::IntervalSet& blocked, const GpuWorkTimes& gpu,
                      std::vector<bool>& gaps) {
  std::map<profile::ThreadIndex, Launches> of_thread;
  for (const GpuEvent& event : process.rows) {
    base::stop_point();
    if (event.has_launch) of_thread[thread_of(profile, event)].add(event.launch_ns);
  }
  for (auto& [thread, launches] : of_thread) launches.finish();
  std::optional<std::size_t> last;  // whose end the process had a look at
  for (const GpuEvent& event : process.rows) {
    base::stop_point();
    if (event.stop_ns <= event.start_ns) continue;
    const std::optional<std::size_t> number = gpu.gap_before(event.start_ns);
    if (!number || number == last) continue;
    last = number;
    const GpuWorkTimes::Gap gap = gpu.gap(*number);
    const int64_t launch_ns = event.launch_ns;
    if (!event.is_kernel || !event.has_launch || launch_ns <= gap.start_ns) continue;
    const Launches& launches = of_thread[thread_of(profile, event)];
    const std::optional<int64_t> before_ns = launches.launch_before(launch_ns);
    if (before_ns && gap.duration_ns() <= launches.longest_ns() &&
        blocked.covered_ns(*before_ns, launch_ns) == 0) {
      gaps[*number] = true;
    }
  }
}

void report_launch_gaps(const RuleIndex& index, std::size_t most_places, FindingReport& report) {
  if (index.is_untold("launch_bound")) return;
  const profile::Profile& profile = report.profile();
  const RangeView& view = report.view();
  PerIteration gaps_ns = view.zeros();
  FindingFigures figures;
  WorstPlaces places(most_places);
  for (std::size_t i = 0; i < index.gpus().size(); ++i) {
    const GpuWorkTimes& gpu = index.gpus()[i];
    const std::vector<bool>& is_launch_gap = index.launch_gaps(i);
    const GpuWorkTimes::Gaps in_range = gpu.gaps_in(view.gaps_from_ns(), view.stop_ns());
    for (std::size_t number = in_range.first; number < in_range.end; ++number) {
      if (!is_launch_gap[number]) continue;
      const GpuWorkTimes::Gap gap = gpu.gap(number);
      const int64_t iteration = view.iteration_of_gap(gap.start_ns, gap.stop_ns);
      view.add(gaps_ns, iteration, gap.duration_ns());
      ++figures.count;
      figures.total_ns += gap.duration_ns();
      places.add(profile,
                 {.iteration = iteration,
                  .start_ns = gap.start_ns,
                  .duration_ns = gap.duration_ns(),
                  .stake_ns = gap.duration_ns(),
                  .instance = gap.instance,
                  .device = gpu.device()},
                 profile.instances.thread[gap.instance]);
    }
  }
  const auto gpus = std::max<int64_t>(1, std::ssize(index.gpus()));
  for (int64_t& ns : gaps_ns) ns /= gpus;
  Finding* finding = report.saves("launch_bound", gaps_ns,
                                  "idle gaps while the host launches kernels without a pause");
  if (finding == nullptr) return;
  finding->fact = Fact::gpu_idle;
  finding->op = places.op();
  finding->op_percent = places.op_percent();
  finding->thread = places.thread();
  finding->places = places.take();
  figures.range_percent = view.percent(figures.total_ns / gpus);
  finding->figures = figures;
  const auto words =
      figures.count < view.size() ? PerIterationWords::with : PerIterationWords::without;
  finding->advice.problem =
      fmt::format("Launch-bound: the GPU waits for {}, idle for {}",
                  launches_text(view, figures.count), amount_text(view, gaps_ns, words));
  finding->advice.recommendation =
      where_text(profile, *finding) +
      "The kernels are shorter than the time to launch them. Fuse them (torch.compile, foreach or "
      "fused "
      "optimizers), capture the step in a CUDA graph, or use a larger batch";
}

}  // namespace dlview::aggregate
