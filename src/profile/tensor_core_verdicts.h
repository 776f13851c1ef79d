// Results of dlview's Tensor Core rules for the kernels of a profile, whatever the flags in its
// file.
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
  // Returns whether kernels of this name (the long one if there is one) may be unknown to the
  // rules.
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

// Returns the profile with the Tensor Core flags of dlview's rules; unknown counts as no. Shares
// all other columns.
Profile by_present_rules(const Profile& profile);

}  // namespace dlview::profile
