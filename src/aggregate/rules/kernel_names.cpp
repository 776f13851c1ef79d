#include "aggregate/rules/kernel_names.h"

#include "profile/cuda_core_products.h"
#include "profile/tensor_core_verdicts.h"

namespace dlview::aggregate {

using profile::Profile;
using profile::Row;

KernelNames::KernelNames(const Profile& profile) {
  if (!profile.source.by_tensor_core_rules) return;
  answers_.resize(profile.strings.size());
  profile::TensorCoreVerdicts verdicts(profile);
  for (Row row = 0; row < profile.kernels.size(); ++row) {
    Answer& answer = answers_[profile.kernels.name[row]];
    if (answer != Answer::not_asked) continue;
    const profile::Device& device = profile.devices[profile.device_of_kernel(row)];
    const bool lacks_tensor_cores =
        device.compute_capability_major > 0 &&
        device.compute_capability_major < profile::kFirstTensorCores.major;
    const bool multiplies =
        verdicts.of(row).use == profile::TensorCoreUse::no && !lacks_tensor_cores &&
        (profile::is_product_on_cuda_cores(profile.text(profile.kernels.name[row])) ||
         profile::is_product_on_cuda_cores(profile.text(profile.kernels.long_name[row])));
    answer = multiplies ? Answer::yes : Answer::no;
  }
}

}  // namespace dlview::aggregate
