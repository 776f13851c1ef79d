#include "aggregate/cpu/instance_spans.h"

#include <algorithm>
#include <tuple>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {
namespace {

using profile::Profile;
using profile::Row;

// Of instance rows [first, end), which are some.
TimeWindow span_of(const Profile& profile, Row first, Row end) {
  const auto& [instances, kernels, memory_ops] =
      std::tie(profile.instances, profile.kernels, profile.memory_ops);
  TimeWindow span{instances.cpu_start_ns[first], instances.cpu_start_ns[first]};
  const auto widen = [&span](int64_t ns) {
    span.start_ns = std::min(span.start_ns, ns);
    span.stop_ns = std::max(span.stop_ns, ns);
  };
  const auto widen_by = [&](const auto& events, auto event, auto end_event) {
    for (; event < end_event; ++event) {
      widen(events.gpu_start_ns[event]);
      widen(events.gpu_stop_ns[event]);
    }
  };
  for (InstanceIndex i(first); i < end; ++i) widen(instances.cpu_start_ns[i]);
  widen_by(kernels, instances.first_kernel[first], instances.first_kernel[end]);
  widen_by(memory_ops, instances.first_memory_op[first], instances.first_memory_op[end]);
  return span;
}

Timing timing_of(const TimeWindow& span, const std::vector<TimeWindow>& windows) {
  const auto window = std::ranges::lower_bound(windows, span.start_ns, {}, &TimeWindow::stop_ns);
  if (window == windows.end() || window->start_ns > span.stop_ns) return Timing::outside;
  const bool holds = window->start_ns <= span.start_ns && span.stop_ns <= window->stop_ns;
  return holds ? Timing::inside : Timing::partly;
}

void append(std::vector<Segment>& segments, const Segment& next) {
  if (segments.empty() || segments.back().timing != next.timing) {
    segments.push_back(next);
  } else {
    segments.back().end = next.end;
  }
}

}  // namespace

InstanceSpans::InstanceSpans(const Profile& profile, std::size_t shortest_inside)
    : instances_(profile.instances.size()),
      shortest_inside_(shortest_inside),
      spans_((instances_ + kRun - 1) / kRun) {
  base::parallel_for(spans_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t run = begin; run < end; ++run) {
      spans_[run] = span_of(profile, static_cast<Row>(run * kRun),
                            static_cast<Row>(std::min((run + 1) * kRun, instances_)));
    }
  });
}

std::vector<Segment> InstanceSpans::segments(const std::vector<TimeWindow>& windows) const {
  std::vector<Segment> alike, segments;
  for (std::size_t run = 0; run < spans_.size(); ++run) {
    const auto end = static_cast<Row>(std::min((run + 1) * kRun, instances_));
    append(alike, {static_cast<Row>(run * kRun), end, timing_of(spans_[run], windows)});
  }
  for (Segment segment : alike) {
    const bool is_short = segment.end - segment.first < shortest_inside_;
    if (segment.timing == Timing::inside && is_short) segment.timing = Timing::partly;
    append(segments, segment);
  }
  return segments;
}

}  // namespace dlview::aggregate::cpu
