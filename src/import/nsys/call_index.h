// CallIndex: finds the CUDA API call that caused a piece of work on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "import/quality_log.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

class CallIndex {
 public:
  // Of runtime and driver calls with usable times; others are noted, but for call stacks, which
  // repeat a call.
  CallIndex(const profile::Trace& trace, QualityLog& quality);

  // Rows of TraceApiCalls, in order of (thread, start).
  const std::vector<profile::Row>& rows() const { return rows_; }

  // The call with that correlation in that process; kNoRow = not recorded. Work that does not name
  // its process belongs to the only one that made calls, if there is but one.
  profile::Row find(profile::GlobalId process, int64_t correlation) const;

 private:
  struct Entry {
    profile::GlobalId process = 0;
    int64_t correlation = 0;
    profile::Row row = 0;
  };

  std::vector<profile::Row> rows_;
  std::vector<Entry> entries_;  // in order of (process, correlation, row)
  std::optional<profile::GlobalId> only_process_;
};

}  // namespace dlview::import::nsys
