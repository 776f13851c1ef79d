// The overview of PyTorch's former TensorBoard plugin (torch-tb-profiler), by its definitions, to
// compare with its figures. docs/metrics.md lists how they differ from dlview's own.
// All times are int64 ns since the start of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

// Each category has the time that no earlier one covers.
enum class TensorBoardCategory : uint8_t {
  kernel,
  memcpy,
  memset,
  communication,  // ranges of NCCL and Gloo on the host, and the kernels launched in them
  runtime,        // calls of the runtime
  data_loader,
  cpu_exec,  // ops
  other,
};
inline constexpr std::size_t kTensorBoardCategories = 8;
std::string_view to_text(TensorBoardCategory category);  // "DataLoader"

struct TensorBoardStep {
  std::string name;  // the number in "ProfilerStep#12"; "0" if the trace has no such range
  int64_t start_ns = 0, stop_ns = 0;
  std::array<int64_t, kTensorBoardCategories> time_ns{};

  int64_t duration_ns() const { return stop_ns - start_ns; }
  bool operator==(const TensorBoardStep&) const = default;
};

// Figures of one GPU, from the start of the first step to the end of the last one.
struct TensorBoardGpu {
  int64_t device_id = 0;
  int64_t busy_ns = 0;  // union of kernels
  // The blocks per SM of running kernels over time, at most 1; nullopt = not recorded.
  std::optional<double> sm_efficiency_percent;
  std::optional<double> occupancy_percent;  // mean, weighted by time
};

struct TensorBoardOverview {
  std::vector<TensorBoardStep> steps;
  std::vector<TensorBoardGpu> gpus;           // with kernels, in order of device id
  int64_t kernel_ns = 0, tensor_core_ns = 0;  // sums of all GPUs within the steps
  std::vector<std::string> recommendations;

  int64_t span_ns() const {
    return steps.empty() ? 0 : steps.back().stop_ns - steps.front().start_ns;
  }
  // Mean over all steps; 0 without steps.
  double average_step_ns() const;
  double average_ns(TensorBoardCategory category) const;
};

// Whether the plugin counts a kernel of that name as one that uses Tensor Cores.
bool is_tensor_core_kernel_for_tensorboard(std::string_view name);

// For a profile from a PyTorch trace; sorts the events of the whole run.
TensorBoardOverview tensorboard_overview(const profile::Profile& profile);

}  // namespace dlview::aggregate
