// Work: everything of a capture that an API call caused: kernels, launches of whole graphs, copies,
// memsets and synchronizations, each with its call and GPU.
#pragma once

#include <cstdint>
#include <span>

#include "base/intervals.h"
#include "base/large_memory.h"
#include "import/capture/call_index.h"
#include "import/capture/devices.h"
#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

enum class WorkKind : uint8_t { kernel, graph, memcpy, memset, sync };

struct Work {
  WorkKind kind = WorkKind::kernel;
  profile::Row row = 0;                 // in the Trace's table of that kind
  profile::Row call = profile::kNoRow;  // in TraceApiCalls; kNoRow = not recorded
  profile::Row device = 0;              // of Profile::devices; 0 for a sync
};

const profile::GpuWork& table_of(const profile::Trace& trace, WorkKind kind);
const char* table_name(const TableNames& tables, WorkKind kind);
base::Interval time_of(const profile::Trace& trace, const Work& work);

// Rows with usable times and a known GPU, kind by kind in the order of the Trace; others are noted.
base::LargeVector<Work> collect_work(const profile::Trace& trace, const CallIndex& calls,
                                     const DeviceRows& devices, const TraceNotes& notes);

// Work whose launch the capture missed, and launches whose kernels it missed.
// Lists both under what was not recorded, as far as the capture has calls and kernels at all.
void note_missing_work(const profile::Trace& trace, const CallIndex& calls,
                       std::span<const Work> work, profile::ProfileBuilder& builder);

}  // namespace dlview::import::capture
