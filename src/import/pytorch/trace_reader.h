// Reads the events of a PyTorch profiler trace: Chrome's JSON as Kineto, PyTorch's exporters and
// other programs have written it since 2020, plain or packed with gzip. Bad JSON costs the events
// that are bad, never the file (design rules: docs/dev/formats.md, PyTorch traces).
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::import::pytorch {

// Adds names to `builder` and notes to `quality`. An Error if the file cannot be read or holds no
// whole event, and on cancel.
base::Result<TraceEvents> read_trace_events(const ByteSource& source,
                                            profile::ProfileBuilder& builder, QualityLog& quality,
                                            base::Progress& progress);

}  // namespace dlview::import::pytorch
