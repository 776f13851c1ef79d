// What the present rules say of the kernels of a profile, whatever its file says.
#pragma once

#include <functional>
#include <unordered_map>

#include "profile/profile.h"
#include "profile/tensor_core_rules.h"

namespace dlview::profile {

// Asks the rules once for each name, GPU and eligibility. Refers to the profile.
class TensorCoreVerdicts {
 public:
  explicit TensorCoreVerdicts(const Profile& profile) : profile_(profile) {}
  TensorCoreVerdict of(KernelIndex kernel);
  // Whether there may be kernels of that name, the long one where there is one, of which the rules
  // do not know.
  bool may_not_know(StringId name) const;

 private:
  struct Key {
    StringId name = 0, long_name = 0;
    DeviceIndex device{0};
    bool eligible = false;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  TensorCoreVerdict ask(const Key& key) const;

  const Profile& profile_;
  std::unordered_map<Key, TensorCoreVerdict, Hash> known_;
};

// The same profile with the use of Tensor Cores by the present rules; what they do not know counts
// as none. Shares all other columns.
Profile by_present_rules(const Profile& profile);

}  // namespace dlview::profile
