// An op of the synthetic run: its texts, host time, kernels, copies and API calls in each
// execution. A Network is all ops of a training step, and those around the steps.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace dlview::generate::demo {

// A planted change that a kernel is part of: it takes numerator / denominator times as long.
struct PlantedFactor {
  std::size_t change = 0;  // in DemoTruth::changes
  int64_t numerator = 1, denominator = 1;
};

struct KernelSpec {
  std::string name, long_name;
  bool tensor_cores = false;
  int64_t gpu_ns = 0;
  profile::Dim3 grid, block;
  bool communication = false;  // runs on the stream of the all-reduces
  bool is_exposed = false;     // later kernels of other streams wait for it
  std::vector<PlantedFactor> planted = {};
};

struct MemorySpec {
  profile::MemoryOpKind kind = profile::MemoryOpKind::memcpy;
  profile::CopyKind copy_kind = profile::CopyKind::host_to_device;  // unknown for a memset
  int64_t bytes = 0;
};

struct OpSpec {
  std::string name, type, direction, data_type;
  std::string data_format, output_format, parameters_format, stack_trace;
  std::string input_names = "null\n", input_shapes = "null\n", output_names = "null\n",
              output_shapes = "null\n", parameters = "null\n";  // JSON, as DLProf ends it
  profile::TensorCoreSupport tensor_core_support = profile::TensorCoreSupport::none;
  int64_t host_ns = 18'000;  // besides its API calls
  std::vector<KernelSpec> kernels;
  std::vector<MemorySpec> memory;
  std::vector<std::string> api_calls;  // plain ones, before everything else
  std::string wait;                    // the call that ends it once the GPU is done; "" = none
  bool is_tuned = false;               // a convolution: slow while the library tries algorithms
};

inline constexpr const char* kStreamWait = "cudaStreamSynchronize_v3020";
inline constexpr const char* kDeviceWait = "cudaDeviceSynchronize_v3020";

struct Network {
  // DLProf: an op of PyTorch that runs again in a step is another op; TensorFlow's are nodes.
  bool tells_passes_apart = false;
  std::vector<OpSpec> setup;                        // once, before the first step
  OpSpec step_marker, load_batch, save_checkpoint;  // on the main thread
  std::vector<OpSpec> before_forward, forward, backward, after_backward, update;  // on each GPU
};

inline int64_t kernel_count(const std::vector<OpSpec>& ops) {
  int64_t count = 0;
  for (const OpSpec& op : ops) count += std::ssize(op.kernels);
  return count;
}

}  // namespace dlview::generate::demo
