// Which stretch of a thread's time belongs to which op (docs/decisions.md 14, 36 to 39).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "import/nsys/nvtx_ranges.h"
#include "import/nsys/op_paths.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// One instance of an op. Spans of a thread do not overlap.
struct OpSpan {
  profile::GlobalId thread = 0;
  int64_t start_ns = 0, stop_ns = 0;
  const NvtxRange* range = nullptr;  // that it comes from
  OpPaths::Node node = OpPaths::kRoot;
  const NvtxRange* trace_marker = nullptr;  // around a marker of DLProf; nullptr = none
  // A user's range apart from the ranges inside it.
  bool is_own_time = false;
  // On a thread where a framework names its ops: counts only if CUDA was called in it.
  bool needs_call = false;
  std::optional<int64_t> seq = {};  // of a backward op
  // Of a backward op: the forward op that caused it, an index into OpSpans::spans.
  profile::Row forward = profile::kNoRow;
};

// A range that the program itself marked.
struct MarkedRange {
  const NvtxRange* range = nullptr;
  OpPaths::Node node = OpPaths::kRoot;
};

struct OpSpans {
  std::vector<OpSpan> spans;             // in order of (thread, start)
  std::vector<MarkedRange> user_ranges;  // but for those inside an op
  // Ranges that began while too many others of their thread were open.
  std::vector<const NvtxRange*> left_out;
  OpPaths paths;
  std::set<profile::GlobalId> marked;  // processes that DLProf's markers describe
};

// Refers to `ranges`, which are in the order of read_nvtx_ranges().
OpSpans find_op_spans(const std::vector<NvtxRange>& ranges);

}  // namespace dlview::import::nsys
