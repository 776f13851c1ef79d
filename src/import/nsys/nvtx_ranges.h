// The NVTX ranges of a capture with what their texts say, each distinct text read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "import/nsys/range_facts.h"
#include "import/nsys/trace_notes.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

struct NvtxRange {
  int64_t start_ns = 0, stop_ns = 0;
  uint32_t facts = 0;    // of NvtxRanges::facts
  profile::Row row = 0;  // of TraceNvtx; behind its end of Trace::mpi_calls
};

struct NvtxRanges {
  // By thread, those of a thread in order of start, an outer range before those inside it.
  std::vector<NvtxRange> ranges;
  std::vector<profile::GlobalId> threads;  // ascending
  std::vector<std::size_t> first;  // of a thread: place of its first range; ends with their number
  std::vector<RangeFacts> facts;

  const RangeFacts& facts_of(const NvtxRange& range) const { return facts[range.facts]; }
};

// Push/pop and start/end ranges and the calls of MPI. A range that was never closed lasts as long
// as the capture; one without usable times is noted.
NvtxRanges read_nvtx_ranges(const profile::Trace& trace, profile::ProfileBuilder& builder,
                            const TraceNotes& notes);

// Where the file has a range: "NVTX_EVENTS" and its row there.
struct RangeSource {
  std::string_view table;
  int64_t row = 0;
};
RangeSource source_of(const profile::Trace& trace, const LeftOutRows& left_out,
                      const NvtxRange& range);

}  // namespace dlview::import::nsys
