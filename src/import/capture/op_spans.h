// Which stretch of a thread's time belongs to which op (docs/decisions.md 14, 36 to 39).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/untouched_vector.h"
#include "import/capture/nvtx_ranges.h"
#include "import/capture/op_paths.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// One instance of an op. Spans of a thread do not overlap. Ranges are places in NvtxRanges::ranges.
struct OpSpan {
  int64_t start_ns = 0, stop_ns = 0;
  profile::GlobalId thread = 0;
  profile::Row range = 0;  // that it comes from
  OpPaths::Node node = OpPaths::kRoot;
  profile::Row trace_marker = profile::kNoRow;  // around a marker of DLProf
  // Of a backward op: the range, it or one inside it, that tells the sequence number, and the
  // forward op that caused it, a place in OpSpans::spans.
  profile::Row seq_range = profile::kNoRow, forward = profile::kNoRow;
  // A user's range apart from the ranges inside it.
  bool is_own_time = false;
  // On a thread where a framework names its ops: counts only if CUDA was called in it.
  bool needs_call = false;
};

// A range that the program itself marked.
struct MarkedRange {
  profile::GlobalId thread = 0;
  profile::Row range = 0;
  OpPaths::Node node = OpPaths::kRoot;
};

struct OpSpans {
  base::UntouchedVector<OpSpan> spans;   // in order of (thread, start)
  std::vector<MarkedRange> user_ranges;  // but for those inside an op
  // Ranges that began while too many others of their thread were open, and those that stand at the
  // top because the paths of all ranges are too long already.
  std::vector<profile::Row> left_out, without_path;
  OpPaths paths;
  std::set<profile::GlobalId> marked;  // processes that DLProf's markers describe
};

// So many ranges, and those up to where none is open, are gone through by one thread.
inline constexpr std::size_t kRangesOfPart = std::size_t{1} << 18;

OpSpans find_op_spans(const NvtxRanges& ranges, const profile::ProfileBuilder& builder,
                      std::size_t ranges_of_part = kRangesOfPart);

}  // namespace dlview::import::capture
