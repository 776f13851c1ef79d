#include "profile/tensor_core_verdicts.h"

#include <optional>
#include <vector>

namespace dlview::profile {

std::size_t TensorCoreVerdicts::Hash::operator()(const Key& key) const {
  const uint64_t names = (uint64_t{key.name} << 32) | key.long_name;
  const uint64_t rest = (uint64_t{key.device} << 1) | (key.eligible ? 1 : 0);
  return static_cast<std::size_t>((names ^ (rest << 20)) * uint64_t{0x9E3779B97F4A7C15} >> 16);
}

TensorCoreVerdict TensorCoreVerdicts::ask(const Key& key) const {
  const Device& device = profile_.devices[key.device];
  std::optional<ComputeCapability> capability;
  if (device.vendor == Vendor::nvidia) capability = device.compute_capability();
  const StringId name = key.long_name == 0 ? key.name : key.long_name;
  return tensor_core_use(profile_.text(name), capability, key.eligible);
}

TensorCoreVerdict TensorCoreVerdicts::of(KernelIndex kernel) {
  const Kernels& kernels = profile_.kernels;
  const OpIndex op = profile_.instances.op[kernels.instance[kernel]];
  const Key key{kernels.name[kernel], kernels.long_name[kernel], profile_.device_of_kernel(kernel),
                profile_.is_eligible(op)};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, ask(key)).first->second;
}

bool TensorCoreVerdicts::may_not_know(StringId name) const {
  for (DeviceIndex device{0}; device < profile_.devices.size(); ++device) {
    for (const bool eligible : {false, true}) {
      if (ask({name, name, device, eligible}).use == TensorCoreUse::unknown) return true;
    }
  }
  return false;
}

Profile by_present_rules(const Profile& profile) {
  TensorCoreVerdicts verdicts(profile);
  std::vector<uint8_t> uses(profile.kernels.size());
  for (KernelIndex kernel{0}; kernel < uses.size(); ++kernel) {
    uses[kernel] = verdicts.of(kernel).use == TensorCoreUse::yes ? 1 : 0;
  }
  Profile present = profile;
  present.kernels.uses_tensor_cores = std::move(uses);
  present.source.by_tensor_core_rules = true;
  return present;
}

}  // namespace dlview::profile
