#include "aggregate/rules/rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/findings.h"
#include "aggregate/gaps/gap_text.h"
#include "base/intervals.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

// What is said of calls under a rule: "2 synchronous copies block the host".
struct CallWords {
  std::string_view detector, one, many, idle, recommendation, threshold_id;
  double AdviceThresholds::*threshold;
};

constexpr std::string_view kNoKernel = "no kernel runs";
constexpr std::string_view kNoWork = "the GPU does nothing";

const CallWords& words_of(CallRule rule) {
  static constexpr CallWords kPageableCopies{
      "cuda_memcpy_async",
      "asynchronous copy of pageable memory holds the host",
      "asynchronous copies of pageable memory hold the host",
      kNoKernel,
      "They go through a buffer of the driver and may block like synchronous ones. Pin the host's "
      "memory: pin_memory=True in PyTorch's DataLoader, else cudaMallocHost or cudaHostRegister",
      "pageable_copies",
      &AdviceThresholds::pageable_copies};
  static constexpr CallWords kCopies{
      "cuda_memcpy_sync",
      "synchronous copy blocks the host",
      "synchronous copies block the host",
      kNoKernel,
      "Use cudaMemcpyAsync with pinned memory, and wait only where the data is needed",
      "synchronous_copies",
      &AdviceThresholds::synchronous_copies};
  static constexpr CallWords kMemsets{
      "cuda_memset_sync",
      "synchronous memset of host memory blocks the host",
      "synchronous memsets of host memory block the host",
      kNoKernel,
      "A memset of pinned or managed memory returns when it is done. Use cudaMemsetAsync",
      "synchronous_memsets",
      &AdviceThresholds::synchronous_memsets};
  static constexpr CallWords kWaits{
      "cuda_api_sync",
      "call waits for all work of a stream or GPU",
      "calls wait for all work of a stream or GPU",
      kNoWork,
      "Meanwhile the host launches nothing ahead. Keep .item(), .cpu() and printed tensors out of "
      "the step; wait for an event only (cudaStreamWaitEvent, cudaEventSynchronize)",
      "waits",
      &AdviceThresholds::waits};
  switch (rule) {
    case CallRule::pageable_copy:
      return kPageableCopies;
    case CallRule::synchronous_copy:
      return kCopies;
    case CallRule::synchronous_memset:
      return kMemsets;
    case CallRule::wait:
      break;
  }
  return kWaits;
}

bool is_worse(const FindingPlace& a, const FindingPlace& b) {
  return a.stake_ns != b.stake_ns ? a.stake_ns > b.stake_ns : a.duration_ns > b.duration_ns;
}

// The worst places of many, of equal ones the first.
class Worst {
 public:
  explicit Worst(std::size_t most) : most_(most) {}
  void add(const FindingPlace& place) {
    if (limit_ && !is_worse(place, *limit_)) return;
    places_.push_back(place);
    if (places_.size() / 2 > most_) cut();
  }
  std::vector<FindingPlace> take() {
    cut();
    return std::move(places_);
  }

 private:
  void cut() {
    std::ranges::stable_sort(places_, is_worse);
    if (places_.size() > most_) places_.resize(most_);
    if (places_.size() == most_ && most_ > 0) limit_ = places_.back();
  }

  std::size_t most_;
  std::vector<FindingPlace> places_;
  std::optional<FindingPlace> limit_;  // the best of those that are kept, once there are enough
};

class Rules {
 public:
  Rules(const Profile& profile, const RuleIndex& index, const Aggregation& aggregation,
        const AdviceThresholds& thresholds, std::size_t most_places)
      : profile_(profile),
        index_(index),
        aggregation_(aggregation),
        iterations_(aggregation.iteration_table->iterations.rows),
        range_(aggregation.selection.range),
        thresholds_(thresholds),
        most_places_(most_places),
        start_ns_(iteration(range_.first).start_ns),
        stop_ns_(iteration(range_.last).stop_ns),
        on_host_{iteration(range_.first).host_time().start_ns,
                 iteration(range_.last).host_time().stop_ns} {}

  std::vector<Finding> apply() {
    look_at_calls();
    if (index_.gpus().empty()) return std::move(findings_);
    look_at_gaps();
    look_at_parts();
    return std::move(findings_);
  }

 private:
  const Iteration& iteration(int64_t number) const {
    return iterations_[static_cast<std::size_t>(number)];
  }
  double percent_of_range(double ns) const {
    return aggregation_.range_ns == 0 ? 0 : 100 * ns / static_cast<double>(aggregation_.range_ns);
  }
  // Of the range; its instances, and so its iterations, are in order.
  int64_t iteration_of(Row instance) const {
    const auto begin = iterations_.begin() + range_.first, end = iterations_.begin() + range_.last;
    return std::ranges::upper_bound(begin, end, instance, {}, &Iteration::last_instance) -
           iterations_.begin();
  }
  int64_t iteration_at(int64_t time_ns) const {
    const auto begin = iterations_.begin() + range_.first + 1,
               end = iterations_.begin() + range_.last + 1;
    return std::ranges::upper_bound(begin, end, time_ns, {}, &Iteration::start_ns) -
           iterations_.begin() - 1;
  }
  int64_t gpu_count() const { return static_cast<int64_t>(index_.gpus().size()); }

  // `at_stake_ns`: in the range.
  void report(Advice advice, const FindingFigures& figures, int64_t at_stake_ns, std::string basis,
              std::vector<std::string_view> thresholds, std::vector<FindingPlace> places) {
    Finding finding;
    finding.advice = std::move(advice);
    finding.figures = figures;
    finding.places = std::move(places);
    finding.thresholds = std::move(thresholds);
    const int64_t stake_ns = at_stake_ns / range_.size();
    if (stake_ns > 0) {
      finding.stake_ns = stake_ns;
      finding.stake_basis = std::move(basis);
    }
    findings_.push_back(std::move(finding));
  }

  void look_at_calls();
  void report_calls(CallRule rule, FindingFigures figures, Worst& places);
  void look_at_gaps();
  void look_at_parts();
  // Calls use(first part, part behind the last, covered ns) for each run of parts in which the GPU
  // is busy for less than the threshold.
  template <typename Use>
  void for_each_idle_run(const GpuWorkTimes& gpu, const Use& use) const;
  // Where a part begins; part kRangeParts is the end of the range.
  int64_t part_start(int64_t part) const {
    const int64_t length = stop_ns_ - start_ns_;
    return start_ns_ + length / kRangeParts * part + length % kRangeParts * part / kRangeParts;
  }

  const Profile& profile_;
  const RuleIndex& index_;
  const Aggregation& aggregation_;
  const std::vector<Iteration>& iterations_;
  IterationRange range_;
  const AdviceThresholds& thresholds_;
  std::size_t most_places_;
  int64_t start_ns_, stop_ns_;  // of the range
  base::Interval on_host_;      // when the host makes its calls
  std::vector<Finding> findings_;
};

void Rules::look_at_calls() {
  std::array<FindingFigures, kCallRules.size()> figures;
  std::vector<Worst> places(kCallRules.size(), Worst(most_places_));
  for (const RuleCall& call :
       index_.calls(iteration(range_.first).first_instance, iteration(range_.last).last_instance)) {
    const auto rule = static_cast<std::size_t>(call.rule);
    ++figures[rule].count;
    figures[rule].total_ns += call.duration_ns();
    places[rule].add({.iteration = iteration_of(call.instance),
                      .start_ns = call.start_ns,
                      .duration_ns = call.duration_ns(),
                      .stake_ns = call.idle_ns,
                      .instance = call.instance,
                      .call = call.name,
                      .process_id = profile_.threads[call.thread].process_id});
  }
  for (const CallRule rule : kCallRules) {
    const auto r = static_cast<std::size_t>(rule);
    if (figures[r].count > 0) report_calls(rule, figures[r], places[r]);
  }
}

void Rules::report_calls(CallRule rule, FindingFigures figures, Worst& places) {
  const RuleTimes& times = index_.times(rule);
  const int64_t in_calls_ns = times.in_calls.covered_ns(on_host_.start_ns, on_host_.stop_ns);
  figures.range_percent = percent_of_range(static_cast<double>(in_calls_ns));
  int64_t idle_ns = 0;
  for (const base::IntervalSet& idle : times.idle) {
    idle_ns += idle.covered_ns(on_host_.start_ns, on_host_.stop_ns);
  }
  idle_ns /= std::max<int64_t>(1, index_.process_count());
  const double cost_percent = percent_of_range(static_cast<double>(idle_ns));
  const CallWords& words = words_of(rule);
  if (cost_percent <= thresholds_.*words.threshold) return;
  report(
      {std::string(words.detector),
       fmt::format("{} {} for {}; meanwhile {} for {}, {} of the range",
                   base::format_count(figures.count), figures.count == 1 ? words.one : words.many,
                   base::format_duration(in_calls_ns), words.idle, base::format_duration(idle_ns),
                   base::format_percent(cost_percent)),
       std::string(words.recommendation), "", ""},
      figures, idle_ns, fmt::format("time in such calls in which {}", words.idle),
      {words.threshold_id}, places.take());
}

void Rules::look_at_gaps() {
  const auto median = static_cast<double>(percentile(sorted_durations(aggregation_), 0.5));
  const auto longer_ns = static_cast<int64_t>(median * thresholds_.gap / 100);
  FindingFigures figures;
  Worst places(std::max(most_places_, kWorstPlaces));
  for (const GpuWorkTimes& gpu : index_.gpus()) {
    const auto add = [&](const GpuWorkTimes::Gap& gap) {
      ++figures.count;
      figures.total_ns += gap.duration_ns();
      places.add({.start_ns = gap.start_ns,
                  .duration_ns = gap.duration_ns(),
                  .stake_ns = gap.duration_ns(),
                  .instance = gap.instance,
                  .process_id = gpu.process_id(),
                  .device = gpu.device()});
    };
    gpu.for_each_longer(gpu.gaps_in(start_ns_, stop_ns_), longer_ns, add);
  }
  figures.range_percent =
      percent_of_range(static_cast<double>(figures.total_ns) / static_cast<double>(gpu_count()));
  if (figures.count == 0 || figures.range_percent <= thresholds_.gaps) return;
  std::vector<FindingPlace> longest = places.take();
  for (FindingPlace& place : longest) {
    place.iteration = iteration_at(place.start_ns);
    place.host = index_.idle_gaps().host_time(place.device, place.start_ns,
                                              place.start_ns + place.duration_ns, place.instance);
  }
  const std::string host =
      host_in_gaps(profile_, std::span(longest).first(std::min(longest.size(), kWorstPlaces)));
  longest.resize(std::min(longest.size(), most_places_));
  report(
      {"gpu_gaps",
       fmt::format("{} {} longer than {} between the work of a GPU: {} of the range",
                   base::format_count(figures.count), figures.count == 1 ? "gap is" : "gaps are",
                   base::format_duration(longer_ns), base::format_percent(figures.range_percent)),
       fmt::format("The GPU starves. {}",
                   host.empty() ? "Look at what the host does before the work that ends a gap: "
                                  "data loading, waits, Python between launches"
                                : host),
       "", ""},
      figures, figures.total_ns / gpu_count(), "gaps in the work of a GPU", {"gap", "gaps"},
      std::move(longest));
}

template <typename Use>
void Rules::for_each_idle_run(const GpuWorkTimes& gpu, const Use& use) const {
  int64_t first = 0, covered_ns = 0;
  for (int64_t part = 0; part <= kRangeParts; ++part) {
    bool is_idle = false;
    int64_t part_ns = 0;
    if (part < kRangeParts) {
      const int64_t from = part_start(part), to = part_start(part + 1);
      part_ns = gpu.busy().covered_ns(from, to);
      is_idle =
          100 * static_cast<double>(part_ns) < thresholds_.busy * static_cast<double>(to - from);
    }
    if (is_idle) {
      covered_ns += part_ns;
      continue;
    }
    if (first < part) use(first, part, covered_ns);
    first = part + 1;
    covered_ns = 0;
  }
}

void Rules::look_at_parts() {
  FindingFigures figures;
  Worst places(most_places_);
  int64_t idle_ns = 0;
  for (const GpuWorkTimes& gpu : index_.gpus()) {
    for_each_idle_run(gpu, [&](int64_t first, int64_t end, int64_t covered_ns) {
      const int64_t start = part_start(first), length = part_start(end) - start;
      figures.count += end - first;
      figures.total_ns += length;
      idle_ns += length - covered_ns;
      places.add(
          {.iteration = iteration_at(start),
           .start_ns = start,
           .duration_ns = length,
           .stake_ns = length - covered_ns,
           .process_id = gpu.process_id(),
           .device = gpu.device(),
           .busy_percent = 100 * static_cast<double>(covered_ns) / static_cast<double>(length)});
    });
  }
  figures.range_percent =
      percent_of_range(static_cast<double>(figures.total_ns) / static_cast<double>(gpu_count()));
  if (figures.count == 0 || figures.range_percent <= thresholds_.idle_parts) return;
  const int64_t parts = kRangeParts * gpu_count();
  report({"gpu_time_util",
          fmt::format("In {} of {} equal parts of the range a GPU is busy for less than {:g} %",
                      figures.count, parts, thresholds_.busy),
          "Look at what these stretches have in common: start-up, data loading, validation or "
          "checkpoints, or kernels too short to launch ahead of",
          "", ""},
         figures, idle_ns / gpu_count(), "time in these parts in which a GPU does nothing",
         {"busy", "idle_parts"}, places.take());
}

}  // namespace

std::vector<Finding> apply_rules(const Profile& profile, const RuleIndex& index,
                                 const Aggregation& aggregation, const AdviceThresholds& thresholds,
                                 std::size_t most_places) {
  return Rules(profile, index, aggregation, thresholds, most_places).apply();
}

}  // namespace dlview::aggregate
