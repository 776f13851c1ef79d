// Which stretch of a thread's time belongs to which op (docs/dev/spec.md 14, 36 to 39), and in
// which of them an API call began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/untouched_vector.h"
#include "import/capture/call_index.h"
#include "import/capture/nvtx_ranges.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// The tree of nested ranges, by their names. The path of a node is the name of an op:
// "/Forward/attention/aten::linear".
class OpPaths {
 public:
  using Node = uint32_t;
  static constexpr Node kRoot = 0;
  // Limit for all paths together, so that a damaged or hostile file cannot fill the memory with
  // them.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  OpPaths() : nodes_(1) {}

  // The node of that name below `parent`; always the same one. Nothing when there is none yet and
  // its path would make all paths longer than kMostBytes; below the root there always is one.
  std::optional<Node> below(Node parent, profile::StringId name,
                            const profile::ProfileBuilder& builder);

  // As above, for an existing node.
  std::optional<Node> find(Node parent, profile::StringId name) const;

  // Nodes are numbered in the order in which they were made, from kRoot on.
  std::size_t size() const { return nodes_.size(); }
  Node parent(Node node) const { return nodes_[node].parent; }
  profile::StringId name(Node node) const { return nodes_[node].name; }
  // Whether some range ran inside a range of this path.
  bool has_inner(Node node) const { return nodes_[node].has_inner; }

  // "/Forward/attention"
  std::string path(Node node, const profile::ProfileBuilder& builder) const;
  // Returns the nesting of the path (profile/nesting.h).
  std::string nesting(Node node, const profile::ProfileBuilder& builder) const;

 private:
  struct Entry {
    Node parent = kRoot;
    profile::StringId name = 0;
    bool has_inner = false;
    std::size_t path_bytes = 0;
  };

  static uint64_t key_of(Node parent, profile::StringId name) {
    return uint64_t{parent} << 32 | name;
  }

  std::vector<Entry> nodes_;
  std::unordered_map<uint64_t, Node> ids_;  // by (parent, name)
  std::size_t bytes_ = 0;                   // of all paths
};

// One instance of an op. Spans of a thread do not overlap, unless its ops do. Ranges are places in
// NvtxRanges::ranges.
struct OpSpan {
  int64_t start_ns = 0, stop_ns = 0;
  profile::ThreadId thread = 0;
  profile::Row range = 0;  // that it comes from
  OpPaths::Node node = OpPaths::kRoot;
  profile::Row trace_marker = profile::kNoRow;  // around a marker of DLProf
  // Only for a backward op: the range, it or one inside it, with the sequence number, and the
  // forward op that caused it, an index of OpSpans::spans.
  profile::Row seq_range = profile::kNoRow, forward = profile::kNoRow;
  // A user's range apart from the ranges inside it.
  bool is_own_time = false;
  // On a thread where a framework names its ops: counts only if CUDA was called in it. Not the time
  // in which a thread takes a batch.
  bool needs_call = false;
};

// A range that the program itself marked.
struct MarkedRange {
  profile::ThreadId thread = 0;
  profile::Row range = 0;
  OpPaths::Node node = OpPaths::kRoot;
};

struct OpSpans {
  base::UntouchedVector<OpSpan> spans;   // in order of (thread, start)
  std::vector<MarkedRange> user_ranges;  // but for those inside an op
  // Ranges that began while too many others of their thread were open, and those at the top level
  // because the paths of all ranges are too long.
  std::vector<profile::Row> left_out, without_path;
  OpPaths paths;
  std::set<profile::ThreadId> marked;  // processes that DLProf's markers describe
};

// So many ranges, and those up to where none is open, are gone through by one thread.
inline constexpr std::size_t kRangesOfPart = std::size_t{1} << 18;

OpSpans find_op_spans(const NvtxRanges& ranges, const profile::ProfileBuilder& builder,
                      std::size_t ranges_of_part = kRangesOfPart);

// By row of TraceApiCalls: the place in OpSpans::spans, kNoRow = none.
base::UntouchedVector<profile::Row> spans_of_calls(const profile::Trace& trace,
                                                   const CallIndex& index, const OpSpans& all);

}  // namespace dlview::import::capture
