// TraceEvents: the events of a PyTorch profiler trace, in file order. profile_of() relates them to
// each other.
//
// Times are int64 ns. `start_ns` is the file's `ts` without a base time. A text is an id in the
// string table of the ProfileBuilder; 0 = not in the event. kNoValue = a number that is not in the
// event, or not a number ("inf"). Threads are indexes of TraceEvents::threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/large_memory.h"
#include "profile/kinds.h"
#include "profile/profile.h"
#include "profile/trace.h"

namespace dlview::import::pytorch {

using profile::kNoValue;
using profile::StringId;

struct EventTime {
  int64_t start_ns = 0, stop_ns = 0;
};

// "cpu_op", "user_annotation" and their former names, and host events of unknown categories.
struct HostEvent : EventTime {
  enum class Kind : uint8_t {
    op,          // "cpu_op"; "Operator" of old traces, which also stands for annotations
    annotation,  // "user_annotation"
    other,       // of an unknown category
  };
  StringId name = 0;
  uint32_t thread = 0;
  Kind kind = Kind::op;
  bool is_triton = false;  // has a "kernel_backend"
  int64_t sequence_number = kNoValue, forward_thread = kNoValue;
  // Index of TraceEvents::op_inputs, which equal inputs share; kNoInputs = none.
  static constexpr uint32_t kNoInputs = UINT32_MAX;
  uint32_t inputs = kNoInputs;
  StringId call_stack = 0;  // frames divided by ";", innermost first
};

// JSON lists without spaces outside texts: "[[32,3,224,224],[64,3,7,7]]".
struct OpInputs {
  StringId dims = 0, types = 0, strides = 0, concrete = 0;
  bool operator==(const OpInputs&) const = default;
};

// A "record_param_comms" event, an annotation such as "nccl:all_reduce", or the arguments of a
// kernel that name its collective.
struct CollectiveEvent {
  static constexpr uint32_t kNoEvent = UINT32_MAX;
  uint32_t host_event = kNoEvent;  // index of TraceEvents::host; kNoEvent = a kernel's arguments
  StringId name = 0, data_type = 0, group_name = 0, group_description = 0, group_ranks = 0;
  int64_t in_elements = kNoValue, out_elements = kNoValue, group_size = kNoValue;
  int64_t rank = kNoValue, source_rank = kNoValue, target_rank = kNoValue, sequence = kNoValue;
};

// "python_function". Names of modules begin with "nn.Module: ".
struct PythonFrame : EventTime {
  StringId name = 0;
  uint32_t thread = 0;
  int64_t id = kNoValue, parent = kNoValue, module_id = kNoValue;
};

// Calls of CUDA, HIP and other runtimes and drivers.
struct CallEvent : EventTime {
  StringId name = 0;
  uint32_t thread = 0;
  profile::ApiLayer layer = profile::ApiLayer::runtime;
  int64_t correlation = kNoValue;
  // On AMD, launches have them and kernels may not. All 0 = not recorded.
  profile::Dim3 grid, block;
};

// GPU activity. Its pid is the number of the GPU, not a process.
struct GpuEvent : EventTime {
  StringId name = 0;
  int64_t device = kNoValue, stream = kNoValue, context = kNoValue, correlation = kNoValue;
};

struct KernelEvent : GpuEvent {
  profile::Dim3 grid, block;  // all 0 = not recorded
  int64_t registers_per_thread = kNoValue, shared_bytes = kNoValue;
  int64_t occupancy_percent = kNoValue;          // estimated; 0 = below 0.5
  double blocks_per_sm = -1, warps_per_sm = -1;  // below 0 = not recorded
  int64_t graph = kNoValue, graph_node = kNoValue;
  // Index of TraceEvents::collectives; kNoEvent = its arguments name none. arrange_trace() turns it
  // into the row of Trace::collectives.
  uint32_t collective = CollectiveEvent::kNoEvent;
};

// "gpu_memcpy" and "gpu_memset". The name has the kinds: "Memcpy HtoD (Pageable -> Device)".
// "dma_request" of MTIA has a direction.
struct MemoryEvent : GpuEvent {
  int64_t bytes = kNoValue;
  StringId direction = 0;  // "DEVICE_TO_HOST"
};

// Synchronization of a stream, a GPU or the host, and records of events, which are points.
struct SyncEvent : GpuEvent {
  enum class Source : uint8_t { cuda_sync, cuda_event, xpu_sync, mtia_ccp_events };  // category
  Source source = Source::cuda_sync;
  bool blocks_host = true;
  StringId kind = 0;  // "Stream Sync", "Event Sync", "Context Sync", "Stream Wait Event"
  int64_t event = kNoValue;
  int64_t waits_for_stream = kNoValue;  // which recorded the event
};

// "overhead": what the profiler did itself, "Buffer Flush". The trace does not tell its thread.
struct OverheadEvent : EventTime {
  StringId name = 0;
};

// "[memory]": bytes allocated, or freed if below 0.
struct AllocationEvent {
  int64_t time_ns = 0;
  uint32_t thread = 0;
  int64_t address = kNoValue, bytes = 0, total_allocated = kNoValue, total_reserved = kNoValue;
  int64_t device_type = kNoValue,
          device = kNoValue;  // types: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, 19 MTIA
};

// What a value of a counter belongs to. A counter may have several values: "Queue Length" one for
// each stream.
struct CounterSeries {
  StringId counter = 0, value = 0, process = 0;
  int64_t device = kNoValue;  // the process, which may be a GPU, as a number
  bool operator==(const CounterSeries&) const = default;
};

// A value of a counter ("C" event), which holds until the next one of its series.
struct CounterEvent {
  int64_t time_ns = 0;
  double value = 0;     // finite
  uint32_t series = 0;  // index of TraceEvents::counter_series
};

// The pid and tid of host events, as texts: old files have both numbers and texts for one thread.
struct TraceEventThread {
  std::string process, thread;
  std::string process_name, thread_name;  // from the metadata; empty = not recorded
  // Whether an event of TraceEvents is on it. Python frames that were not read, and events that are
  // left out, keep their thread: numbers of texts do not depend on what was read.
  bool is_used = true;
};

// Of `deviceProperties`, in the file's order.
struct DeviceProperties {
  int64_t id = 0;
  std::string name;
  std::optional<int64_t> memory_bytes, sm_count, compute_capability_major, compute_capability_minor;
};

struct TraceHeader {
  std::optional<int64_t> base_time_ns;  // times of events count from it; since the epoch
  std::vector<DeviceProperties> devices;
  std::optional<bool> record_shapes, with_stack, profile_memory, with_flops, with_modules;
  std::string cuda_runtime_version, cuda_driver_version, hip_runtime_version, hip_driver_version;
  // `distributedInfo`
  std::string backend, nccl_version;
  std::optional<int64_t> rank, world_size;
  int64_t process_groups = 0;     // 0 = not recorded
  bool has_rank_of_name = false;  // `rank` is from the name of the file
};

// Events of a category that dlview does not show or know.
struct SkippedEvents {
  std::string category;
  int64_t count = 0;
};

struct TraceEvents {
  TraceHeader header;
  std::vector<TraceEventThread> threads;
  base::LargeVector<HostEvent> host;
  base::LargeVector<OpInputs> op_inputs;
  std::vector<CollectiveEvent> collectives;
  // Modules, and all other frames if requested; `frames` counts both.
  base::LargeVector<PythonFrame> modules;
  int64_t frames = 0;
  base::LargeVector<CallEvent> calls;
  base::LargeVector<KernelEvent> kernels;
  base::LargeVector<MemoryEvent> memcpys, memsets;
  base::LargeVector<SyncEvent> syncs;
  base::LargeVector<OverheadEvent> overheads;
  base::LargeVector<AllocationEvent> allocations;
  std::vector<CounterSeries> counter_series;
  base::LargeVector<CounterEvent> counters;
  std::vector<SkippedEvents> skipped;
  // The number, first start and last stop of X events outside the category "Trace"; nullopt = none.
  int64_t x_events = 0;
  std::optional<EventTime> span;
  // Whether the file ends too early, and its bytes after the last whole event then.
  bool is_cut_off = false;
  int64_t bytes_left = 0;
};

}  // namespace dlview::import::pytorch
