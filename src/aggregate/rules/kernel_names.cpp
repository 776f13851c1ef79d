#include "aggregate/rules/kernel_names.h"

#include "profile/cuda_core_products.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::aggregate {

using profile::Profile;
using profile::Row;

KernelNames::KernelNames(const Profile& profile) {
  if (!profile.source.by_tensor_core_rules) return;
  flags_.resize(profile.strings.size());
  profile::TensorCoreVerdicts verdicts(profile);
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    uint8_t& flags = flags_[profile.kernels.name[row]];
    if (flags != 0) continue;
    flags = kSeen;
    const profile::TensorCoreUse use = verdicts.of(row).use;
    if (use == profile::TensorCoreUse::unknown) flags |= kUnknown;
    const profile::Device& device = profile.devices[profile.device_of_kernel(row)];
    const bool lacks_tensor_cores =
        device.compute_capability_major > 0 && device.compute_capability_major < 7;
    if (use == profile::TensorCoreUse::no && !lacks_tensor_cores &&
        (profile::is_product_on_cuda_cores(profile.text(profile.kernels.name[row])) ||
         profile::is_product_on_cuda_cores(profile.text(profile.kernels.long_name[row])))) {
      flags |= kCudaCores;
    }
  }
}

}  // namespace dlview::aggregate
