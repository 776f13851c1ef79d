#include "aggregate/gpu_split.h"

#include <algorithm>
#include <iterator>
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

// When each iteration begins. `main` and `any`: its first start on the main stream and on any, or
// kNever. The first one begins at `begin_ns`, and none later than `end_ns`.
std::vector<int64_t> begin_times(std::span<const int64_t> main, std::span<const int64_t> any,
                                 int64_t begin_ns, int64_t end_ns) {
  std::vector<int64_t> result(main.size());  // first: the earliest start from here on
  int64_t earliest_ns = end_ns;
  for (std::size_t i = main.size(); i-- > 0;) {
    earliest_ns = std::min(earliest_ns, main[i]);
    result[i] = earliest_ns;
  }
  result[0] = begin_ns;
  for (std::size_t i = 1; i < main.size(); ++i) {
    const bool is_between = result[i - 1] <= any[i] && any[i] <= result[i];
    if (main[i] == kNever && is_between) result[i] = any[i];
    result[i] = std::max(result[i], begin_ns);
  }
  return result;
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

using Get = int64_t (*)(const KernelSpans& spans);

std::vector<int64_t> values_of(const std::vector<KernelSpans>& spans, Get get) {
  std::vector<int64_t> values;
  std::ranges::transform(spans, std::back_inserter(values), get);
  return values;
}

void set_times_by_starts(const std::vector<KernelSpans>& spans, const Interval& all,
                         int64_t last_ns, std::vector<Iteration>& rows) {
  const std::vector<int64_t> starts = begin_times(
      values_of(spans, [](const KernelSpans& s) { return s.main.start_ns; }),
      values_of(spans, [](const KernelSpans& s) { return s.any.start_ns; }), all.start_ns, last_ns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int64_t stop_ns = i + 1 < rows.size() ? starts[i + 1] - 1 : all.stop_ns;
    rows[i].start_ns = starts[i];
    rows[i].stop_ns = std::max(starts[i], stop_ns);
  }
}

// The same with time running backwards.
void set_times_by_ends(std::vector<KernelSpans> spans, const Interval& all, int64_t first_ns,
                       std::vector<Iteration>& rows) {
  std::ranges::reverse(spans);
  std::vector<int64_t> stops =
      begin_times(values_of(spans, [](const KernelSpans& s) { return -s.main.stop_ns; }),
                  values_of(spans, [](const KernelSpans& s) { return -s.any.stop_ns; }),
                  -all.stop_ns, -first_ns);
  std::ranges::reverse(stops);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int64_t stop_ns = -stops[i];
    const int64_t start_ns = i > 0 ? -stops[i - 1] + 1 : all.start_ns;
    rows[i].start_ns = std::min(start_ns, stop_ns);
    rows[i].stop_ns = stop_ns;
  }
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

void split_by_gpu(const Profile& profile, CutKind kind, const BoundaryKernels& kernels,
                  Iterations& iterations) {
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

  for (Iteration& row : rows) row.host = Interval{row.start_ns, row.stop_ns};
  const Interval outer = ranges.empty() ? Interval{rows.front().start_ns, rows.back().stop_ns}
                                        : Interval{all.start_ns, all.stop_ns};
  if (kind == CutKind::end) {
    set_times_by_ends(std::move(spans), outer, all.start_ns, rows);
  } else {
    set_times_by_starts(spans, outer, all.stop_ns, rows);
  }
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
