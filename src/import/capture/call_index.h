// CallIndex: finds the CUDA API call that caused a piece of work on a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/large_memory.h"
#include "import/capture/trace_rows.h"
#include "profile/thread_groups.h"
#include "profile/trace.h"

namespace dlview::import::capture {

class CallIndex {
 public:
  // Indexes runtime and driver calls with usable times; notes the others, except for call stacks,
  // which repeat a call.
  CallIndex(const profile::Trace& trace, const TraceNotes& notes);

  // Rows of TraceApiCalls by thread, in order of start.
  const profile::ThreadGroups& by_thread() const { return by_thread_; }

  // The call with that correlation in that process; kNoRow = not recorded. Work that does not name
  // its process belongs to the only one that made calls, if there is but one.
  profile::Row find(profile::ThreadId process, int64_t correlation) const;

 private:
  // The calls of a process. Correlations count up, so that they are addressed directly; stray ones,
  // which a damaged or edited file may hold, are searched.
  struct Calls {
    int64_t count = 0;
    int64_t least = INT64_MAX, most = INT64_MIN;
    base::LargeVector<profile::Row> dense;  // by correlation - least; kNoRow = none
    struct Stray {
      int64_t correlation = 0;
      profile::Row row = 0;
    };
    std::vector<Stray> stray;  // in order of (correlation, row)

    bool is_dense() const;
    void add(int64_t correlation, profile::Row row);
  };

  base::LargeVector<profile::Row> usable_rows(const profile::Trace& trace,
                                              const TraceNotes& notes) const;
  void index(const profile::Trace& trace, std::span<const profile::Row> rows);

  profile::ThreadGroups by_thread_;
  std::map<profile::ThreadId, Calls> processes_;
};

}  // namespace dlview::import::capture
