// The events of an Nsight Systems capture, and a writer for its export. Synthetic programs
// (programs/) fill in a Capture. It holds no ops: importers derive them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "generate/nsys.h"
#include "generate/target.h"
#include "profile/profile.h"

namespace dlview::generate {

// Times are in ns from time 0 of the export. `thread` is an index into `threads`, `device` a CUDA
// ordinal.
struct Capture {
  struct Thread {
    profile::Thread id;
    std::string name;
  };
  struct Range {
    int64_t start_ns = 0;
    std::optional<int64_t> end_ns;  // none: it was still open when the capture ended
    std::size_t thread = 0;
    std::string text;
  };
  struct Call {
    int64_t start_ns = 0, end_ns = 0;
    std::size_t thread = 0;
    std::string name;
  };
  enum class WorkKind : uint8_t { kernel, copy, set, synchronization };
  // A GPU activity or synchronization that a call caused. A synchronization spans the blocked time.
  struct Work {
    WorkKind kind = WorkKind::kernel;
    int64_t start_ns = 0, end_ns = 0;
    std::size_t call = 0;  // index in `calls`
    int64_t device = 0, stream = 0;
    std::string name, long_name;                               // kernels only
    std::string mangled_name;                                  // empty: the same as `name`
    int64_t bytes = 0;                                         // memcpys and memsets
    profile::CopyKind copy_kind = profile::CopyKind::unknown;  // memcpys
    bool is_pinned = false;  // memcpys: the host memory is; memsets: the memory is
    profile::Dim3 grid{864, 1, 1}, block{256, 1, 1};
  };

  // The scheduler gave the thread a CPU or took it away.
  struct Switch {
    int64_t start_ns = 0;
    std::size_t thread = 0;
    bool is_running = false;
  };
  struct Sample {
    int64_t start_ns = 0;
    std::size_t thread = 0;
    std::vector<std::string> stack;  // the outermost function first
  };

  std::vector<profile::Device> devices;
  std::vector<Thread> threads;
  std::vector<Range> ranges;
  std::vector<Call> calls;
  std::vector<Work> works;
  // Not recorded unless there are any.
  std::vector<Call> os_calls;
  std::vector<Switch> switches;
  std::vector<Sample> samples;

  // Keeps what a profiler records from `from_ns` to `to_ns`. Drops ranges, switches and samples
  // that begin outside, the ends of ranges still open at `to_ns`, calls that reach outside, and GPU
  // activities that end later or whose call is dropped.
  void keep(int64_t from_ns, int64_t to_ns);
};

// Writes an export of `capture`. Correlation ids count the calls of each process by start time.
base::Status write_capture(const Capture& capture, NsysSchema schema,
                           const std::filesystem::path& path, base::Progress& progress,
                           IfExists if_exists = IfExists::fail);

}  // namespace dlview::generate
