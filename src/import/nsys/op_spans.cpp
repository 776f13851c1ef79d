#include "import/nsys/op_spans.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>

#include "base/parallel.h"
#include "base/sort_runs.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoValue;
using profile::Row;

// Ranges of start/end that are open at the same time stand for requests in flight, not for phases
// of the run, when there are more than this.
constexpr std::size_t kMostOpen = 256;

constexpr std::size_t kSpansAtOnce = std::size_t{1} << 14;

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
  ThreadSweep(const NvtxRanges& ranges, const profile::ProfileBuilder& builder, OpSpans& result,
              std::vector<ForwardOp>& forward_ops, GlobalId thread)
      : ranges_(ranges),
        builder_(builder),
        result_(result),
        forward_ops_(forward_ops),
        thread_(thread),
        is_marked_(result.marked.contains(profile::process_of(thread))),
        first_span_(result.spans.size()) {}

  void add(Row number);
  void finish();

 private:
  struct Open {
    int64_t start_ns = 0, stop_ns = 0;
    int64_t first_stop_ns = 0;  // of it and those around it
    Row range = 0;
    OpPaths::Node node = OpPaths::kRoot;
  };

  void open(Row number, OpPaths::Node node);
  void close_until(int64_t time_ns);
  // The time that is not given yet.
  void give_to_innermost(int64_t until_ns);
  void add_op(Row number);
  void add_inner(Row number);
  void add_user_range(Row number);
  // Below the innermost open range that lasts as long as `range`.
  OpPaths::Node node_of(Row number);
  Row trace_marker_around(const NvtxRange& range);

  const NvtxRanges& ranges_;
  const profile::ProfileBuilder& builder_;
  OpSpans& result_;
  std::vector<ForwardOp>& forward_ops_;
  const GlobalId thread_;
  const bool is_marked_;
  const std::size_t first_span_;
  std::vector<Open> open_;              // the innermost last
  std::vector<Row> trace_markers_;      // open ones
  int64_t given_until_ns_ = INT64_MIN;  // time before it belongs to spans already
  int64_t op_until_ns_ = INT64_MIN;     // the end of the last op
  Row op_span_ = kNoRow;
  bool has_framework_ops_ = false;
};

void ThreadSweep::give_to_innermost(int64_t until_ns) {
  if (!is_marked_ && !open_.empty() && given_until_ns_ < until_ns) {
    const Open& innermost = open_.back();
    const int64_t start_ns = std::max(given_until_ns_, innermost.start_ns);
    result_.spans.push_back({.start_ns = start_ns,
                             .stop_ns = until_ns,
                             .thread = thread_,
                             .range = innermost.range,
                             .node = innermost.node,
                             .is_own_time = true});
  }
  given_until_ns_ = std::max(given_until_ns_, until_ns);
}

void ThreadSweep::open(Row number, OpPaths::Node node) {
  const NvtxRange& range = ranges_.ranges[number];
  const int64_t around_ns = open_.empty() ? INT64_MAX : open_.back().first_stop_ns;
  open_.push_back(
      {range.start_ns, range.stop_ns, std::min(around_ns, range.stop_ns), number, node});
}

void ThreadSweep::close_until(int64_t time_ns) {
  while (!open_.empty() && open_.back().first_stop_ns <= time_ns) {
    if (open_.back().stop_ns <= time_ns) {
      give_to_innermost(open_.back().stop_ns);
      open_.pop_back();
      continue;
    }
    // Of start/end ranges an outer one may end first.
    const auto ended = std::ranges::find_if(
        open_, [time_ns](const Open& open) { return open.stop_ns <= time_ns; });
    int64_t first_stop_ns = ended == open_.begin() ? INT64_MAX : std::prev(ended)->first_stop_ns;
    for (auto inner = open_.erase(ended); inner != open_.end(); ++inner) {
      inner->first_stop_ns = first_stop_ns = std::min(first_stop_ns, inner->stop_ns);
    }
  }
}

OpPaths::Node ThreadSweep::node_of(Row number) {
  const NvtxRange& range = ranges_.ranges[number];
  const auto around = std::find_if(open_.rbegin(), open_.rend(), [&range](const Open& open) {
    return open.stop_ns >= range.stop_ns;
  });
  const OpPaths::Node parent = around == open_.rend() ? OpPaths::kRoot : around->node;
  const profile::StringId name = ranges_.facts_of(range).name;
  if (const auto node = result_.paths.below(parent, name, builder_)) return *node;
  result_.without_path.push_back(number);
  return *result_.paths.below(OpPaths::kRoot, name, builder_);
}

Row ThreadSweep::trace_marker_around(const NvtxRange& range) {
  while (!trace_markers_.empty() &&
         ranges_.ranges[trace_markers_.back()].stop_ns <= range.start_ns) {
    trace_markers_.pop_back();
  }
  return trace_markers_.empty() ? kNoRow : trace_markers_.back();
}

void ThreadSweep::add_op(Row number) {
  const NvtxRange& range = ranges_.ranges[number];
  const RangeKind kind = ranges_.facts_of(range).kind;
  give_to_innermost(range.start_ns);
  OpSpan span{
      .start_ns = range.start_ns, .stop_ns = range.stop_ns, .thread = thread_, .range = number};
  if (kind == RangeKind::marker_op) {
    span.trace_marker = trace_marker_around(range);
  } else {
    span.node = node_of(number);
  }
  op_span_ = static_cast<Row>(result_.spans.size());
  result_.spans.push_back(span);
  op_until_ns_ = given_until_ns_ = range.stop_ns;
  has_framework_ops_ |= kind == RangeKind::framework_op;
  add_inner(number);
}

void ThreadSweep::add_inner(Row number) {
  const NvtxRange& range = ranges_.ranges[number];
  const RangeFacts& facts = ranges_.facts_of(range);
  if (facts.seq == kNoValue) return;
  OpSpan& op = result_.spans[op_span_];
  if (ranges_.facts_of(ranges_.ranges[op.range]).backward) {
    if (facts.backward && op.seq_range == kNoRow) op.seq_range = number;
  } else if (!facts.backward) {
    forward_ops_.push_back({profile::process_of(thread_), facts.seq, range.start_ns, op_span_});
  }
}

void ThreadSweep::add_user_range(Row number) {
  const NvtxRange& range = ranges_.ranges[number];
  if (open_.size() == kMostOpen) {
    result_.left_out.push_back(number);
    return;
  }
  const OpPaths::Node node = node_of(number);
  result_.user_ranges.push_back({thread_, number, node});
  give_to_innermost(range.start_ns);
  open(number, node);
}

void ThreadSweep::add(Row number) {
  const NvtxRange& range = ranges_.ranges[number];
  const RangeFacts& facts = ranges_.facts_of(range);
  close_until(range.start_ns);
  const bool inside_op = range.start_ns < op_until_ns_;
  switch (facts.kind) {
    case RangeKind::marker_trace:
      trace_marker_around(range);
      trace_markers_.push_back(number);
      return;
    case RangeKind::marker_config:
      return;
    case RangeKind::marker_op:
      if (!inside_op) add_op(number);
      return;
    case RangeKind::framework_op:
      if (inside_op) {
        add_inner(number);
      } else if (!is_marked_ || facts.backward) {
        add_op(number);
      }
      return;
    case RangeKind::library:
      if (!inside_op && !is_marked_ && open_.empty()) add_op(number);
      return;
    case RangeKind::user:
      if (!inside_op || range.stop_ns > op_until_ns_) add_user_range(number);
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
// rise from step to step, but several ops may begin under one.
void pair_backward_ops(const NvtxRanges& ranges, std::vector<OpSpan>& spans,
                       std::vector<ForwardOp>& forward_ops) {
  base::sort_runs(std::span(forward_ops), std::less<>());
  base::parallel_for(spans.size(), kSpansAtOnce, [&](std::size_t begin, std::size_t end) {
    for (OpSpan& span : std::span(spans).subspan(begin, end - begin)) {
      if (span.seq_range == kNoRow) continue;
      const int64_t seq = ranges.facts_of(ranges.ranges[span.seq_range]).seq;
      const ForwardOp here{profile::process_of(span.thread), seq, span.start_ns};
      const auto next = std::upper_bound(forward_ops.begin(), forward_ops.end(), here);
      if (next == forward_ops.begin()) continue;
      const ForwardOp& last = *std::prev(next);
      if (last.process == here.process && last.seq == here.seq) span.forward = last.span;
    }
  });
}

// A backward op stands in the group of its forward op.
void place_backward_ops(const NvtxRanges& ranges, const profile::ProfileBuilder& builder,
                        OpSpans& result) {
  for (OpSpan& span : result.spans) {
    if (span.forward == kNoRow) continue;
    const OpSpan& forward = result.spans[span.forward];
    if (forward.node == OpPaths::kRoot) continue;
    const profile::StringId name = ranges.facts_of(ranges.ranges[span.range]).name;
    const auto node = result.paths.below(result.paths.parent(forward.node), name, builder);
    if (node) span.node = *node;
  }
}

// Processes in which DLProf's markers name ops.
std::set<GlobalId> marked_processes(const NvtxRanges& ranges) {
  std::set<GlobalId> marked;
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread) {
    const GlobalId process = profile::process_of(ranges.threads[thread]);
    if (marked.contains(process)) continue;
    const auto begin = ranges.ranges.begin() + static_cast<std::ptrdiff_t>(ranges.first[thread]);
    const auto end = ranges.ranges.begin() + static_cast<std::ptrdiff_t>(ranges.first[thread + 1]);
    const bool is_marked = std::any_of(begin, end, [&ranges](const NvtxRange& range) {
      return ranges.facts_of(range).kind == RangeKind::marker_op;
    });
    if (is_marked) marked.insert(process);
  }
  return marked;
}

}  // namespace

OpSpans find_op_spans(const NvtxRanges& ranges, const profile::ProfileBuilder& builder) {
  OpSpans result;
  result.marked = marked_processes(ranges);
  result.spans.reserve(ranges.ranges.size());  // room that is not used takes no memory
  std::vector<ForwardOp> forward_ops;
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread) {
    ThreadSweep sweep(ranges, builder, result, forward_ops, ranges.threads[thread]);
    for (std::size_t i = ranges.first[thread]; i < ranges.first[thread + 1]; ++i) {
      sweep.add(static_cast<Row>(i));
    }
    sweep.finish();
  }
  pair_backward_ops(ranges, result.spans, forward_ops);
  place_backward_ops(ranges, builder, result);
  return result;
}

}  // namespace dlview::import::nsys
