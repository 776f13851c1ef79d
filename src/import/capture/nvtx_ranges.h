// The NVTX ranges of a capture with what their texts say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "base/untouched_vector.h"
#include "import/capture/range_facts.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

struct NvtxRange {
  uint32_t facts = 0;    // of NvtxRanges::facts
  profile::Row row = 0;  // of TraceNvtx, then of Trace::mpi_calls
};

// When ranges run. One that was never closed lasts as long as the capture.
class RangeTimes {
 public:
  // The trace must outlive the object.
  explicit RangeTimes(const profile::Trace& trace);

  base::Interval of(profile::Row row) const {
    if (row >= nvtx_rows_) {
      const profile::TraceCalls& calls = trace_->mpi_calls;
      return {calls.start_ns[row - nvtx_rows_], calls.end_ns[row - nvtx_rows_]};
    }
    const int64_t stop_ns = value_or(trace_->nvtx.end_ns, row, profile::kNoValue);
    return {trace_->nvtx.start_ns[row], stop_ns == profile::kNoValue ? last_ns_ : stop_ns};
  }

 private:
  const profile::Trace* trace_;
  profile::Row nvtx_rows_;
  int64_t last_ns_;
};

struct NvtxRanges {
  // By thread, those of a thread in order of start, an outer range before those inside it.
  base::UntouchedVector<NvtxRange> ranges;
  std::vector<profile::ThreadId> threads;  // ascending
  std::vector<std::size_t> first;  // of a thread: place of its first range; ends with their number
  base::UntouchedVector<RangeFacts> facts;
  RangeTimes times;

  const RangeFacts& facts_of(const NvtxRange& range) const { return facts[range.facts]; }
  base::Interval time_of(const NvtxRange& range) const { return times.of(range.row); }
};

// Push/pop and start/end ranges and the calls of MPI; one without usable times is noted.
NvtxRanges read_nvtx_ranges(const profile::Trace& trace, profile::ProfileBuilder& builder,
                            const TraceNotes& notes);

// Texts with a number, by the number of their facts.
using CountedTexts = std::unordered_map<uint32_t, RangeFactsReader::Counted>;

// Takes numbers off the names that count and away from those that do not (docs/dev/spec.md, 40):
// "step 12" counts, "layer 3" names.
void set_numbers(NvtxRanges& ranges, const CountedTexts& counted);

// Where the file has a range: a table and its row there.
struct RangeSource {
  std::string_view table;
  int64_t row = 0;
};
RangeSource source_of(const profile::Trace& trace, const TraceNotes& notes, const NvtxRange& range);

}  // namespace dlview::import::capture
