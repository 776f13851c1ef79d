// PyTorch profiler traces of a synthetic training run, and their truth: the figures that a reader
// of the trace must find. Equal options give equal traces on every machine.
//
// The run trains a transformer with one GPU per rank; a file is the trace of one rank. It has a
// data loader, forward ops in nested modules, a backward pass on a second thread, an optimizer,
// copies on a stream of their own, and, for several ranks, all-reduces that overlap the backward
// pass. A few kernels were launched before the trace began.
//
// Memory does not grow with the size of the file, except for the names of the iterations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "generate/changes.h"
#include "generate/target.h"

namespace dlview::generate {

// Which program wrote the file; the letters are those of formats.md 16.
enum class PytorchWriter {
  kineto,           // A: Kineto, an event over several lines
  python_exporter,  // B: torch.profiler's exporter in Python, an event per line
  python_json,      // C: loaded and dumped by Python: any order of keys, header after the events
  autograd          // D: the old autograd profiler, a bare array of host ops without categories
};

// The year tells the vocabulary and the times.
enum class PytorchSchema {
  v2021,  // "Operator", "Runtime", "Kernel"; whole microseconds since 1970
  v2023,  // "cpu_op", "cuda_runtime", "kernel"; otherwise the same
  v2024,  // nanoseconds as three decimals; the wrong "External id" of that year
  v2026   // relative to baseTimeNanoseconds
};

enum class PytorchGpu {
  nvidia,
  amd  // since 2024: HIP calls, which have the launch sizes, and kernels that have none
};

struct PytorchOptions {
  int64_t iterations = 10;   // ProfilerStep annotations; 0: a run without any
  int64_t kernels = 10'000;  // exactly
  // 0, or about so many bytes of JSON: replaces `iterations`, and `kernels` in the same proportion.
  int64_t bytes = 0;
  int gpus = 1;  // ranks, with a GPU each
  int rank = 0;  // the one that the file is from
  uint64_t seed = 1;
  PytorchWriter writer = PytorchWriter::kineto;
  PytorchSchema schema = PytorchSchema::v2026;
  int indent = 0;              // of writer C; 0: all on one line
  bool record_shapes = false;  // these three as in torch.profiler.profile()
  bool with_stack = false;
  bool profile_memory = false;
  bool cuda_graphs = false;    // a CUDA graph launches the optimizer's kernels
  bool checkpointing = false;  // the backward pass recomputes the forward pass of the layers
  bool compiled = false;       // torch.compile makes Triton kernels of the activations
  bool sync_events = false;    // as enable_cuda_sync_events=True; NVIDIA's, since 2023
  bool counters = false;       // the queue length of each stream, as HTA adds it
  PytorchGpu gpu = PytorchGpu::nvidia;
  // slower-op (an op with its children, "aten::linear"), clocks and other-gpu.
  std::vector<PlantedChange> changes = {};
};

// All times are in ns. `_ns` of GPU activities are plain sums, those of unions count overlaps once.
struct PytorchTruth {
  struct GpuFigures {
    int64_t kernel_union_ns = 0, busy_union_ns = 0;
    int64_t communication_union_ns = 0, exposed_communication_ns = 0;
  };
  struct Step {
    std::optional<std::string> name;  // none: no iterations, the whole trace
    int64_t start_ns = 0;             // from the origin
    std::optional<int64_t> range_ns;  // the annotation's own duration
    int64_t window_ns = 0;            // to the start of the next one
    int64_t kernels = 0, kernels_ns = 0, memory = 0, memory_ns = 0;  // launched in the window
    std::map<std::string, GpuFigures> devices;
  };
  struct Op {
    int64_t calls = 0, host_total_ns = 0, host_self_ns = 0;
    int64_t api_calls = 0, call_self_ns = 0;  // CUDA API calls directly in it
    int64_t gpu_self_ns = 0, gpu_events_self = 0;
    int64_t gpu_total_ns = 0, gpu_events_total = 0;
  };
  struct OuterOp {
    int64_t calls = 0, host_ns = 0, gpu_ns = 0, gpu_events = 0;
  };
  struct Module {
    int64_t calls = 0, host_total_ns = 0;
    int64_t gpu_forward_events = 0, gpu_forward_ns = 0;
    int64_t gpu_backward_events = 0, gpu_backward_ns = 0;
  };
  struct GpuName {
    int64_t count = 0, total_ns = 0, bytes = 0;
    int64_t blocks = 0;  // of kernels; 0: not recorded
  };
  struct Collective {
    int64_t calls = 0, in_elements = 0, out_elements = 0, gpu_events = 0, gpu_ns = 0;
  };
  struct Memory {
    int64_t events = 0, allocations = 0, frees = 0, allocated_bytes = 0, freed_bytes = 0;
    int64_t peak_allocated = 0, peak_reserved = 0;
  };

  struct Wait {
    int64_t count = 0, total_ns = 0;
    bool operator==(const Wait&) const = default;
  };
  struct Counter {
    int64_t values = 0, most = 0;
    int64_t sum_ns = 0;  // of each value times the time to the next one
    bool operator==(const Counter&) const = default;
  };

  int64_t raw_bytes = 0;  // of JSON, not of the compressed file
  int64_t events = 0, x_events = 0;
  int64_t origin_ns = 0;  // the smallest time of the file's X events, as the file counts
  int64_t span_ns = 0;
  std::optional<int64_t> rank, world_size;
  std::vector<Step> steps;
  std::map<std::string, GpuFigures> devices;
  int64_t gpu_events = 0, gpu_total_ns = 0;
  int64_t no_launch_events = 0, no_launch_ns = 0;  // whose call is not in the file
  int64_t no_op_events = 0, no_op_ns = 0;          // whose call lies in no host event
  std::map<std::string, int64_t> external_id, links;
  std::map<std::string, GpuName> kernels, memcpys, memsets;
  std::map<std::string, Op> ops;             // by name
  std::map<std::string, OuterOp> outer_ops;  // by "name|direction"
  std::map<std::string, Module> modules;
  std::map<std::string, Collective> collectives;  // by "name|type|group size"
  std::map<std::string, Memory> memory;           // by "device type:device"
  std::map<std::string, Wait> syncs;        // by "name|device|stream|stream it waits for, or 0"
  std::map<std::string, Wait> overheads;    // by name
  std::map<std::string, Counter> counters;  // by "counter|value|process"
  // Writer D has no categories: `ops`, `outer_ops` and `steps` are those that its names tell, which
  // to_json() leaves out.
  bool has_categories = true;
};

// The path's end decides on compression: `.gz`. An Error says which option is out of bounds.
base::Result<PytorchTruth> generate_pytorch(const std::filesystem::path& path,
                                            const PytorchOptions& options, base::Progress& progress,
                                            IfExists if_exists = IfExists::fail);

// Tables by name, and a key only where something was counted.
std::string to_json(const PytorchTruth& truth);

}  // namespace dlview::generate
