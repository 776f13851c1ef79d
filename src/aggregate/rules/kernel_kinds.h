// Kernels that detectors look for, by their names. Each name is read once.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::aggregate {

class KernelKinds {
 public:
  explicit KernelKinds(const profile::Profile& profile);

  bool is_layout_transpose(profile::KernelIndex kernel);
  // Returns whether the kernel is a GEMM or convolution that runs on CUDA cores by its name, on a
  // GPU that has or may have Tensor Cores, in an op of unknown eligibility. Exports only: a DLProf
  // database has the eligibility of all ops.
  bool is_cuda_core_product(profile::KernelIndex kernel);

 private:
  enum Kind : uint8_t { unread, plain, layout_transpose, product };
  Kind kind_of(profile::StringId name);
  bool has_kind(profile::KernelIndex kernel, Kind kind);

  const profile::Profile& profile_;
  profile::TensorCoreVerdicts verdicts_;
  std::vector<Kind> kinds_;  // of short and demangled names
};

}  // namespace dlview::aggregate
