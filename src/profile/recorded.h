// Figures that a profile cannot have. Profile::not_recorded lists in words what a file lacks; this
// enumerates the entries for which a 0 on screen would be wrong, and how to record them.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::profile {

// Entries of Profile::not_recorded that take figures with them, as importers name them.
inline constexpr std::string_view kNoGpuWork = "GPU activity";
inline constexpr std::string_view kNoGpuWorkAndCalls = "GPU activity and CUDA API calls";
inline constexpr std::string_view kNoKernels = "GPU kernels";
inline constexpr std::string_view kNoApiCalls = "CUDA API calls";
inline constexpr std::string_view kNoRanges = "NVTX ranges";
inline constexpr std::string_view kNoOps = "Ops and annotations";  // of a PyTorch profiler trace
inline constexpr std::string_view kNoDataLoader = "Data loader";

// Reasons in Profile::quality that concern the whole file, as importers name them. Such a note has
// no rows, and its example says what is missing.
inline constexpr std::string_view kTruncated = "the file is truncated";
inline constexpr std::string_view kDamagedGzip = "the compressed file is damaged";

// Returns what is missing because the file is truncated or damaged, and what to do. Each is one
// sentence; "" for all other profiles.
std::string file_damage(const Profile& profile);

// Records Nsight Compute counters of a program.
inline constexpr std::string_view kCountCommand =
    "ncu --set full --csv --page raw --print-kernel-base mangled --print-units base --nvtx "
    "--launch-count 200 --log-file counters.csv python train.py";

enum class Evidence : uint8_t {
  gpu_work,   // kernels and memory operations: GPU times, utilization, Tensor Cores
  api_calls,  // CUDA API calls: CPU overhead
  ranges,     // ops and their types
  data_loader
};

// Returns whether the PyTorch profiler recorded the run.
inline bool is_pytorch_trace(const Profile& profile) {
  return profile.trace && profile.trace->capture.recorder == Recorder::pytorch_profiler;
}

// Returns whether Nsight Systems recorded the run, and the file is its export.
inline bool is_nsys_export(const Profile& profile) {
  return profile.trace && profile.trace->capture.recorder == Recorder::nsight_systems;
}

// The API through which the program uses its GPUs: "CUDA API", "HIP API" of AMD, else "GPU API".
std::string_view gpu_api(const Profile& profile);

// The entry that says that there is none; null where there is.
const NotRecorded* find_lack(const Profile& profile, Evidence evidence);

inline bool tells_of(const Profile& profile, Evidence evidence) {
  return find_lack(profile, evidence) == nullptr;
}

// Returns whether it is known if the op could use Tensor Cores. The op's type decides. A DLProf
// database has it for each op. In an export, DLProf's markers and ops of a framework have it;
// ranges of the user and calls outside all ranges do not.
inline bool tells_eligibility(const Profile& profile, OpIndex op) {
  return !profile.trace || profile.ops.tensor_core_support[op] != TensorCoreSupport::unknown;
}

// Behind the name of an op that computes its forward pass again for the backward pass.
inline constexpr std::string_view kRecomputed = " (recompute)";
bool is_recomputed(const Profile& profile, OpIndex op);

}  // namespace dlview::profile
