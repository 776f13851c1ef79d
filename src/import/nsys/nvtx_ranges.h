// The NVTX ranges of a capture with what their texts say, each distinct text read once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "import/nsys/range_text.h"
#include "import/quality_log.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Views into the Trace.
struct NvtxRange {
  std::string_view table;  // of the file: "NVTX_EVENTS"
  int64_t source_id = 0;   // its row there
  profile::GlobalId thread = 0;
  int64_t start_ns = 0, stop_ns = 0;
  profile::StringId text = 0;
  profile::StringId name = 0;  // without running numbers
  profile::StringId type = 0, sizes = 0;
  std::optional<int64_t> number;  // that it counts with: 12 of "step 12"
  std::optional<int64_t> seq;
  RangeKind kind = RangeKind::user;
  bool backward = false;
};

// Push/pop and start/end ranges and the calls of MPI, in order of (thread, start), an outer range
// before those inside it. A range that was never closed lasts as long as the capture; one without
// usable times is noted.
std::vector<NvtxRange> read_nvtx_ranges(const profile::Trace& trace,
                                        profile::ProfileBuilder& builder, QualityLog& quality);

}  // namespace dlview::import::nsys
