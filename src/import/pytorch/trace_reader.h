// Reads the events of a PyTorch profiler trace: Chrome's JSON as Kineto, PyTorch's exporters and
// other programs have written it since 2020, plain or gzip. Bad JSON loses the bad events, never
// the file (rules: docs/dev/formats.md, section 16).
#pragma once

#include <cstddef>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "import/pytorch/trace_events.h"
#include "import/quality_log.h"
#include "profile/builder.h"

namespace dlview::import::pytorch {

struct ReadOptions {
  bool all_frames = false;  // all Python frames, not only modules
  // How much each core reads at a time, and how much is in memory at once. Tests read small pieces.
  std::size_t block_bytes = std::size_t{1} << 20, window_bytes = std::size_t{8} << 20;
  // Events that are longer are damaged: they are left out.
  std::size_t most_event_bytes = std::size_t{64} << 20;
};

// Adds names to `builder` and notes to `quality`. Fails if the file cannot be read or has no event
// of PyTorch, and on cancel. Except for frames, the result does not depend on `options`.
base::Result<TraceEvents> read_trace_events(const ByteSource& source,
                                            profile::ProfileBuilder& builder, QualityLog& quality,
                                            base::Progress& progress,
                                            const ReadOptions& options = {});

}  // namespace dlview::import::pytorch
