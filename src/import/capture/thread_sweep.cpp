#include "import/capture/thread_sweep.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/blocks.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoValue;
using profile::Row;
using profile::ThreadId;

// Ranges of start/end that are open at the same time stand for requests in flight, not for phases
// of the run, when there are more than this.
constexpr std::size_t kMostOpen = 256;

// Goes through ranges of one thread in order of start.
class ThreadSweep {
 public:
  ThreadSweep(const NvtxRanges& ranges, const profile::ProfileBuilder& builder, ThreadId thread,
              bool is_marked, OpPaths& paths)
      : ranges_(ranges), builder_(builder), thread_(thread), is_marked_(is_marked), paths_(paths) {}

  void add(Row number);
  SweptRanges finish() {
    close_until(INT64_MAX);
    return std::move(result_);
  }

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
  base::Interval time_of(Row number) const { return ranges_.time_of(ranges_.ranges[number]); }
  Row trace_marker_around(int64_t start_ns);

  const NvtxRanges& ranges_;
  const profile::ProfileBuilder& builder_;
  const ThreadId thread_;
  const bool is_marked_;
  OpPaths& paths_;
  SweptRanges result_;
  std::vector<Open> open_;              // the innermost last
  std::vector<Row> trace_markers_;      // open ones
  int64_t given_until_ns_ = INT64_MIN;  // time before it belongs to spans already
  int64_t op_until_ns_ = INT64_MIN;     // the end of the last op
  Row op_span_ = kNoRow;
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
  const base::Interval range = time_of(number);
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
  const int64_t stop_ns = time_of(number).stop_ns;
  const auto around = std::find_if(open_.rbegin(), open_.rend(),
                                   [stop_ns](const Open& open) { return open.stop_ns >= stop_ns; });
  const OpPaths::Node parent = around == open_.rend() ? OpPaths::kRoot : around->node;
  const profile::StringId name = ranges_.facts_of(ranges_.ranges[number]).name;
  if (const auto node = paths_.below(parent, name, builder_)) return *node;
  result_.without_path.push_back(number);
  return *paths_.below(OpPaths::kRoot, name, builder_);
}

Row ThreadSweep::trace_marker_around(int64_t start_ns) {
  while (!trace_markers_.empty() && time_of(trace_markers_.back()).stop_ns <= start_ns) {
    trace_markers_.pop_back();
  }
  return trace_markers_.empty() ? kNoRow : trace_markers_.back();
}

void ThreadSweep::add_op(Row number) {
  const base::Interval range = time_of(number);
  const RangeKind kind = ranges_.facts_of(ranges_.ranges[number]).kind;
  give_to_innermost(range.start_ns);
  OpSpan span{
      .start_ns = range.start_ns, .stop_ns = range.stop_ns, .thread = thread_, .range = number};
  if (kind == RangeKind::marker_op) {
    span.trace_marker = trace_marker_around(range.start_ns);
  } else {
    span.node = node_of(number);
  }
  op_span_ = static_cast<Row>(result_.spans.size());
  result_.spans.push_back(span);
  op_until_ns_ = given_until_ns_ = range.stop_ns;
  result_.has_framework_ops |= kind == RangeKind::framework_op;
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
    result_.forward_ops.push_back(
        {profile::process_of(thread_), facts.seq, time_of(number).start_ns, op_span_});
  }
}

void ThreadSweep::add_user_range(Row number) {
  if (open_.size() == kMostOpen) {
    result_.left_out.push_back(number);
    return;
  }
  const OpPaths::Node node = node_of(number);
  result_.user_ranges.push_back({thread_, number, node});
  give_to_innermost(time_of(number).start_ns);
  open(number, node);
}

void ThreadSweep::add(Row number) {
  const base::Interval range = time_of(number);
  const RangeFacts& facts = ranges_.facts_of(ranges_.ranges[number]);
  close_until(range.start_ns);
  const bool inside_op = range.start_ns < op_until_ns_;
  switch (facts.kind) {
    case RangeKind::marker_trace:
      trace_marker_around(range.start_ns);
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

}  // namespace

std::vector<ThreadPart> cut_threads(const NvtxRanges& ranges, std::size_t ranges_of_part) {
  std::vector<ThreadPart> parts;
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread) {
    const std::size_t first = ranges.first[thread], count = ranges.first[thread + 1] - first;
    struct Block {
      int64_t latest_ns = INT64_MIN;  // stop of its ranges, later of those before it
      std::optional<std::size_t> begin;
    };
    base::Blocks<Block> blocks(count, ranges_of_part);
    const auto time_of = [&](std::size_t i) { return ranges.time_of(ranges.ranges[first + i]); };
    blocks.for_each([&](Block& block, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        block.latest_ns = std::max(block.latest_ns, time_of(i).stop_ns);
      }
    });
    int64_t latest_ns = INT64_MIN;
    for (Block& block : blocks.states()) {
      latest_ns = std::max(latest_ns, std::exchange(block.latest_ns, latest_ns));
    }
    blocks.for_each([&](Block& block, std::size_t begin, std::size_t end) {
      int64_t before_ns = block.latest_ns;
      for (std::size_t i = begin; i < end && !block.begin; ++i) {
        if (before_ns <= time_of(i).start_ns) block.begin = first + i;
        before_ns = std::max(before_ns, time_of(i).stop_ns);
      }
    });
    for (const Block& block : blocks.states()) {
      if (!block.begin) continue;
      if (!parts.empty() && parts.back().thread == thread) parts.back().end = *block.begin;
      parts.push_back({thread, *block.begin, first + count});
    }
  }
  return parts;
}

SweptRanges sweep(const NvtxRanges& ranges, const ThreadPart& part, bool is_marked,
                  const profile::ProfileBuilder& builder, OpPaths& paths) {
  ThreadSweep sweep(ranges, builder, ranges.threads[part.thread], is_marked, paths);
  for (std::size_t i = part.begin; i < part.end; ++i) sweep.add(static_cast<Row>(i));
  return sweep.finish();
}

}  // namespace dlview::import::capture
