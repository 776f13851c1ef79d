#include "import/capture/op_spans.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "base/blocks.h"
#include "base/parallel.h"
#include "base/sort_runs.h"
#include "import/capture/thread_sweep.h"
#include "import/capture/trace_rows.h"
#include "profile/nesting.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::ThreadId;

constexpr std::size_t kSpansAtOnce = std::size_t{1} << 14;

// A part of a thread with what was found in it; nodes are its own until `nodes` is known.
struct Part {
  ThreadPart ranges;
  OpPaths paths;
  SweptRanges found;
  std::vector<OpPaths::Node> nodes;  // of all parts together, by the part's own
};

// With the op that began last before the backward op under the same sequence number: the numbers
// rise from step to step, but several ops may begin under one.
void pair_backward_ops(const NvtxRanges& ranges, std::span<OpSpan> spans,
                       std::span<ForwardOp> forward_ops) {
  base::sort_runs(forward_ops, std::less<>());
  base::parallel_for(spans.size(), kSpansAtOnce, [&](std::size_t begin, std::size_t end) {
    for (OpSpan& span : spans.subspan(begin, end - begin)) {
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
  const auto name_of = [&](const OpSpan& span) {
    return ranges.facts_of(ranges.ranges[span.range]).name;
  };
  const auto parent_of = [&](const OpSpan& span) {
    return result.paths.parent(result.spans[span.forward].node);
  };
  base::Blocks<std::vector<Row>> blocks(result.spans.size(), kSpansAtOnce);
  // Whose nodes are new; nodes of forward ops are not changed here.
  blocks.for_each([&](std::vector<Row>& unknown, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      OpSpan& span = result.spans[i];
      if (span.forward == kNoRow || result.spans[span.forward].node == OpPaths::kRoot) continue;
      if (const auto node = result.paths.find(parent_of(span), name_of(span))) {
        span.node = *node;
      } else {
        unknown.push_back(static_cast<Row>(i));
      }
    }
  });
  for (const std::vector<Row>& unknown : blocks.states()) {
    for (const Row i : unknown) {
      OpSpan& span = result.spans[i];
      const auto node = result.paths.below(parent_of(span), name_of(span), builder);
      if (node) span.node = *node;
    }
  }
}

// Processes in which DLProf's markers name ops.
std::set<ThreadId> marked_processes(const NvtxRanges& ranges) {
  base::Blocks<uint8_t> threads(ranges.threads.size(), 1);  // whether they are
  threads.for_each([&](uint8_t& is_marked, std::size_t thread, std::size_t) {
    const auto begin = ranges.ranges.begin() + static_cast<std::ptrdiff_t>(ranges.first[thread]);
    const auto end = ranges.ranges.begin() + static_cast<std::ptrdiff_t>(ranges.first[thread + 1]);
    is_marked = std::any_of(begin, end, [&ranges](const NvtxRange& range) {
      return ranges.facts_of(range).kind == RangeKind::marker_op;
    });
  });
  std::set<ThreadId> marked;
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread) {
    if (threads.states()[thread] == 0) continue;
    marked.insert(profile::process_of(ranges.threads[thread]));
  }
  return marked;
}

class SpanFinder {
 public:
  SpanFinder(const NvtxRanges& ranges, const profile::ProfileBuilder& builder,
             std::size_t ranges_of_part)
      : ranges_(ranges), builder_(builder) {
    result_.marked = marked_processes(ranges);
    for (const ThreadPart& part : cut_threads(ranges, ranges_of_part)) {
      parts_.push_back({part, {}, {}, {}});
    }
  }

  OpSpans find() {
    if (!sweep_side_by_side()) sweep_in_turn();
    join();
    pair_backward_ops(ranges_, result_.spans, forward_ops_);
    place_backward_ops(ranges_, builder_, result_);
    return std::move(result_);
  }

 private:
  // False when all paths together are too long: which range meets that bound is told by their order
  // alone.
  bool sweep_side_by_side();
  void sweep_in_turn();
  SweptRanges sweep_part(const Part& part, OpPaths& paths) const {
    const ThreadId process = profile::process_of(ranges_.threads[part.ranges.thread]);
    return sweep(ranges_, part.ranges, result_.marked.contains(process), builder_, paths);
  }
  bool add_nodes(Part& part);
  void join();
  void join_spans(Part& part, std::size_t first, bool has_framework_ops);

  const NvtxRanges& ranges_;
  const profile::ProfileBuilder& builder_;
  std::vector<Part> parts_;
  OpSpans result_;
  base::UntouchedVector<ForwardOp> forward_ops_;
};

bool SpanFinder::sweep_side_by_side() {
  base::parallel_for(parts_.size(), 1, [this](std::size_t begin, std::size_t end) {
    for (Part& part : std::span(parts_).subspan(begin, end - begin)) {
      part.found = sweep_part(part, part.paths);
    }
  });
  return std::ranges::all_of(parts_, [this](Part& part) { return add_nodes(part); });
}

// As one thread would that goes through all parts: new nodes of a part in the part's order.
bool SpanFinder::add_nodes(Part& part) {
  if (!part.found.without_path.empty()) return false;
  part.nodes = {OpPaths::kRoot};
  for (OpPaths::Node own = 1; own < part.paths.size(); ++own) {
    const auto node =
        result_.paths.below(part.nodes[part.paths.parent(own)], part.paths.name(own), builder_);
    if (!node) return false;
    part.nodes.push_back(*node);
  }
  return true;
}

void SpanFinder::sweep_in_turn() {
  result_.paths = {};
  for (Part& part : parts_) {
    part.found = sweep_part(part, result_.paths);
    part.nodes.clear();
  }
}

void SpanFinder::join() {
  std::vector<std::size_t> first_spans, first_forward_ops;
  std::vector<bool> has_framework_ops(ranges_.threads.size());
  for (const Part& part : parts_) {
    first_spans.push_back(part.found.spans.size());
    first_forward_ops.push_back(part.found.forward_ops.size());
    if (part.found.has_framework_ops) has_framework_ops[part.ranges.thread] = true;
  }
  result_.spans.resize(base::sums_before(first_spans));
  forward_ops_.resize(base::sums_before(first_forward_ops));
  base::parallel_for(parts_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      join_spans(parts_[i], first_spans[i], has_framework_ops[parts_[i].ranges.thread]);
      std::ranges::copy(parts_[i].found.forward_ops, forward_ops_.data() + first_forward_ops[i]);
      parts_[i].found.forward_ops = {};
    }
  });
  const auto append = [](auto& all, const auto& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const Part& part : parts_) {
    append(result_.user_ranges, part.found.user_ranges);
    append(result_.left_out, part.found.left_out);
    append(result_.without_path, part.found.without_path);
  }
  parts_.clear();
}

// Puts nodes and places of spans that hold for all parts in the place of the part's own.
void SpanFinder::join_spans(Part& part, std::size_t first, bool has_framework_ops) {
  const auto node_of = [&part](OpPaths::Node own) {
    return part.nodes.empty() ? own : part.nodes[own];
  };
  for (std::size_t i = 0; i < part.found.spans.size(); ++i) {
    OpSpan span = part.found.spans[i];
    span.node = node_of(span.node);
    span.needs_call = has_framework_ops && span.is_own_time &&
                      !ranges_.facts_of(ranges_.ranges[span.range]).loads_data;
    result_.spans[first + i] = span;
  }
  part.found.spans = {};
  for (MarkedRange& range : part.found.user_ranges) range.node = node_of(range.node);
  for (ForwardOp& op : part.found.forward_ops) op.span += static_cast<Row>(first);
}

}  // namespace

std::optional<OpPaths::Node> OpPaths::below(Node parent, profile::StringId name,
                                            const profile::ProfileBuilder& builder) {
  if (const auto known = find(parent, name)) return known;
  const std::size_t path_bytes = nodes_[parent].path_bytes + 1 + builder.text(name).size();
  if (parent != kRoot && bytes_ + path_bytes > kMostBytes) return std::nullopt;
  bytes_ += path_bytes;
  const auto node = static_cast<Node>(nodes_.size());
  ids_.emplace(key_of(parent, name), node);
  nodes_.push_back({parent, name, false, path_bytes});
  nodes_[parent].has_inner = true;
  return node;
}

std::optional<OpPaths::Node> OpPaths::find(Node parent, profile::StringId name) const {
  const auto known = ids_.find(key_of(parent, name));
  return known == ids_.end() ? std::nullopt : std::optional(known->second);
}

std::string OpPaths::path(Node node, const profile::ProfileBuilder& builder) const {
  std::string text(nodes_[node].path_bytes, '/');
  for (std::size_t end = text.size(); node != kRoot; node = parent(node)) {
    const std::string_view name = builder.text(nodes_[node].name);
    end -= name.size();
    text.replace(end, name.size(), name);
    --end;
  }
  return text;
}

std::string OpPaths::nesting(Node node, const profile::ProfileBuilder& builder) const {
  std::string text = path(node, builder);
  std::size_t end = text.size();
  for (; node != kRoot; node = parent(node)) {
    const std::size_t begin = end - builder.text(nodes_[node].name).size();
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin),
                 text.begin() + static_cast<std::ptrdiff_t>(end), '/', profile::kSlashInName);
    end = begin - 1;
  }
  return text;
}

OpSpans find_op_spans(const NvtxRanges& ranges, const profile::ProfileBuilder& builder,
                      std::size_t ranges_of_part) {
  return SpanFinder(ranges, builder, ranges_of_part).find();
}

base::UntouchedVector<Row> spans_of_calls(const profile::Trace& trace, const CallIndex& index,
                                          const OpSpans& all) {
  const base::UntouchedVector<OpSpan>& spans = all.spans;
  const profile::ThreadGroups& calls = index.by_thread();
  base::UntouchedVector<Row> span_of_call(trace.api_calls.size());
  base::parallel_for(span_of_call.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::fill(span_of_call.begin() + begin, span_of_call.begin() + end, kNoRow);
  });
  const auto end_of = [](const OpSpan& span) { return std::pair(span.thread, span.stop_ns); };
  base::parallel_for(calls.rows.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    auto thread = static_cast<std::size_t>(std::ranges::upper_bound(calls.first, begin) -
                                           calls.first.begin() - 1);
    std::optional<std::size_t> span;
    for (std::size_t place = begin; place < end; ++place) {
      while (calls.first[thread + 1] <= place) ++thread;
      const Row call = calls.rows[place];
      const std::pair at{calls.threads[thread], trace.api_calls.start_ns[call]};
      if (!span) {
        span = static_cast<std::size_t>(std::ranges::lower_bound(spans, at, {}, end_of) -
                                        spans.begin());
      }
      while (*span < spans.size() && end_of(spans[*span]) < at) ++*span;
      if (*span == spans.size()) return;
      // Where one op ends and the next begins at the same instant, the call is the next one's.
      std::size_t found = *span;
      if (found + 1 < spans.size() &&
          std::pair(spans[found + 1].thread, spans[found + 1].start_ns) == at) {
        ++found;
      }
      if (spans[found].thread == at.first && spans[found].start_ns <= at.second) {
        span_of_call[call] = static_cast<Row>(found);
      }
    }
  });
  return span_of_call;
}

}  // namespace dlview::import::capture
