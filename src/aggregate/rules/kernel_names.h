// What the names of a profile's kernels tell beyond Kernels::uses_tensor_cores, asked once for each
// name: the present rules' doubt, and matrix products that run on CUDA cores.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

class KernelNames {
 public:
  explicit KernelNames(const profile::Profile& profile);

  // Nothing tells whether kernels of this short name use Tensor Cores. Only of an export: a DLProf
  // database knows.
  bool use_is_unknown(profile::StringId name) const { return has(name, kUnknown); }
  // A matrix product or convolution whose name says that it runs on CUDA cores, on a GPU that has
  // or may have Tensor Cores.
  bool multiplies_on_cuda_cores(profile::StringId name) const { return has(name, kCudaCores); }

 private:
  static constexpr uint8_t kSeen = 1, kUnknown = 2, kCudaCores = 4;
  bool has(profile::StringId name, uint8_t flag) const {
    return name < flags_.size() && (flags_[name] & flag) != 0;
  }

  std::vector<uint8_t> flags_;  // by short name; of several kernels of one name the first tells
};

}  // namespace dlview::aggregate
