// Trace: the events of a capture as they were recorded, in columns and in the file's order. An
// Nsight Systems export and a PyTorch profiler trace are read into a Trace; from it come the ops
// and instances of the Profile, the figures of `dlview stats` and the rows of the timeline. A
// DLProf database has none.
//
// Times are int64 ns since the start of the session and may be negative. A text is an id in the
// profile's string table. A column that the file does not have is empty (size 0) while its table
// has rows; a value that is NULL in the file is kNoText or kNoValue, in narrower columns -1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "profile/column.h"
#include "profile/kinds.h"
#include "profile/rows.h"
#include "profile/string_table.h"

namespace dlview::profile {

inline constexpr StringId kNoText = UINT32_MAX;
inline constexpr int64_t kNoValue = INT64_MIN;

struct TraceProcess;
struct TraceThread;
struct TraceFrames;
struct TraceCollectives;
struct TraceAllocations;
using ProcessIndex = Index<TraceProcess>;     // a row of Trace::processes
using TraceThreadIndex = Index<TraceThread>;  // a row of Trace::threads
using FrameIndex = Index<TraceFrames>;
using CollectiveIndex = Index<TraceCollectives>;
using AllocationIndex = Index<TraceAllocations>;

// A thread of the capture. Upper 32 bits: the row of its process in Trace::processes. Lower 32
// bits: its row in Trace::threads plus 1, or 0 for the whole process. kNoValue = unknown.
using ThreadId = int64_t;
inline constexpr ThreadId make_thread_id(ProcessIndex process,
                                         std::optional<TraceThreadIndex> thread = std::nullopt) {
  return ThreadId{Row{process}} << 32 | (thread ? ThreadId{Row{*thread}} + 1 : 0);
}
inline constexpr ThreadId process_of(ThreadId id) {
  return id & ~ThreadId{UINT32_MAX};
}

// The operating system's numbers. 0 for a thread that is not known.
struct Thread {
  int64_t process_id = 0;
  int64_t thread_id = 0;
  bool operator==(const Thread&) const = default;
};

// Columns common to all GPU activity. `correlation` is unique within a process only.
struct GpuWork {
  template <typename T>
  using Column = TableColumn<GpuWork, T>;
  Column<int64_t> start_ns, end_ns;
  Column<int64_t> correlation;
  Column<ThreadId> process;
  Column<int32_t> device_id;  // the CUDA ordinal of the process
  Column<int64_t> context, green_context, stream;
  Column<int64_t> graph_node;          // of the CUDA graph that launched it; 0 or kNoValue = none
  Column<CollectiveIndex> collective;  // that launched it; kNoRow = none
  std::size_t size() const { return start_ns.size(); }
};

// A table of such work, with columns of its own.
template <typename OwnColumns>
struct WorkTable : GpuWork, OwnColumns {};

template <typename OwnColumns, typename Use>
void with_fields(WorkTable<OwnColumns>& work, Use&& use) {
  base::with_fields(static_cast<GpuWork&>(work), use);
  base::with_fields(static_cast<OwnColumns&>(work), use);
}
template <typename OwnColumns, typename Use>
void with_fields(const WorkTable<OwnColumns>& work, Use&& use) {
  base::with_fields(static_cast<const GpuWork&>(work), use);
  base::with_fields(static_cast<const OwnColumns&>(work), use);
}

struct KernelColumns {
  template <typename T>
  using Column = TableColumn<KernelColumns, T>;
  Column<StringId> short_name, demangled_name, mangled_name;
  Column<Dim3> grid, block;
  Column<int32_t> registers_per_thread;
  Column<int64_t> static_shared_bytes, dynamic_shared_bytes;
  // Only PyTorch traces have these. The sum of static and dynamic shared memory.
  Column<int64_t> shared_bytes;
  Column<int32_t> occupancy_percent;  // estimated, 0..100; 0 = below 0.5
  // Blocks and warps of the grid for each SM, in millionths.
  Column<int64_t> blocks_per_sm_millionths, warps_per_sm_millionths;
};
using TraceKernels = WorkTable<KernelColumns>;

struct MemcpyColumns {
  template <typename T>
  using Column = TableColumn<MemcpyColumns, T>;
  Column<int64_t> bytes;
  Column<CopyKind> copy_kind;
  Column<MemoryKind> src_kind, dst_kind;
  Column<int64_t> virtual_address;  // of pages of unified memory that move
};
using TraceMemcpys = WorkTable<MemcpyColumns>;

struct MemsetColumns {
  template <typename T>
  using Column = TableColumn<MemsetColumns, T>;
  Column<int64_t> bytes;
  Column<MemoryKind> memory_kind;
};
using TraceMemsets = WorkTable<MemsetColumns>;

struct SyncColumns {
  template <typename T>
  using Column = TableColumn<SyncColumns, T>;
  Column<int32_t> sync_type;  // CUPTI: 1 device or context, 2 event, 3 stream
  Column<int64_t> event;      // 4294967295 = none
};
using TraceSyncs = WorkTable<SyncColumns>;

// Synchronization as the profiler records it for a GPU and a stream ("cuda_sync"), and records of
// events, which are points; in PyTorch traces only. What blocks the host is a row of Trace::syncs
// too.
struct TraceSyncEvents {
  template <typename T>
  using Column = TableColumn<TraceSyncEvents, T>;
  Column<int64_t> start_ns, end_ns;
  Column<int32_t> device_id;         // -1 = not recorded
  Column<int64_t> stream;            // kNoValue = of the whole GPU, or of a wait of the host
  Column<StringId> name;             // "Stream Wait Event"
  Column<int64_t> event;             // of CUDA; kNoValue = none
  Column<int64_t> waits_for_stream;  // that recorded the event; kNoValue = none, or unknown
  std::size_t size() const { return start_ns.size(); }
};

// Time that the profiler itself took, in PyTorch traces only. Its thread is not recorded.
struct TraceOverheads {
  template <typename T>
  using Column = TableColumn<TraceOverheads, T>;
  Column<int64_t> start_ns, end_ns;
  Column<StringId> name;  // "Buffer Flush"
  std::size_t size() const { return start_ns.size(); }
};

// Launches of whole graphs, where the work inside was not traced node by node.
struct GraphLaunchColumns {
  template <typename T>
  using Column = TableColumn<GraphLaunchColumns, T>;
  Column<int64_t> graph, graph_exec;
};
using TraceGraphLaunches = WorkTable<GraphLaunchColumns>;

// Page faults of unified memory on the host.
struct TraceCpuFaults {
  template <typename T>
  using Column = TableColumn<TraceCpuFaults, T>;
  Column<int64_t> start_ns;
  Column<int64_t> address;       // of the page
  Column<StringId> instruction;  // the function that touched it
  std::size_t size() const { return start_ns.size(); }
};

// On a GPU; a row counts those of one page.
struct TraceGpuFaults {
  template <typename T>
  using Column = TableColumn<TraceGpuFaults, T>;
  Column<int64_t> start_ns, end_ns;
  Column<int64_t> address;
  Column<int64_t> count;
  std::size_t size() const { return start_ns.size(); }
};

// Calls of the CUDA runtime and driver.
struct TraceApiCalls {
  template <typename T>
  using Column = TableColumn<TraceApiCalls, T>;
  Column<int64_t> start_ns, end_ns;
  Column<ApiLayer> layer;  // empty: all are of the runtime
  Column<ThreadId> thread;
  Column<int64_t> correlation;
  Column<StringId> name;  // with its version: "cudaLaunchKernel_v7000"
  Column<int64_t> return_value;
  std::size_t size() const { return start_ns.size(); }
};

struct TraceNvtx {
  template <typename T>
  using Column = TableColumn<TraceNvtx, T>;
  Column<int64_t> start_ns, end_ns;  // end: kNoValue for a mark and for a range never closed
  Column<NvtxKind> kind;
  Column<ThreadId> thread, end_thread;
  Column<int64_t> domain;  // 0 = the default one; see Trace::nvtx_domains
  Column<StringId> text;   // from text or textId; kNoText when both are NULL
  Column<int64_t> range_id, category;
  Column<int64_t> color;       // ARGB
  Column<int64_t> source_row;  // of NVTX_EVENTS: nsys numbers ranges by it

  // Only PyTorch traces have these. `forward` is set for ops of the backward pass that no other one
  // holds: the row of the forward op, or the own one if the trace has none; else kNoRow. A list of
  // shapes is JSON: "[[32,3,224,224],[64,3,7,7]]", as are the types and the concrete values of
  // inputs: "[\"float\",\"ScalarList\"]", "[\"\",\"[2, 2]\"]"; both are empty columns if no event
  // has any. A call stack has ";" between its frames,
  // innermost first; the column is empty if no event has one.
  Column<HostEventKind> event_kind;
  Column<Index<TraceNvtx>> forward;
  Column<StringId> input_shapes, input_types, input_values, call_stack;  // kNoText = not recorded
  std::size_t size() const { return start_ns.size(); }
};

// Calls that a thread spends outside its own code: OS runtime, MPI.
struct TraceCalls {
  struct Table {
    std::string name;       // in the file: "MPI_P2P_EVENTS"
    std::size_t first = 0;  // its first row here; the next table follows its last row
  };
  template <typename T>
  using Column = TableColumn<TraceCalls, T>;
  Column<int64_t> start_ns, end_ns;
  Column<ThreadId> thread;
  Column<StringId> name;
  std::vector<Table> tables;
  std::size_t size() const { return start_ns.size(); }
};

// The moments at which the scheduler gave a thread a CPU, or took it away.
struct TraceSwitches {
  template <typename T>
  using Column = TableColumn<TraceSwitches, T>;
  Column<int64_t> time_ns;
  Column<ThreadId> thread;
  Column<int32_t> cpu;
  Column<int16_t> is_running;  // 1 from this time on, or 0
  std::size_t size() const { return time_ns.size(); }
};

// The functions of the sampled call stacks, as a tree: stacks that begin alike share frames.
struct TraceFrames {
  template <typename T>
  using Column = TableColumn<TraceFrames, T>;
  Column<FrameIndex> caller;  // an earlier row; kNoRow = the outermost function
  Column<StringId> function;  // kNoText = the profiler found no symbol
  Column<StringId> module;    // path of the program or library; kNoText = unknown
  std::size_t size() const { return caller.size(); }
};

// CPU samples: what a running thread did at a time.
struct TraceSamples {
  template <typename T>
  using Column = TableColumn<TraceSamples, T>;
  Column<int64_t> time_ns;
  Column<ThreadId> thread;
  Column<FrameIndex> frame;  // the innermost function; kNoRow = no call stack
  Column<int64_t> cycles;    // of the CPU since the sample before; 0 or kNoValue = not counted
  std::size_t size() const { return time_ns.size(); }
};

// Collective operations: of torch.distributed in PyTorch traces, calls of NCCL in exports of Nsight
// Systems that have its NVTX ranges. kNoText and kNoValue = not recorded.
struct TraceCollectives {
  template <typename T>
  using Column = TableColumn<TraceCollectives, T>;
  Column<int64_t> start_ns, end_ns;  // on the host; kNoValue = only its kernel is in the trace
  Column<ThreadId> thread;
  Column<uint8_t> is_recorded;  // 1: from record_param_comms, 0: from an annotation or a kernel
  Column<StringId> name;        // "allreduce", "nccl:all_reduce", "wait", "ncclAllReduce"
  Column<StringId> data_type;   // "BFloat16"; "float" of an annotation
  Column<StringId> group_name, group_description, group_ranks;  // "0", "default_pg", "[0, 1]"
  Column<int64_t> in_elements, out_elements;                    // of this rank
  Column<int64_t> group_size;                                   // in ranks
  Column<int64_t> sequence;  // counts the calls of a group, alike on all of its ranks
  // Of a message; kNoValue = that of data_type.
  Column<int64_t> bytes_of_element;
  std::size_t size() const { return start_ns.size(); }
};

// Memory that PyTorch's allocators gave and took back, in PyTorch traces only, in order of time.
struct TraceAllocations {
  template <typename T>
  using Column = TableColumn<TraceAllocations, T>;
  Column<int64_t> time_ns;
  Column<ThreadId> thread;
  Column<int64_t> bytes;  // allocated, or freed if below 0
  // Of the device after the event; kNoValue = not recorded, as are addresses in traces of 2021.
  Column<int64_t> total_allocated, total_reserved;
  Column<int64_t> address;
  Column<int64_t> device_type;  // of c10: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, 19 MTIA, 20 PrivateUse1
  Column<int64_t> device;       // its index in the process; -1 for the CPU
  std::size_t size() const { return time_ns.size(); }
};

// Memory that CUDA allocated and freed, in exports of Nsight Systems only, in the file's order.
struct TraceMemoryUsage {
  template <typename T>
  using Column = TableColumn<TraceMemoryUsage, T>;
  Column<int64_t> time_ns;
  Column<ThreadId> process;
  Column<int32_t> device_id;  // the CUDA ordinal of the process
  Column<MemoryKind> memory_kind;
  Column<MemoryOperation> operation;
  Column<int64_t> bytes;
  Column<int64_t> address;
  Column<StringId> name;  // of the variable; kNoText = not recorded
  Column<int64_t> correlation;
  std::size_t size() const { return time_ns.size(); }
};

// Values of counters over time, in PyTorch traces; GPU metrics of Nsight Systems. By series, those
// of each in order of time.
struct TraceCounters {
  struct Series {
    std::string counter, value;     // "Queue Length" and "stream 7", which is one of its values
    std::string process;            // as recorded: a number, or a text such as "MTIA 17"
    std::optional<int64_t> device;  // the GPU, by TraceGpu::id; nullopt = of a process
    std::size_t first = 0;          // its first row; the next series follows its last row
    CounterKind kind = CounterKind::level;
    std::string unit;  // "%", "Hz"; empty = unknown
  };
  template <typename T>
  using Column = TableColumn<TraceCounters, T>;
  Column<int64_t> time_ns;
  Column<double> value;  // finite
  std::vector<Series> series;
  std::size_t size() const { return time_ns.size(); }
  // Behind the last row of a series.
  std::size_t end_of(std::size_t place) const {
    return place + 1 < series.size() ? series[place + 1].first : size();
  }
};

// In order of host and number.
struct TraceProcess {
  int64_t host = 0;    // numbers of processes are unique within one
  int64_t number = 0;  // of the operating system
  std::string name;    // empty = not recorded
};

// In order of process and number.
struct TraceThread {
  ProcessIndex process{0};
  int64_t number = 0;  // of the operating system
  std::string name;    // empty = not recorded
  std::optional<int64_t> priority = std::nullopt;
};

// A domain id belongs to a process. Where it was created many times, its first name counts.
struct NvtxDomain {
  ThreadId process = 0;
  int64_t id = 0;
  std::string name;
};

// A GPU of the system, in the file's order, whether or not it was used.
struct TraceGpu {
  int64_t id = 0;                      // the system's index
  std::optional<int64_t> cuda_device;  // the CUDA ordinal of the system, if recorded
  std::string name, bus_location, uuid;
  Vendor vendor = Vendor::unknown;
  std::optional<int64_t> memory_bytes, memory_bandwidth, clock_rate_hz;
  // The most that was reserved and allocated at a time.
  std::optional<int64_t> memory_used_bytes, memory_allocated_bytes;
  std::optional<int32_t> sm_count, compute_capability_major, compute_capability_minor;
};

// TARGET_INFO_CUDA_DEVICE: which GPU a process means by a CUDA ordinal.
struct TraceCudaDevice {
  int64_t gpu_id = 0, cuda_device = 0, process_id = 0;
};

// Where a file tells which rank a process is, in the order in which they count.
enum class RankSource : uint8_t {
  mpi_ranks,         // MPI_RANKS of Nsight Systems
  communicator,      // ncclCommInitRank of the largest communicator
  distributed_info,  // of a PyTorch trace
  thread_name,       // "MPI Rank 2"
  environment,       // a variable of the program that was launched
};

// The rank and the number of ranks that one source tells; nullopt = only the other.
struct RankClaim {
  RankSource source = RankSource::environment;
  ThreadId process = kNoValue;  // kNoValue = of the program that was launched
  std::string variable;         // "OMPI_COMM_WORLD_RANK"; empty = none
  std::optional<int64_t> rank, world_size;
  bool operator==(const RankClaim&) const = default;
};

// Facts about the capture. Texts as the file has them; empty = not recorded. Environment variables,
// which Nsight Systems records too, are not read, but for those that tell the rank.
struct CaptureFacts {
  Recorder recorder = Recorder::nsight_systems;
  std::string host;            // whose program was recorded
  std::string program;         // that was recorded
  std::string schema_version;  // of the export
  std::string cpu_cores, kernel_release;
  std::string backend;  // of torch.distributed: "nccl"
  // In order of source; those of the environment as launchers set them, the innermost first.
  std::vector<RankClaim> ranks;
  // The start of the session on the clock of the machine since it was started, which NTP does not
  // step; Trace::utc_start_ns is the same instant.
  std::optional<int64_t> system_start_ns;
};

struct Trace {
  TraceKernels kernels;
  TraceMemcpys memcpys;
  TraceMemsets memsets;
  TraceSyncs syncs;
  TraceSyncEvents sync_events;
  TraceOverheads overheads;
  TraceGraphLaunches graph_launches;
  TraceCpuFaults cpu_page_faults;
  TraceGpuFaults gpu_page_faults;
  TraceApiCalls api_calls;
  TraceNvtx nvtx;
  TraceCalls os_calls, mpi_calls;
  TraceSwitches switches;
  TraceFrames frames;
  TraceSamples samples;
  TraceCollectives collectives;
  TraceAllocations allocations;
  TraceMemoryUsage memory_usage;
  TraceCounters counters;
  // By StringId: the text's id in the file's StringIds; kNoValue = it does not come from there.
  Column<int64_t> text_ids;
  StructTable<TraceProcess> processes;
  StructTable<TraceThread> threads;
  std::vector<NvtxDomain> nvtx_domains;
  std::vector<TraceGpu> gpus;
  std::vector<TraceCudaDevice> cuda_devices;
  std::optional<int64_t> duration_ns;  // of the session, from ANALYSIS_DETAILS
  std::optional<int64_t> utc_start_ns;
  CaptureFacts capture;
  // Whether the file names the kinds of copies and memory (ENUM_CUDA_MEMCPY_OPER; from 2022.4 on):
  // where it does not, nsys has no summaries of memory operations.
  bool names_copy_kinds = false;

  // Null for what is no process or thread of the capture.
  const TraceProcess* process(ThreadId id) const {
    const auto row = static_cast<std::size_t>(id >> 32);
    return id >= 0 && row < processes.size() ? &processes[row] : nullptr;
  }
  const TraceThread* thread(ThreadId id) const {
    const auto row = static_cast<std::size_t>(id & ThreadId{UINT32_MAX});
    return id >= 0 && row > 0 && row <= threads.size() ? &threads[row - 1] : nullptr;
  }
  Thread numbers_of(ThreadId id) const {
    const TraceProcess* const its_process = process(id);
    const TraceThread* const its_thread = thread(id);
    return {its_process == nullptr ? 0 : its_process->number,
            its_thread == nullptr ? 0 : its_thread->number};
  }
};

}  // namespace dlview::profile
