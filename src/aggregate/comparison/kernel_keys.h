// KernelKeys: what kernels of two runs are matched by. The name of a kernel depends on what other
// kernels its run has ("elementwise_kernel", "elementwise<add>"), its identity does not
// (profile/kernel_labels.h).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

class KernelKeys {
 public:
  // A name that has several identities in one of the runs, as in DLProf databases, is its own
  // identity. Costs a pass over all kernels of both.
  KernelKeys(const profile::Profile& before, const profile::Profile& after);

  // Returns the key of a Kernels::name or MemoryOps::name. Equal keys: the same function.
  uint32_t before(profile::StringId name) const { return before_.at(name); }
  uint32_t after(profile::StringId name) const { return after_.at(name); }
  std::size_t size() const { return names_.size(); }

  // The more specific of the two names, or the identity if another key has that name.
  const std::string& name(uint32_t key) const { return names_[key]; }
  // What tuned variants of the kernel share (matching.h).
  const std::string& family(uint32_t key) const { return families_[key]; }

 private:
  using Keys = std::unordered_map<profile::StringId, uint32_t>;
  Keys before_, after_;
  std::vector<std::string> names_, families_;
};

}  // namespace dlview::aggregate
