#include "import/nsys/op_spans.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::Row;

// Ranges of start/end that are open at the same time stand for requests in flight, not for phases
// of the run, when there are more than this.
constexpr std::size_t kMostOpen = 256;

// A forward op said that backward ops of this sequence number come from it.
struct ForwardOp {
  GlobalId process = 0;
  int64_t seq = 0, start_ns = 0;
  Row span = 0;
  bool operator<(const ForwardOp& other) const {
    return std::tuple(process, seq, start_ns) <
           std::tuple(other.process, other.seq, other.start_ns);
  }
};

// Goes through the ranges of one thread in order of start.
class ThreadSweep {
 public:
  ThreadSweep(OpSpans& result, std::vector<ForwardOp>& forward_ops, bool is_marked)
      : result_(result),
        forward_ops_(forward_ops),
        is_marked_(is_marked),
        first_span_(result.spans.size()) {}

  void add(const NvtxRange& range);
  void finish();

 private:
  struct Open {
    const NvtxRange* range = nullptr;
    OpPaths::Node node = OpPaths::kRoot;
  };

  void close_until(int64_t time_ns);
  // The time that is not given yet.
  void give_to_innermost(int64_t until_ns);
  void add_op(const NvtxRange& range);
  void add_inner(const NvtxRange& range);
  // The innermost open range that lasts as long as `range`.
  OpPaths::Node path_around(const NvtxRange& range) const;
  const NvtxRange* trace_marker_around(const NvtxRange& range);

  OpSpans& result_;
  std::vector<ForwardOp>& forward_ops_;
  const bool is_marked_;
  const std::size_t first_span_;
  std::vector<Open> open_;                       // the innermost last
  std::vector<const NvtxRange*> trace_markers_;  // open ones
  int64_t given_until_ns_ = INT64_MIN;           // time before it belongs to spans already
  int64_t op_until_ns_ = INT64_MIN;              // the end of the last op
  Row op_span_ = kNoRow;
  bool has_framework_ops_ = false;
};

void ThreadSweep::give_to_innermost(int64_t until_ns) {
  if (!is_marked_ && !open_.empty() && given_until_ns_ < until_ns) {
    const Open& innermost = open_.back();
    const int64_t start_ns = std::max(given_until_ns_, innermost.range->start_ns);
    result_.spans.push_back({.thread = innermost.range->thread,
                             .start_ns = start_ns,
                             .stop_ns = until_ns,
                             .range = innermost.range,
                             .node = innermost.node,
                             .is_own_time = true});
  }
  given_until_ns_ = std::max(given_until_ns_, until_ns);
}

void ThreadSweep::close_until(int64_t time_ns) {
  const auto ends_before = [time_ns](const Open& open) { return open.range->stop_ns <= time_ns; };
  while (!open_.empty()) {
    if (ends_before(open_.back())) {
      give_to_innermost(open_.back().range->stop_ns);
      open_.pop_back();
      continue;
    }
    // Of start/end ranges an outer one may end first.
    const auto other = std::find_if(open_.begin(), open_.end(), ends_before);
    if (other == open_.end()) return;
    open_.erase(other);
  }
}

OpPaths::Node ThreadSweep::path_around(const NvtxRange& range) const {
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i].range->stop_ns >= range.stop_ns) return open_[i].node;
  }
  return OpPaths::kRoot;
}

const NvtxRange* ThreadSweep::trace_marker_around(const NvtxRange& range) {
  while (!trace_markers_.empty() && trace_markers_.back()->stop_ns <= range.start_ns) {
    trace_markers_.pop_back();
  }
  return trace_markers_.empty() ? nullptr : trace_markers_.back();
}

void ThreadSweep::add_op(const NvtxRange& range) {
  give_to_innermost(range.start_ns);
  OpSpan span{.thread = range.thread,
              .start_ns = range.start_ns,
              .stop_ns = range.stop_ns,
              .range = &range};
  if (range.kind == RangeKind::marker_op) {
    span.trace_marker = trace_marker_around(range);
  } else {
    span.node = result_.paths.below(path_around(range), range.name);
  }
  op_span_ = static_cast<Row>(result_.spans.size());
  result_.spans.push_back(span);
  op_until_ns_ = given_until_ns_ = range.stop_ns;
  has_framework_ops_ |= range.kind == RangeKind::framework_op;
  add_inner(range);
}

void ThreadSweep::add_inner(const NvtxRange& range) {
  if (!range.seq) return;
  OpSpan& op = result_.spans[op_span_];
  if (op.range->backward) {
    if (range.backward && !op.seq) op.seq = range.seq;
  } else if (!range.backward) {
    forward_ops_.push_back(
        {profile::process_of(range.thread), *range.seq, range.start_ns, op_span_});
  }
}

void ThreadSweep::add(const NvtxRange& range) {
  close_until(range.start_ns);
  const bool inside_op = range.start_ns < op_until_ns_;
  switch (range.kind) {
    case RangeKind::marker_trace:
      trace_marker_around(range);
      trace_markers_.push_back(&range);
      return;
    case RangeKind::marker_config:
      return;
    case RangeKind::marker_op:
      if (!inside_op) add_op(range);
      return;
    case RangeKind::framework_op:
      if (inside_op) {
        add_inner(range);
      } else if (!is_marked_ || range.backward) {
        add_op(range);
      }
      return;
    case RangeKind::library:
      if (!inside_op && !is_marked_ && open_.empty()) add_op(range);
      return;
    case RangeKind::user:
      const bool ends_inside = inside_op && range.stop_ns <= op_until_ns_;
      if (ends_inside) return;
      if (open_.size() == kMostOpen) {
        result_.left_out.push_back(&range);
        return;
      }
      const OpPaths::Node node = result_.paths.below(path_around(range), range.name);
      result_.user_ranges.push_back({&range, node});
      give_to_innermost(range.start_ns);
      open_.push_back({&range, node});
      return;
  }
}

void ThreadSweep::finish() {
  close_until(INT64_MAX);
  if (!has_framework_ops_) return;
  for (std::size_t i = first_span_; i < result_.spans.size(); ++i) {
    result_.spans[i].needs_call = result_.spans[i].is_own_time;
  }
}

// With the op that began last before the backward op under the same sequence number: the numbers
// rise from step to step, but several ops may begin under one. A backward op stands in the group of
// its forward op.
void pair_backward_ops(OpSpans& result, std::vector<ForwardOp>& forward_ops) {
  std::sort(forward_ops.begin(), forward_ops.end());
  for (OpSpan& span : result.spans) {
    if (!span.seq) continue;
    const ForwardOp here{profile::process_of(span.thread), *span.seq, span.start_ns};
    const auto next = std::upper_bound(forward_ops.begin(), forward_ops.end(), here);
    if (next == forward_ops.begin()) continue;
    const ForwardOp& last = *std::prev(next);
    if (last.process != here.process || last.seq != here.seq) continue;
    span.forward = last.span;
    const OpSpan& forward = result.spans[last.span];
    if (forward.node == OpPaths::kRoot) continue;
    span.node = result.paths.below(result.paths.parent(forward.node), span.range->name);
  }
}

}  // namespace

OpSpans find_op_spans(const std::vector<NvtxRange>& ranges) {
  OpSpans result;
  for (const NvtxRange& range : ranges) {
    if (range.kind == RangeKind::marker_op) result.marked.insert(profile::process_of(range.thread));
  }
  std::vector<ForwardOp> forward_ops;
  for (std::size_t first = 0; first < ranges.size();) {
    const GlobalId thread = ranges[first].thread;
    ThreadSweep sweep(result, forward_ops, result.marked.contains(profile::process_of(thread)));
    std::size_t next = first;
    for (; next < ranges.size() && ranges[next].thread == thread; ++next) sweep.add(ranges[next]);
    sweep.finish();
    first = next;
  }
  pair_backward_ops(result, forward_ops);
  return result;
}

}  // namespace dlview::import::nsys
