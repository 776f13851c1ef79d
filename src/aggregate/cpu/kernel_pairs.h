// Dense ids for the groups that kernels are summed in: (op, short kernel name, uses Tensor Cores).
#pragma once

#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate::cpu {

struct KernelPair {
  profile::Row op = 0;
  profile::StringId name = 0;
  bool uses_tensor_cores = false;
};

struct KernelPairs {
  std::vector<KernelPair> pairs;             // in order of (op row, byte order of the name, flag)
  std::vector<profile::Row> pair_of_kernel;  // row in `pairs` for each kernel row
};

KernelPairs kernel_pairs(const profile::Profile& profile);

}  // namespace dlview::aggregate::cpu
