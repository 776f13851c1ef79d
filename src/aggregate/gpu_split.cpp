#include "aggregate/gpu_split.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/parallel.h"
#include "profile/streams.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using profile::Row;

constexpr std::size_t kRowsAtOnce = 16, kKernelsMarkedAtOnce = 65'536;
constexpr int64_t kLeastQueuedNs = 1'000'000;  // launches take some 10 µs
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The first start and the last stop of kernels that count; start > stop without any.
struct KernelSpan {
  int64_t start_ns = kNever, stop_ns = -kNever;
  bool empty() const { return start_ns > stop_ns; }
  void add(const KernelSpan& more) {
    start_ns = std::min(start_ns, more.start_ns);
    stop_ns = std::max(stop_ns, more.stop_ns);
  }
};

struct KernelSpans {
  KernelSpan main, any;  // of the main stream, of all streams
  void add(const KernelSpans& more) {
    main.add(more.main);
    any.add(more.any);
  }
};

// Of the kernels of the instances [first, last).
KernelSpans spans_of(const Profile& profile, const BoundaryKernels& kernels, InstanceIndex first,
                     InstanceIndex last) {
  const auto& starts = profile.kernels.gpu_start_ns;
  const auto& stops = profile.kernels.gpu_stop_ns;
  KernelSpans spans;
  for (KernelIndex k = profile.instances.first_kernel[first];
       k < profile.instances.first_kernel[last]; ++k) {
    if (!kernels.counts(k)) continue;
    const KernelSpan span{starts[k], std::max(starts[k], stops[k])};
    spans.any.add(span);
    if (kernels.is_on_main_stream(k)) spans.main.add(span);
  }
  return spans;
}

InstanceIndex first_instance_from(const Profile& profile, int64_t time_ns) {
  const auto starts = profile.instances.cpu_start_ns.span();
  return InstanceIndex(
      static_cast<Row>(std::ranges::lower_bound(starts, time_ns) - starts.begin()));
}

// Of a row and, in it, of its range.
KernelSpans spans_of_row(const Profile& profile, const BoundaryKernels& kernels,
                         const Iteration& row, KeyRange* range) {
  if (range == nullptr) {
    return spans_of(profile, kernels, row.first_instance, row.last_instance);
  }
  const auto within_row = [&](int64_t time_ns) {
    return std::clamp(first_instance_from(profile, time_ns), row.first_instance, row.last_instance);
  };
  const InstanceIndex first = within_row(range->start_ns);
  const InstanceIndex last = std::max(first, within_row(range->stop_ns + 1));
  const KernelSpans inside = spans_of(profile, kernels, first, last);
  if (!inside.any.empty()) range->on_gpu = Interval{inside.any.start_ns, inside.any.stop_ns};
  KernelSpans spans = spans_of(profile, kernels, row.first_instance, first);
  spans.add(inside);
  spans.add(spans_of(profile, kernels, last, row.last_instance));
  return spans;
}

// Returns when each iteration ends on the GPU: with the last kernel that it, or any before it,
// launches on the main stream. One without such kernels ends with its last one on any stream if
// this contradicts neither the iteration before nor the one after. None ends before `least_ns`.
std::vector<int64_t> ends_on_gpu(std::span<const KernelSpans> spans, int64_t least_ns,
                                 int64_t end_ns) {
  std::vector<int64_t> ends;
  int64_t latest_ns = least_ns;
  for (const KernelSpans& of_row : spans) {
    latest_ns = std::max(latest_ns, of_row.main.stop_ns);
    ends.push_back(latest_ns);
  }
  for (std::size_t i = spans.size(); i-- > 0;) {
    const int64_t next_ns = i + 1 < ends.size() ? ends[i + 1] : end_ns;
    const int64_t any_ns = spans[i].any.stop_ns;
    const bool is_between = ends[i] <= any_ns && any_ns <= next_ns;
    if (spans[i].main.empty() && is_between) ends[i] = any_ns;
  }
  return ends;
}

// Returns when the first iteration of a split by ranges begins: on the host, or with the last
// kernel launched before on the main stream, but not after the first kernel launched in any
// iteration. If that kernel waited in its queue for most of this time, and for longer than a launch
// takes, activity from before the capture kept the GPU busy, and the iteration begins with the
// kernel.
int64_t begin_of_first(const Profile& profile, const BoundaryKernels& kernels,
                       const std::vector<KernelSpans>& spans, const std::vector<Iteration>& rows,
                       int64_t first_kernel_ns) {
  const Iteration& first = rows.front();
  const KernelSpan earlier =
      spans_of(profile, kernels, InstanceIndex{0}, first.first_instance).main;
  const int64_t begin_ns = std::min(std::max(first.start_ns, earlier.stop_ns), first_kernel_ns);
  const auto row =
      static_cast<std::size_t>(std::ranges::find_if(spans,
                                                    [&](const KernelSpans& of_row) {
                                                      return of_row.any.start_ns == first_kernel_ns;
                                                    }) -
                               spans.begin());
  const auto& first_kernel = profile.instances.first_kernel;
  KernelIndex kernel = first_kernel[rows[row].first_instance];
  const auto is_first = [&](KernelIndex k) {
    return kernels.counts(k) && profile.kernels.gpu_start_ns[k] == first_kernel_ns;
  };
  while (!is_first(kernel)) ++kernel;
  const int64_t launched_ns = std::max(begin_ns, profile.kernels.api_stop_ns[kernel]);
  const int64_t queued_ns = first_kernel_ns - launched_ns;
  const bool was_busy = queued_ns >= kLeastQueuedNs && queued_ns > launched_ns - begin_ns;
  return was_busy ? first_kernel_ns : begin_ns;
}

// Kernels launched in an iteration: their time, and the part outside the iteration's.
struct LaunchedTime {
  int64_t all_ns = 0, elsewhere_ns = 0;
};

LaunchedTime launched_time(const Profile& profile, const Iteration& iteration) {
  const auto& starts = profile.kernels.gpu_start_ns;
  const auto& stops = profile.kernels.gpu_stop_ns;
  const auto& first_kernel = profile.instances.first_kernel;
  LaunchedTime time;
  for (KernelIndex k = first_kernel[iteration.first_instance];
       k < first_kernel[iteration.last_instance]; ++k) {
    const int64_t start_ns = std::max(starts[k], iteration.start_ns);
    const int64_t stop_ns = std::min(stops[k], iteration.stop_ns + 1);
    const int64_t length_ns = std::max<int64_t>(0, stops[k] - starts[k]);
    time.all_ns += length_ns;
    time.elsewhere_ns += length_ns - std::max<int64_t>(0, stop_ns - start_ns);
  }
  return time;
}

}  // namespace

BoundaryKernels::BoundaryKernels(const Profile& profile, std::optional<int64_t> process_id)
    : process_id_(process_id), marks_(profile.kernels.size()) {
  const auto& kernels = profile.kernels;
  const auto& instances = profile.instances;
  base::parallel_for(marks_.size(), kKernelsMarkedAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const InstanceIndex instance = kernels.instance[k];
      const bool counts =
          !process_id || profile.threads[instances.thread[instance]].process_id == *process_id;
      marks_[k] = counts && kernels.gpu_start_ns[k] > instances.cpu_start_ns[instance] ? 1 : 0;
    }
  });
  const profile::Streams streams = profile::find_streams(profile);
  std::vector<std::optional<int64_t>> time_ns(streams.rows.size());
  for (std::size_t k = 0; k < marks_.size(); ++k) {
    if (marks_[k] == 0) continue;
    std::optional<int64_t>& sum_ns = time_ns[streams.of_kernel[k]];
    sum_ns = sum_ns.value_or(0) + kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k];
  }
  const auto main = std::ranges::max_element(time_ns);  // the first of equal ones
  if (main == time_ns.end() || !*main) return;
  const auto main_row = static_cast<Row>(main - time_ns.begin());
  for (std::size_t k = 0; k < marks_.size(); ++k) {
    if (marks_[k] != 0 && streams.of_kernel[k] == main_row) marks_[k] = kMain;
  }
}

void split_by_gpu(const Profile& profile, const BoundaryKernels& kernels, Iterations& iterations) {
  std::vector<Iteration>& rows = iterations.rows;
  std::vector<KeyRange>& ranges = iterations.ranges;
  std::vector<KernelSpans> spans(rows.size());
  base::parallel_for(rows.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      spans[i] = spans_of_row(profile, kernels, rows[i], ranges.empty() ? nullptr : &ranges[i]);
    }
  });
  KernelSpan all;
  for (const KernelSpans& of_row : spans) all.add(of_row.any);
  if (all.empty()) return;

  Interval outer{rows.front().start_ns, rows.back().stop_ns};
  if (!ranges.empty()) {
    outer.start_ns = begin_of_first(profile, kernels, spans, rows, all.start_ns);
    outer.stop_ns = std::max(outer.stop_ns, all.stop_ns);
  }
  const std::vector<int64_t> ends_ns = ends_on_gpu(spans, outer.start_ns - 1, outer.stop_ns);
  for (Iteration& row : rows) row.host = Interval{row.start_ns, row.stop_ns};
  rows.front().start_ns = outer.start_ns;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].start_ns = std::max(rows[i].start_ns, ends_ns[i - 1] + 1);
    rows[i - 1].stop_ns = std::max(rows[i - 1].start_ns, rows[i].start_ns - 1);
  }
  rows.back().stop_ns = std::max(rows.back().start_ns, outer.stop_ns);
  iterations.split_by = SplitBy::gpu;
}

int64_t kernel_time_elsewhere(const Profile& profile, const Iteration& iteration) {
  return launched_time(profile, iteration).elsewhere_ns;
}

double share_elsewhere(const Profile& profile, const Iterations& iterations) {
  std::vector<LaunchedTime> times(iterations.rows.size());
  base::parallel_for(times.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      times[i] = launched_time(profile, iterations.rows[i]);
    }
  });
  LaunchedTime all;
  for (const LaunchedTime& time : times) {
    all.all_ns += time.all_ns;
    all.elsewhere_ns += time.elsewhere_ns;
  }
  if (all.all_ns == 0) return 0;
  return static_cast<double>(all.elsewhere_ns) / static_cast<double>(all.all_ns);
}

}  // namespace dlview::aggregate
