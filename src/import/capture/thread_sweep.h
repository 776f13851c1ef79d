// Sweeps the ranges of a thread in order of time, one part of the thread at a time: parts run in
// parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "import/capture/nvtx_ranges.h"
#include "import/capture/op_spans.h"
#include "profile/builder.h"

namespace dlview::import::capture {

// The ranges [begin, end) of NvtxRanges::ranges; no range before them is open when they begin.
struct ThreadPart {
  std::size_t thread = 0;  // a place in NvtxRanges::threads
  std::size_t begin = 0, end = 0;
};

// Divides all ranges, in their order, into parts of at least this size.
std::vector<ThreadPart> cut_threads(const NvtxRanges& ranges, std::size_t ranges_of_part);

// A forward op said that backward ops of this sequence number come from it.
struct ForwardOp {
  profile::ThreadId process = 0;
  int64_t seq = 0, start_ns = 0;
  profile::Row span = 0;
  bool operator<(const ForwardOp& other) const {
    return std::tuple(process, seq, start_ns) <
           std::tuple(other.process, other.seq, other.start_ns);
  }
};

// As in OpSpans; no forward ops are found yet, and no span needs a call. Spans of forward ops are
// places in `spans`.
struct SweptRanges {
  std::vector<OpSpan> spans;
  std::vector<MarkedRange> user_ranges;
  std::vector<profile::Row> left_out, without_path;
  std::vector<ForwardOp> forward_ops;
  bool has_framework_ops = false;
};

// `is_marked`: DLProf's markers describe the process.
SweptRanges sweep(const NvtxRanges& ranges, const ThreadPart& part, bool is_marked,
                  const profile::ProfileBuilder& builder, OpPaths& paths);

}  // namespace dlview::import::capture
