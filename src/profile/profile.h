// Profile: the facts of one recorded run, in columns, immutable once built. Every file format ends
// up here, so every view works on every file. What a file does not carry is listed as not recorded
// and its columns are empty; 0 always means zero.
//
// Times are int64 ns since the start of the capture. Rows refer to each other by row number, whose
// type names the table, and every such number is valid (an importer leaves out what refers to
// nothing):
//
//   ops          one row per op (a node of the graph)
//     ^ op
//   instances    one row per execution of an op, in order of (cpu_start, source id)
//     | first_kernel[i] .. first_kernel[i + 1]        the same for memory_ops, syncs, api_calls
//     v
//   kernels      grouped by instance, inside an instance in order of (gpu_start, source id)
//     | launch
//     v
//   launches     distinct (grid, block, device, thread): a dictionary
//
// so the events of any run of instances are one contiguous range of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/column.h"
#include "profile/counters.h"
#include "profile/kinds.h"
#include "profile/rows.h"
#include "profile/string_table.h"
#include "profile/trace.h"

namespace dlview::profile {

// read_only_ops.tc_support_status of DLProf (formats.md 4); 1 was never seen.
enum class TensorCoreSupport : uint8_t { eligible = 0, unknown = 1, unassociated = 2, none = 3 };

enum class MemoryOpKind : uint8_t { memcpy, memset };

struct Ops {
  template <typename T>
  using Column = TableColumn<Ops, T>;
  Column<StringId> id;                                             // "CONV2D_1"
  Column<StringId> name;                                           // "/module/net::forward/conv2d"
  Column<StringId> type;                                           // "conv2d"
  Column<StringId> direction, data_type;                           // "fprop" | "bprop" | ""
  Column<StringId> data_format, output_format, parameters_format;  // "N,C,H,W;K,C,R,S"
  Column<StringId> stack_trace;                                    // lines joined by newline
  Column<TensorCoreSupport> tensor_core_support;
  Column<int64_t> source_id;  // the row's id in the file
  std::size_t size() const { return id.size(); }
};

struct OpInstances {
  template <typename T>
  using Column = TableColumn<OpInstances, T>;
  Column<OpIndex> op;
  Column<int64_t> cpu_start_ns, cpu_stop_ns;
  Column<ThreadIndex> thread;
  Column<StringId> input_names, input_shapes, output_names, output_shapes, parameters;  // JSON
  Column<int64_t> source_id;
  // The instance that caused a backward op, else kNoRow. Empty where no op has one.
  Column<InstanceIndex> forward;
  // size() + 1 entries each: the events of instance i are rows [first[i], first[i + 1]).
  Column<KernelIndex> first_kernel;
  Column<MemoryOpIndex> first_memory_op;
  Column<SyncIndex> first_sync;
  Column<ApiCallIndex> first_api_call;
  std::size_t size() const { return op.size(); }
};

struct Kernels {
  template <typename T>
  using Column = TableColumn<Kernels, T>;
  Column<InstanceIndex> instance;
  // Unique display name of the kernel, "vectorized_elementwise<add>" (in DLProf databases the short
  // name; kernel_labels.h, docs/dev/spec.md 102), and the demangled name.
  Column<StringId> name, long_name;
  Column<uint8_t> uses_tensor_cores;
  Column<int64_t> api_start_ns, api_stop_ns, gpu_start_ns, gpu_stop_ns;
  Column<LaunchIndex> launch;
  Column<int64_t> source_id;
  std::size_t size() const { return name.size(); }
};

struct Launches {
  template <typename T>
  using Column = TableColumn<Launches, T>;
  Column<Dim3> grid, block;
  Column<DeviceIndex> device;
  Column<ThreadIndex> thread;
  std::size_t size() const { return grid.size(); }
};

struct MemoryOps {
  template <typename T>
  using Column = TableColumn<MemoryOps, T>;
  Column<InstanceIndex> instance;
  Column<MemoryOpKind> kind;
  Column<StringId> name;       // the API call's name
  Column<CopyKind> copy_kind;  // unknown for a memset
  Column<int64_t> bytes;
  Column<int64_t> api_start_ns, api_stop_ns, gpu_start_ns, gpu_stop_ns;
  Column<DeviceIndex> device;
  Column<ThreadIndex> thread;
  Column<int64_t> source_id;
  std::size_t size() const { return name.size(); }
};

struct Syncs {
  template <typename T>
  using Column = TableColumn<Syncs, T>;
  Column<InstanceIndex> instance;
  Column<StringId> name;
  Column<int64_t> api_start_ns, api_stop_ns;
  Column<int32_t> sync_type;  // CUPTI: 1 device or context, 2 event, 3 stream
  Column<int64_t> event_id;   // 4294967295 = none
  Column<int64_t> device_id;  // as stored: 0 for every DLProf row, no row of devices
  Column<ThreadIndex> thread;
  Column<int64_t> source_id;
  std::size_t size() const { return name.size(); }
};

// CUDA API calls that launched no kernel, copy, memset or sync.
struct ApiCalls {
  template <typename T>
  using Column = TableColumn<ApiCalls, T>;
  Column<InstanceIndex> instance;
  Column<StringId> name;
  Column<int64_t> api_start_ns, api_stop_ns;
  Column<ThreadIndex> thread;
  Column<int64_t> source_id;
  std::size_t size() const { return name.size(); }
};

// NVTX ranges of the program itself, such as "step 12" or "Forward", in order of start. Each name
// and each path of names can split the run into iterations (spec.md 5).
struct UserRanges {
  template <typename T>
  using Column = TableColumn<UserRanges, T>;
  Column<StringId> name, path;  // without running numbers: "step", "/epoch/step"
  Column<int64_t> start_ns, stop_ns;
  Column<int64_t> number;  // that the range counts with; kNoValue = none
  Column<ThreadIndex> thread;
  std::size_t size() const { return name.size(); }
};

// Paths of ops and user ranges in which some slash is part of a range's name, in byte order, and
// what their slashes mean (nesting.h). DLProf databases have none.
struct NamesWithSlashes {
  template <typename T>
  using Column = TableColumn<NamesWithSlashes, T>;
  Column<StringId> path, nesting;
  std::size_t size() const { return path.size(); }
};

// In order of device_id.
struct Device {
  int64_t source_id = 0;
  int64_t device_id = 0;  // the CUDA ordinal
  std::string name;
  Vendor vendor = Vendor::nvidia;
  int32_t compute_capability_major = 0, compute_capability_minor = 0;  // both 0 = unknown
  int32_t sm_count = 0;
  std::optional<int64_t> memory_total_bytes, memory_used_bytes;

  std::optional<ComputeCapability> compute_capability() const {
    if (compute_capability_major <= 0) return std::nullopt;
    return ComputeCapability{compute_capability_major, compute_capability_minor};
  }
};

// read_only_model_config of a PyTorch run.
struct ModelConfig {
  int64_t num_workers = 0;
  bool pin_memory = false, cudnn_benchmark_disabled = false, detect_anomaly = false,
       gradcheck = false, gradgradcheck = false, autograd_profile = false,
       autograd_set_detect_anomaly = false, emit_nvtx = false, amp_enabled = false;
};

// Texts as the file has them; empty = the file says nothing.
struct SystemFacts {
  std::string gpu_count, cpu_model, os_name, driver_version, framework, cuda_version, cudnn_version,
      nsys_version, dlprof_version, dlprof_build, profile_name, mode, original_command;
  int64_t mode_enum = 0;
  std::string database_version, original_database_version;
  std::string domain = "default-domain";
  std::optional<ModelConfig> model_config;
};

// An aggregation that the file already holds: its range and key op, its list of all iterations, and
// what cannot be recomputed from raw rows. Its numbers are read by `verify` only.
struct StoredAggregation {
  int64_t id = 0;
  std::string user, host, started, ended;  // who, where, when (local time, as stored)
  std::string key_op;
  int64_t first_iteration = 0, last_iteration = 0;  // inclusive
  struct Iteration {
    int64_t number = 0, start_ns = 0, stop_ns = 0;
  };
  std::vector<Iteration> iterations;
  std::vector<int64_t> io_ns;  // one per aggregated iteration; empty when none is stored
  bool has_advice = false;
};

// Rows that were read but could not be used, by table and reason.
struct QualityNote {
  std::string table;
  std::string reason;
  int64_t rows = 0;
  std::string first_example;  // "row 17: op_instance 3 of CONV2D_1 does not exist"
};

// Something that was not recorded, and how to record it.
struct NotRecorded {
  std::string what;
  std::string remedy;
};

// A table of events of an export that is not empty.
struct RecordedTable {
  std::string name;  // in the file: "SCHED_EVENTS"
  std::string what;  // "Thread states"; empty = dlview does not know the table
  int64_t rows = 0;
  std::string use;  // "causes of idle time"; empty = dlview does not use it
};

// Messages of the profiler about the capture, each text once.
struct ProfilerMessage {
  bool is_error = false;  // else a warning
  std::string text;
  int64_t count = 0;
};

struct SourceInfo {
  std::string path;    // as given by the user
  std::string format;  // "DLProf 1.8.0"
  int64_t file_bytes = 0;
  // Where Kernels::uses_tensor_cores comes from: false = the file, true = tensor_core_rules.h.
  bool by_tensor_core_rules = false;
};

// In an export, the first part of the names of ops that hold GPU activity and calls outside every
// op and range.
inline constexpr std::string_view kUnassociated = "unassociated_";

struct Profile {
  SourceInfo source;
  StringTable strings;
  Ops ops;
  OpInstances instances;
  Kernels kernels;
  Launches launches;
  MemoryOps memory_ops;
  Syncs syncs;
  ApiCalls api_calls;
  UserRanges user_ranges;
  NamesWithSlashes names_with_slashes;
  StructTable<Thread> threads;
  StructTable<Device> devices;
  std::optional<Trace> trace;
  SystemFacts system;
  std::vector<StoredAggregation> stored_aggregations;
  std::vector<QualityNote> quality;
  std::vector<NotRecorded> not_recorded;
  std::vector<RecordedTable> recorded_tables;  // of an export
  std::vector<ProfilerMessage> profiler_messages;
  // The largest cpu_stop of an op instance or gpu_stop of a kernel, memcpy or memset; 0 when empty.
  int64_t last_ns = 0;
  // Start of the first iteration of a split by ops: 0, the start of the capture. If an export is
  // the late part of a longer capture, the start of its first op instance.
  int64_t first_ns = 0;
  // From files of Nsight Compute that were opened with the profile, or alone; null = none. Not
  // cached: they are read with each opening.
  std::shared_ptr<const KernelCounters> counters;

  std::string_view text(StringId id) const { return strings[id]; }
  DeviceIndex device_of_kernel(KernelIndex kernel) const {
    return launches.device[kernels.launch[kernel]];
  }
  // Returns whether the op holds calls, and the GPU activity they launch, outside every op and
  // range.
  bool is_unassociated(OpIndex op) const {
    // In an export a range's op has a path: its name begins with a slash.
    return ops.tensor_core_support[op] == TensorCoreSupport::unassociated ||
           (trace && text(ops.name[op]).starts_with(kUnassociated));
  }
  // Whether the op's type can use Tensor Cores: op_nodes.tc_eligible.
  bool is_eligible(OpIndex op) const {
    return ops.tensor_core_support[op] == TensorCoreSupport::eligible;
  }
};

}  // namespace dlview::profile
