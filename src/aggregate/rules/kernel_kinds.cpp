#include "aggregate/rules/kernel_kinds.h"

#include "profile/kernel_patterns.h"
#include "profile/recorded.h"

namespace dlview::aggregate {

using profile::KernelIndex;
using profile::OpIndex;

KernelKinds::KernelKinds(const profile::Profile& profile)
    : profile_(profile), verdicts_(profile), kinds_(profile.strings.size(), unread) {}

KernelKinds::Kind KernelKinds::kind_of(profile::StringId name) {
  Kind& kind = kinds_[name];
  if (kind != unread) return kind;
  const std::string_view text = profile_.text(name);
  return kind = profile::is_layout_transpose(text)        ? layout_transpose
                : profile::is_product_on_cuda_cores(text) ? product
                                                          : plain;
}

bool KernelKinds::has_kind(KernelIndex kernel, Kind kind) {
  return kind_of(profile_.kernels.name[kernel]) == kind ||
         kind_of(profile_.kernels.long_name[kernel]) == kind;
}

bool KernelKinds::is_layout_transpose(KernelIndex kernel) {
  return has_kind(kernel, layout_transpose);
}

bool KernelKinds::is_cuda_core_product(KernelIndex kernel) {
  if (!profile_.source.by_tensor_core_rules || !has_kind(kernel, product)) return false;
  const auto capability = profile_.devices[profile_.device_of_kernel(kernel)].compute_capability();
  const bool lacks_tensor_cores = capability && *capability < profile::kFirstTensorCores;
  const OpIndex op = profile_.instances.op[profile_.kernels.instance[kernel]];
  return !lacks_tensor_cores && !profile::tells_eligibility(profile_, op) &&
         verdicts_.of(kernel).use == profile::TensorCoreUse::no;
}

}  // namespace dlview::aggregate
